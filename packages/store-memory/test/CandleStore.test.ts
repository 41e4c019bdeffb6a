import { CandleStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

CandleStoreSuite.suite("the memory CandleStore", MemoryStore.layer)
