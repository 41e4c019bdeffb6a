import { IdempotencyStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

IdempotencyStoreSuite.suite("the memory IdempotencyStore", MemoryStore.layer)
