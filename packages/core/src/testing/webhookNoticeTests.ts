/**
 * What a judgement that disables an endpoint does in its own step, and what becomes of notices.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { Delivery, OwedNotice } from "../domain/WebhookEndpoint.ts"
import type { DeliveryOutcome } from "../domain/webhooks/foldOutcomes.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { firstIdAt } from "../domain/Identifier.ts"
import { toTimestamp } from "@candlewick/engine"
import { dayMs } from "@candlewick/engine/kernel"
import { attemptRecord, evidenceRecord } from "./records.ts"
import { testId } from "./testIds.ts"
import { rolledBack } from "./versionedTests.ts"
import { claimRequest, dueMs, insertDue, ownEndpoint } from "./webhookRecords.ts"

const failed = (delivery: Delivery): Delivery => ({
  ...delivery,
  status: "failed",
  leased_until_ms: null
})

const taking = (nowMs: number, limit = 1_000) => ({ nowMs, leaseUntilMs: nowMs + 60, limit })

/** Takes away what other tests have left owing. */
const settleAll = Effect.gen(function* () {
  const { settleNotices, takeNotices } = yield* WebhookStore
  const left = yield* takeNotices(taking(dueMs * 2))
  yield* settleNotices(left.map(({ attempt_id }) => attempt_id))
})

/** An outcome after which its receiver wants no request any more. */
const ending = (delivery: Delivery, endedAtMs = dueMs): DeliveryOutcome => ({
  delivery: failed(delivery),
  evidence: evidenceRecord({ ends: "gone", endedAtMs })
})

/** Endpoints that are disabled at these times, by outcomes that owe a notice each from then on. */
const owing = Effect.fnUntraced(function* (afterMs: ReadonlyArray<number>) {
  const { claim, keepOutcomes } = yield* WebhookStore
  yield* settleAll
  const endpoints = yield* Effect.forEach(afterMs, () => ownEndpoint())
  for (const endpoint of endpoints) yield* insertDue(endpoint, [0])
  const claimed = yield* claim(claimRequest())
  const attempts = afterMs.map(() => attemptRecord())
  const outcomes = endpoints.map(({ id }, index) => {
    const delivery = claimed.find(({ webhook_id }) => webhook_id === id)!
    return ending({ ...delivery, attempts: [attempts[index]!] }, dueMs + afterMs[index]!)
  })
  return { attempts: attempts.map(({ id }) => id), endpoints, keep: keepOutcomes(outcomes) }
})

const idsOf = (owed: ReadonlyArray<OwedNotice>) => owed.map(({ attempt_id }) => attempt_id)

