import { RunCheckpointsSuite } from "@candlewick/core/testing"
import { PostgresStore } from "../src/index.ts"

RunCheckpointsSuite.suite("RunCheckpoints on PGlite", PostgresStore.layerPglite())
