import { VenueAccountStoreSuite } from "@candlewick/core/testing"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("VenueAccountStore", (name, layer) => VenueAccountStoreSuite.suite(name, layer))
