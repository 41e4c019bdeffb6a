/**
 * The venue of the guide for adapters keeps what every venue owes its callers.
 */
import { VenueSuite } from "@candlewick/core/testing"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { makeOwnVenue } from "../../examples/ownVenue.ts"

VenueSuite.suite("the venue of the guide", Layer.empty, {
  open: Effect.sync(() => ({
    ...makeOwnVenue("10000", "100"),
    wait: TestClock.adjust,
    nowMs: Clock.currentTimeMillis,
    slowestMs: 1
  }))
})
