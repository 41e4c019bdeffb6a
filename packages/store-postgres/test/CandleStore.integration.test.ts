import { CandleStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("CandleStore", (name, layer) => CandleStoreSuite.suite(name, layer))
