import { BotLeasesSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("BotLeases", (name, layer) => BotLeasesSuite.suite(name, layer))
