import { BacktestStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

BacktestStoreSuite.suite("the memory BacktestStore", MemoryStore.layer)
