import { TrialStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

TrialStoreSuite.suite("the memory TrialStore", MemoryStore.layer)
