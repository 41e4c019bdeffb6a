/**
 * Servers whose clocks differ, on one database: its clock alone says what is due and which lease
 * has ended. The other tests of these stores give them the time of Effect's `Clock` instead.
 */
import {
  DeliveryQueue,
  DeliveryStore,
  EndpointStore,
  IdempotencyStore,
  NoticeQueue
} from "@candlewick/core"
import {
  attemptRecord,
  deliveryRecord,
  endpointRecord,
  evidenceRecord,
  testName
} from "@candlewick/core/testing"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { PostgresStore } from "../src/index.ts"
import { onEveryDatabase } from "./databases/onEveryDatabase.ts"

const hourMs = 3_600_000

/** Turns the clock of this process; the database's goes on as it did. */
const slow = TestClock.setTime(0)
const fast = TestClock.setTime(Date.UTC(2100, 0, 1))

/** An endpoint with one delivery that a server has just made. */
const makeOne = Effect.gen(function* () {
  const endpoint = yield* (yield* EndpointStore).insert(endpointRecord())
  const { insertMany } = yield* DeliveryStore
  const [made] = yield* insertMany([deliveryRecord(endpoint)])
  return made!
})

const claimFor = (leaseMs: number) =>
  Effect.flatMap(DeliveryQueue, ({ claim }) =>
    claim({
      leaseMs,
      slowAfterMs: 2 * hourMs,
      limit: 10,
      accountMax: 10,
      accountKept: 0,
      allowances: new Map()
    })
  )

const keyRequest = (keptForMs: number) => ({
  scope: "POST /bots",
  key: testName(),
  fingerprint: "sha256-a",
  keptForMs
})

onEveryDatabase("servers whose clocks differ", (name, database) => {
  const stores = PostgresStore.layerAlone.pipe(Layer.provideMerge(database), Layer.orDie)
  layer(stores)(name, (it) => {
    it.effect("see the same deliveries as due, and hold each for its lease", () =>
      Effect.gen(function* () {
        const { nextDueInMs } = yield* DeliveryQueue
        yield* fast
        const made = yield* makeOne
        yield* slow
        const [claimed] = yield* claimFor(hourMs)
        assert.strictEqual(claimed?.id, made.id)
        yield* fast
        assert.deepStrictEqual(yield* claimFor(hourMs), [])
        const leftMs = Option.getOrThrow(yield* nextDueInMs)
        assert.isAbove(leftMs, 0)
        assert.isAtMost(leftMs, hourMs)
      })
    )

    it.effect("take over a delivery as soon as its lease has ended, whoever held it", () =>
      Effect.gen(function* () {
        yield* fast
        const made = yield* makeOne
        const [held] = yield* claimFor(0)
        assert.strictEqual(held?.id, made.id)
        yield* slow
        const [taken] = yield* claimFor(0)
        assert.strictEqual(taken?.id, made.id)
        const { keepOutcomes } = yield* DeliveryQueue
        const retrying = { ...taken!, status: "retrying" as const, leased_until_ms: null }
        yield* fast
        const evidence = evidenceRecord({ says: "nothing" })
        yield* keepOutcomes([{ delivery: { ...retrying, due_in_ms: 0 }, evidence }])
        yield* slow
        assert.strictEqual((yield* claimFor(hourMs))[0]?.id, made.id)
      })
    )

    it.effect("are owed one notice between them, and at once", () =>
      Effect.gen(function* () {
        const { keepOutcomes } = yield* DeliveryQueue
        const { settle, take } = yield* NoticeQueue
        yield* fast
        yield* makeOne
        const claimed = yield* claimFor(hourMs)
        const attempt = attemptRecord()
        const delivery = { ...claimed.at(-1)!, status: "failed" as const, attempts: [attempt] }
        const endedAtMs = Date.UTC(2100, 0, 1)
        yield* keepOutcomes([{ delivery, evidence: evidenceRecord({ ends: "gone", endedAtMs }) }])
        yield* slow
        const [owed] = yield* take({ leaseMs: 0, limit: 9 })
        assert.strictEqual(owed?.attempt_id, attempt.id)
        const again = yield* take({ leaseMs: hourMs, limit: 9 })
        assert.lengthOf(again, 1)
        yield* fast
        assert.deepStrictEqual(yield* take({ leaseMs: hourMs, limit: 9 }), [])
        yield* settle([attempt.id])
      })
    )

    it.effect("hold a key of a request for as long as it is kept, and no longer", () =>
      Effect.gen(function* () {
        const { answer, claim, keepOutcome } = yield* IdempotencyStore
        const [held, ended] = [keyRequest(hourMs), keyRequest(0)]
        yield* slow
        assert.deepStrictEqual(yield* claim(held), { type: "claimed" })
        yield* fast
        assert.deepStrictEqual(yield* claim(held), { type: "in_progress" })
        assert.deepStrictEqual(yield* claim(ended), { type: "claimed" })
        const { keptForMs, ...call } = held
        yield* slow
        assert.deepStrictEqual(yield* claim({ ...ended, keptForMs }), { type: "claimed" })
        const kept = { ...call, before: null, outcome: "made bot_1", keptForMs }
        assert.isTrue(yield* keepOutcome(kept))
        yield* fast
        assert.strictEqual((yield* claim(held)).type, "carried_out")
        yield* slow
        const given = { status: 201, headers: {}, body: "{}" }
        yield* answer(held.scope, held.key, given, hourMs)
        yield* fast
        assert.strictEqual((yield* claim(held)).type, "answered")
      })
    )

    it.effect("are in the same minute, which keys of signals are made of", () =>
      Effect.gen(function* () {
        const { nowMs } = yield* IdempotencyStore
        yield* fast
        const early = yield* nowMs
        yield* slow
        const late = yield* nowMs
        assert.isAtLeast(late, early)
        assert.isBelow(late - early, hourMs)
      })
    )
  })
})
