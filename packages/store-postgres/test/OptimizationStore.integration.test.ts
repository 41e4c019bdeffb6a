import { OptimizationStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("OptimizationStore", (name, layer) => OptimizationStoreSuite.suite(name, layer))
