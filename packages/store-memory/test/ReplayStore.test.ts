import { ReplayStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

ReplayStoreSuite.suite("the memory ReplayStore", MemoryStore.layer)
