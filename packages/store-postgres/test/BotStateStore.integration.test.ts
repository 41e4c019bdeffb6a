import { BotStateStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("BotStateStore", (name, layer) => BotStateStoreSuite.suite(name, layer))
