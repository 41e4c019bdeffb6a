import { MarketStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("MarketStore", (name, layer) => MarketStoreSuite.suite(name, layer))
