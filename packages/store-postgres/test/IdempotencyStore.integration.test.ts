import { IdempotencyStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("IdempotencyStore", (name, layer) => IdempotencyStoreSuite.suite(name, layer))
