/**
 * Ends of attempts that a store refuses, or is too far away for.
 */
import {
  ContentRefused,
  type DeliveryOutcome,
  DeliveryQueue,
  StoreError,
  StoreUnavailable
} from "@candlewick/core"
import { endpointRecord, keptDeliveryRecord } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, References } from "effect"
import { TestClock } from "effect/testing"
import { beginAttempt } from "../src/decideDelivery.ts"
import { type EndedAttempt, keepOutcomes } from "../src/keepOutcomes.ts"

const refused = new StoreError({ reason: new ContentRefused({ cause: "a zero character" }) })
const away = new StoreError({ reason: new StoreUnavailable({ cause: "unplugged" }) })
const quiet = Effect.provideService(References.MinimumLogLevel, "None")

const ended = (): EndedAttempt => ({
  delivery: beginAttempt(keptDeliveryRecord(endpointRecord(), { status: "sending" }), "att_1", 0),
  outcome: { _tag: "Unanswered", error: "timeout", status: null, durationMs: 5 },
  nowMs: 10,
  random: 0.5,
  heldUntilMs: null,
  repairedAt: null
})

/** A queue that keeps outcomes unless an answer is at hand, and what it was asked for. */
const queueOf = (answer: (ids: ReadonlyArray<string>) => StoreError | null) => {
  const asked: Array<ReadonlyArray<string>> = []
  const unused = Effect.die("not used by this test")
  const queue = DeliveryQueue.of({
    claim: () => unused,
    nextDueInMs: unused,
    countOpen: unused,
    cancelWaiting: () => unused,
    keepOutcomes: (outcomes: ReadonlyArray<DeliveryOutcome>) =>
      Effect.suspend(() => {
        const ids = outcomes.map(({ delivery }) => delivery.id)
        asked.push(ids)
        const error = answer(ids)
        return error === null ? Effect.succeed([]) : Effect.fail(error)
      })
  })
  return { asked, queue }
}

const patienceMs = 10_000

describe("ends of attempts", () => {
  it.effect("are kept each by itself where the store refuses one, which is tried no more", () =>
    Effect.gen(function* () {
      const ends = [ended(), ended(), ended()]
      const ids = ends.map(({ delivery }) => delivery.id)
      const { asked, queue } = queueOf((given) => (given.includes(ids[1]!) ? refused : null))
      yield* keepOutcomes(queue, ends, patienceMs)
      assert.deepStrictEqual(asked, [ids, ...ids.map((id) => [id])])
    }).pipe(quiet)
  )

  it.effect("are tried again together while the store is away", () =>
    Effect.gen(function* () {
      let failures = 2
      const { asked, queue } = queueOf(() => (failures-- > 0 ? away : null))
      const fiber = yield* Effect.forkChild(keepOutcomes(queue, [ended(), ended()], patienceMs))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        asked.map(({ length }) => length),
        [2, 2, 2]
      )
    }).pipe(quiet)
  )
})
