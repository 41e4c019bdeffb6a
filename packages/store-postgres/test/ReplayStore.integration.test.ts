import { ReplayStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("ReplayStore", (name, layer) => ReplayStoreSuite.suite(name, layer))
