import { WebhookStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

WebhookStoreSuite.suite("the memory WebhookStore", MemoryStore.layer)
