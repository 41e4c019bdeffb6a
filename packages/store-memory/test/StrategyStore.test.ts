import { StrategyStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

StrategyStoreSuite.suite("the memory StrategyStore", MemoryStore.layer)
