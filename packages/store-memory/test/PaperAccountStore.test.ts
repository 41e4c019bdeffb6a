import { PaperAccountStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

PaperAccountStoreSuite.suite("the memory PaperAccountStore", MemoryStore.layer)
