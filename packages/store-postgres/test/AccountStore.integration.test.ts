import { AccountStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("AccountStore", (name, layer) => AccountStoreSuite.suite(name, layer))
