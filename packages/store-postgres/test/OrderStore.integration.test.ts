import { OrderStoreSuite } from "@candlewick/core/testing"
import { PostgresStore } from "../src/index.ts"

OrderStoreSuite.suite("OrderStore on PGlite", PostgresStore.layerPglite())
