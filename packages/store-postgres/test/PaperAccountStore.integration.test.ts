import { PaperAccountStoreSuite } from "@candlewick/core/testing"
import { PostgresStore } from "../src/index.ts"

PaperAccountStoreSuite.suite("PaperAccountStore on PGlite", PostgresStore.layerPglite())
