import { BotArchiveSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

BotArchiveSuite.suite("the memory BotArchive", MemoryStore.layer)
