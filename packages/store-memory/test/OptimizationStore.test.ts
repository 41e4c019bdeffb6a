import { OptimizationStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

OptimizationStoreSuite.suite("the memory OptimizationStore", MemoryStore.layer)
