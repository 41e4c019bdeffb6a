import { BotLeasesSuite } from "@candlewick/core/testing"
import { PostgresStore } from "../src/index.ts"

BotLeasesSuite.suite("BotLeases on PGlite", PostgresStore.layerPglite())
