import { DeliveryStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("DeliveryStore", (name, layer) => DeliveryStoreSuite.suite(name, layer))
