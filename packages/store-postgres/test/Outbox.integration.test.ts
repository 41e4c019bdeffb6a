import { OutboxSuite } from "@candlewick/core/testing"
import { PostgresStore } from "../src/index.ts"

OutboxSuite.suite("Outbox on PGlite", PostgresStore.layerPglite())
