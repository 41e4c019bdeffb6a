import { IdempotencyStoreSuite } from "@candlewick/core/testing"
import { PostgresStore } from "../src/index.ts"

IdempotencyStoreSuite.suite("IdempotencyStore on PGlite", PostgresStore.layerPglite())
