import { StrategyStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("StrategyStore", (name, layer) => StrategyStoreSuite.suite(name, layer))
