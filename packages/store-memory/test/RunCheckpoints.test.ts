import { RunCheckpointsSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

RunCheckpointsSuite.suite("the memory RunCheckpoints", MemoryStore.layer)
