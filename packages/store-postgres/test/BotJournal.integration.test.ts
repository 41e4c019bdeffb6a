import { BotJournalSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("BotJournal", (name, layer) => BotJournalSuite.suite(name, layer))
