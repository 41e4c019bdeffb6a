import { StrategyVersionStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("StrategyVersionStore", (name, layer) => StrategyVersionStoreSuite.suite(name, layer))
