import { AccountStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

AccountStoreSuite.suite("the memory AccountStore", MemoryStore.layer)
