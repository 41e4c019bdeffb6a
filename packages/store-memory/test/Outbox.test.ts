import { OutboxSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

OutboxSuite.suite("the memory Outbox", MemoryStore.layer)
