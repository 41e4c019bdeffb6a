import { WebhookStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("WebhookStore", (name, layer) => WebhookStoreSuite.suite(name, layer))
