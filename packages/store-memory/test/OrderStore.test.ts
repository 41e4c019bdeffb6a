import { OrderStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

OrderStoreSuite.suite("the memory OrderStore", MemoryStore.layer)
