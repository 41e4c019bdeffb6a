import { AlertStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("AlertStore", (name, layer) => AlertStoreSuite.suite(name, layer))
