import { JudgementStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

JudgementStoreSuite.suite("the memory JudgementStore", MemoryStore.layer)
