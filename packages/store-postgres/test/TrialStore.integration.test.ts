import { TrialStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("TrialStore", (name, layer) => TrialStoreSuite.suite(name, layer))
