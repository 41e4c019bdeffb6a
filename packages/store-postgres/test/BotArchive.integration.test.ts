import { BotArchiveSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("BotArchive", (name, layer) => BotArchiveSuite.suite(name, layer))
