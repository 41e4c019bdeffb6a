import { DeliveryStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

DeliveryStoreSuite.suite("the memory DeliveryStore", MemoryStore.layer)
