import { BotJournalSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

BotJournalSuite.suite("the memory BotJournal", MemoryStore.layer)
