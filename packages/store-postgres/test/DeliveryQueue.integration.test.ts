import { DeliveryQueueSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("DeliveryQueue", (name, layer) => DeliveryQueueSuite.suite(name, layer))