/** The tests of judgements that disable, and of notices. @category testing @since 0.1.0 */
export const webhookNoticeTests = {
  "cancels what waits for an endpoint in the step that disables it": Effect.gen(function* () {
    const { claim, getDelivery, keepOutcomes } = yield* WebhookStore
    const [gone, left] = [yield* ownEndpoint(), yield* ownEndpoint()]
    yield* insertDue(gone, [-9, -8])
    const [ended, underWay] = yield* claim(claimRequest())
    const waiting = [
      ...(yield* insertDue(gone, [1])),
      ...(yield* insertDue(gone, [2], { status: "retrying" }))
    ]
    const [other] = yield* insertDue(left, [3])
    const keep = keepOutcomes([ending(ended!)])
    yield* rolledBack(keep)
    for (const one of [...waiting, underWay!]) {
      assert.deepStrictEqual(yield* getDelivery(gone.id, one.id), Option.some(one))
    }
    yield* keep
    for (const one of waiting) {
      const found = Option.getOrThrow(yield* getDelivery(gone.id, one.id))
      assert.deepStrictEqual(found, { ...one, status: "cancelled", version: 2 })
    }
    assert.deepStrictEqual(yield* getDelivery(gone.id, underWay!.id), Option.some(underWay!))
    assert.deepStrictEqual(yield* getDelivery(left.id, other!.id), Option.some(other!))
    const [late] = yield* insertDue(gone, [4])
    assert.lengthOf(yield* keepOutcomes([ending(underWay!)]), 1)
    // It was disabled before, so that this says nothing new.
    assert.deepStrictEqual(yield* getDelivery(gone.id, late!.id), Option.some(late!))
  }),

  "cancels what its own batch has put back to wait, before it and after it": Effect.gen(
    function* () {
      const { claim, getDelivery, keepOutcomes } = yield* WebhookStore
      const gone = yield* ownEndpoint()
      yield* insertDue(gone, [-9, -8, -7])
      const [first, ended, last] = yield* claim(claimRequest())
      const retrying = (delivery: Delivery) => ({
        delivery: { ...delivery, status: "retrying" as const, leased_until_ms: null },
        evidence: evidenceRecord({ says: "nothing" })
      })
      const outcomes = [retrying(first!), ending(ended!), retrying(last!)]
      const kept = yield* keepOutcomes(outcomes)
      assert.deepStrictEqual(
        kept.map(({ id, status }) => [id, status]),
        [
          [first!.id, "retrying"],
          [ended!.id, "failed"],
          [last!.id, "retrying"]
        ]
      )
      for (const { id, version } of [kept[0]!, kept[2]!]) {
        const found = Option.getOrThrow(yield* getDelivery(gone.id, id))
        assert.deepInclude(found, { status: "cancelled", version: version + 1 })
      }
    }
  ),

  "says since when a disabled endpoint misses something: the oldest that was not over": Effect.gen(
    function* () {
      const { claim, getMany, keepOutcomes } = yield* WebhookStore
      const found = (id: string) => Effect.map(getMany([id]), ([one]) => one?.missed_since)
      const idAt = (ms: number) => ({ id: firstIdAt("delivery", ms).replace(/0{8}$/, "ABCDEFGH") })
      const oldMs = dueMs - dayMs
      const owner = yield* ownEndpoint()
      yield* insertDue(owner, [-9], idAt(oldMs + 1))
      const [ended] = yield* claim(claimRequest())
      yield* insertDue(owner, [1], idAt(oldMs + 3))
      yield* insertDue(owner, [2], { status: "retrying", ...idAt(oldMs + 2) })
      yield* insertDue(owner, [3], { status: "failed", ...idAt(oldMs) })
      const { evidence } = ending(ended!)
      yield* keepOutcomes([{ delivery: { ...ended!, status: "succeeded" }, evidence }])
      assert.strictEqual(yield* found(owner.id), toTimestamp(oldMs + 2))
      const gone = yield* ownEndpoint()
      yield* insertDue(gone, [-9], idAt(oldMs + 4))
      const [last] = yield* claim(claimRequest())
      yield* keepOutcomes([ending(last!)])
      assert.strictEqual(yield* found(gone.id), toTimestamp(oldMs + 4))
    }
  ),

  "owes a notice with the outcome that it comes of, or neither": Effect.gen(function* () {
    const { settleNotices, takeNotices } = yield* WebhookStore
    const { attempts, endpoints, keep } = yield* owing([0])
    yield* rolledBack(keep)
    assert.deepStrictEqual(yield* takeNotices(taking(dueMs)), [])
    yield* keep
    assert.deepStrictEqual(yield* takeNotices(taking(dueMs - 1)), [])
    const notice = {
      webhookId: endpoints[0]!.id,
      accountId: endpoints[0]!.account_id,
      kind: "disabled",
      status: "disabled",
      reason: "gone",
      warnedPercent: 0,
      failingSince: toTimestamp(dueMs)
    } as const
    assert.deepStrictEqual(yield* takeNotices(taking(dueMs)), [
      { attempt_id: attempts[0]!, at_ms: dueMs, notice }
    ])
    yield* settleNotices([])
    yield* settleNotices([attempts[0]!, testId("attempt")])
    assert.deepStrictEqual(yield* takeNotices(taking(dueMs + 1_000)), [])
    // What it came of was kept before.
    assert.deepStrictEqual(yield* keep, [])
    assert.deepStrictEqual(yield* takeNotices(taking(dueMs + 1_000)), [])
  }),

  "gives a notice that was taken to nobody else until the lease has ended": Effect.gen(
    function* () {
      const { takeNotices } = yield* WebhookStore
      const { attempts, keep } = yield* owing([2, 0, 1])
      yield* keep
      const first = yield* takeNotices(taking(dueMs + 9, 2))
      assert.deepStrictEqual(idsOf(first), [attempts[1]!, attempts[2]!])
      const rest = Effect.map(takeNotices(taking(dueMs + 9)), idsOf)
      const taken = yield* Effect.all([rest, rest, rest], { concurrency: "unbounded" })
      assert.deepStrictEqual(taken.flat(), [attempts[0]!])
      assert.deepStrictEqual(yield* takeNotices(taking(dueMs + 68)), [])
      const again = yield* takeNotices(taking(dueMs + 69))
      assert.deepStrictEqual(idsOf(again).sort(), attempts.toSorted())
      yield* settleAll
    }
  )
}
