import { BotLeasesSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

BotLeasesSuite.suite("the memory BotLeases", MemoryStore.layer)
