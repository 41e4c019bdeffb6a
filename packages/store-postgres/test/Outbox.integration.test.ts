import { OutboxSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("Outbox", (name, layer) => OutboxSuite.suite(name, layer))
