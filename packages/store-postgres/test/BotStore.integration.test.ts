import { BotStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("BotStore", (name, layer) => BotStoreSuite.suite(name, layer))
