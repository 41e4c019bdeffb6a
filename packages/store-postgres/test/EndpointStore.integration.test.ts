import { EndpointStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("EndpointStore", (name, layer) => EndpointStoreSuite.suite(name, layer))
