import { BotStoreSuite } from "@candlewick/core/testing"
import { PostgresStore } from "../src/index.ts"

BotStoreSuite.suite("BotStore on PGlite", PostgresStore.layerPglite())
