import { BacktestStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("BacktestStore", (name, layer) => BacktestStoreSuite.suite(name, layer))
