import { BotStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

BotStoreSuite.suite("the memory BotStore", MemoryStore.layer)
