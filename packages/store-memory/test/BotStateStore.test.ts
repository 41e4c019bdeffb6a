import { BotStateStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

BotStateStoreSuite.suite("the memory BotStateStore", MemoryStore.layer)
