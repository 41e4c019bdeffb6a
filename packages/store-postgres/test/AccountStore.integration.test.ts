import { AccountStoreSuite } from "@candlewick/core/testing"
import { PostgresStore } from "../src/index.ts"

AccountStoreSuite.suite("AccountStore on PGlite", PostgresStore.layerPglite())
