import { MarketStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

MarketStoreSuite.suite("the memory MarketStore", MemoryStore.layer)
