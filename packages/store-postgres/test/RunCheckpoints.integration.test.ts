import { RunCheckpointsSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("RunCheckpoints", (name, layer) => RunCheckpointsSuite.suite(name, layer))
