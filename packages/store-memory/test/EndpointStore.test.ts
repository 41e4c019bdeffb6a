import { EndpointStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

EndpointStoreSuite.suite("the memory EndpointStore", MemoryStore.layer)
