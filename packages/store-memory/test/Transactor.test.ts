import { TransactorSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

TransactorSuite.suite("the memory Transactor", MemoryStore.layer)
