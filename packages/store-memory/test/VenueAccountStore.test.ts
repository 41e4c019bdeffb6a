import { VenueAccountStoreSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"

VenueAccountStoreSuite.suite("the memory VenueAccountStore", MemoryStore.layer)
