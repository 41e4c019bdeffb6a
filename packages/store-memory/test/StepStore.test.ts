import { StepStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

StepStoreSuite.suite("the memory StepStore", MemoryStore.layer)
