import { PaperAccountStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("PaperAccountStore", (name, layer) => PaperAccountStoreSuite.suite(name, layer))
