import { AlertStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

AlertStoreSuite.suite("the memory AlertStore", MemoryStore.layer)
