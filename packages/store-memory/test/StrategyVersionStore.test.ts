import { StrategyVersionStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

StrategyVersionStoreSuite.suite("the memory StrategyVersionStore", MemoryStore.layer)
