import { OrderStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("OrderStore", (name, layer) => OrderStoreSuite.suite(name, layer))
