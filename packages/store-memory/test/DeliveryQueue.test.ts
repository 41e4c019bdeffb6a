import { DeliveryQueueSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

DeliveryQueueSuite.suite("the memory DeliveryQueue", MemoryStore.layer)
