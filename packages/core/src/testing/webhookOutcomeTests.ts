/**
 * The duties of attempts' outcomes to a sender: they are kept with the judgement of their endpoints
 * in one step.
 *
 * @since 0.1.0
 */
import { toTimestamp } from "@candlewick/engine"
import { dayMs } from "@candlewick/engine/kernel"
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { firstIdAt } from "../domain/Identifier.ts"
import type { Delivery } from "../domain/WebhookEndpoint.ts"
import type { DeliveryOutcome } from "../domain/webhooks/foldOutcomes.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { DeliveryStore } from "../ports/DeliveryStore.ts"
import { DeliveryQueue } from "../ports/DeliveryQueue.ts"
import { evidenceRecord, recordTime } from "./records.ts"
import { rolledBack } from "./versionedTests.ts"
import { claimDue, dueMs, ending, insertDue, ownEndpoint, succeeded } from "./webhookRecords.ts"

const idsOf = (records: ReadonlyArray<{ readonly id: string }>) => records.map(({ id }) => id)

const failing = (delivery: Delivery): DeliveryOutcome => ({
  delivery: succeeded(delivery),
  evidence: evidenceRecord()
})

/** The tests of outcomes. @category testing @since 0.1.0 */
export const webhookOutcomeTests = {
  "keeps many outcomes, and judges the endpoint after each that was kept": Effect.gen(function* () {
    const { keepOutcomes } = yield* DeliveryQueue
    const { get: getDelivery } = yield* DeliveryStore
    const { get } = yield* EndpointStore
    const endpoint = yield* ownEndpoint()
    yield* insertDue(endpoint, [0, 1, 2])
    const claimed = yield* claimDue({ nowMs: dueMs + 2 })
    const stale = { ...claimed[1]!, version: 1 }
    const outcomes = [
      failing(claimed[2]!),
      failing(stale),
      { ...failing(claimed[0]!), evidence: evidenceRecord({ endedAtMs: dueMs + 9 }) }
    ]
    yield* rolledBack(keepOutcomes(outcomes))
    assert.deepStrictEqual(
      yield* get(endpoint.account_id, endpoint.id),
      Option.some({ ...endpoint, sequence: 3 })
    )
    const kept = yield* keepOutcomes(outcomes)
    assert.deepStrictEqual(idsOf(kept), [claimed[2]!.id, claimed[0]!.id])
    assert.deepStrictEqual(
      yield* get(endpoint.account_id, endpoint.id),
      Option.some({
        ...endpoint,
        sequence: 3,
        consecutive_failures: 2,
        failing_since: recordTime,
        last_failure_at: toTimestamp(dueMs + 9)
      })
    )
    for (const one of [...kept, claimed[1]!]) {
      assert.deepStrictEqual(yield* getDelivery(endpoint.id, one.id), Option.some(one))
    }
    assert.deepStrictEqual(yield* keepOutcomes([]), [])
  }),

  "loses no judgement where many attempts end at once": Effect.gen(function* () {
    const { keepOutcomes } = yield* DeliveryQueue
    const { getMany } = yield* EndpointStore
    const endpoints = [yield* ownEndpoint(), yield* ownEndpoint()]
    for (const endpoint of endpoints) yield* insertDue(endpoint, [0, 0, 0, 0, 0, 0, 0, 0])
    const claimed = yield* claimDue()
    yield* Effect.forEach(
      claimed.filter((_, index) => index % 2 === 0),
      (delivery, index) => {
        const other = claimed[2 * index + 1]!
        const pair = index % 2 === 0 ? [delivery, other] : [other, delivery]
        return keepOutcomes(pair.map(failing))
      },
      { concurrency: "unbounded" }
    )
    const judged = yield* getMany(idsOf(endpoints))
    assert.deepStrictEqual(
      judged.map((endpoint) => endpoint.consecutive_failures),
      [8, 8]
    )
  }),

  "keeps the outcome of a delivery whose endpoint is gone as that of one that changed": Effect.gen(
    function* () {
      const { keepOutcomes } = yield* DeliveryQueue
      const { get: getDelivery } = yield* DeliveryStore
      const { remove } = yield* EndpointStore
      const endpoint = yield* ownEndpoint()
      yield* insertDue(endpoint, [0])
      const [claimed] = yield* claimDue()
      yield* remove(endpoint.account_id, endpoint.id)
      assert.deepStrictEqual(yield* keepOutcomes([failing(claimed!)]), [])
      const kept = Option.getOrThrow(yield* getDelivery(endpoint.id, claimed!.id))
      assert.strictEqual(kept.status, "cancelled")
    }
  ),

  "cancels what waits for an endpoint in the step that disables it": Effect.gen(function* () {
    const { keepOutcomes } = yield* DeliveryQueue
    const { get: getDelivery } = yield* DeliveryStore
    const [gone, left] = [yield* ownEndpoint(), yield* ownEndpoint()]
    yield* insertDue(gone, [-9, -8])
    const [ended, underWay] = yield* claimDue()
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
      const { keepOutcomes } = yield* DeliveryQueue
      const { get: getDelivery } = yield* DeliveryStore
      const gone = yield* ownEndpoint()
      yield* insertDue(gone, [-9, -8, -7])
      const [first, ended, last] = yield* claimDue()
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
      const { keepOutcomes } = yield* DeliveryQueue
      const { getMany } = yield* EndpointStore
      const found = (id: string) => Effect.map(getMany([id]), ([one]) => one?.missed_since)
      const idAt = (ms: number) => ({ id: firstIdAt("delivery", ms).replace(/0{8}$/, "ABCDEFGH") })
      const oldMs = dueMs - dayMs
      const owner = yield* ownEndpoint()
      yield* insertDue(owner, [-9], idAt(oldMs + 1))
      const [ended] = yield* claimDue()
      yield* insertDue(owner, [1], idAt(oldMs + 3))
      yield* insertDue(owner, [2], { status: "retrying", ...idAt(oldMs + 2) })
      yield* insertDue(owner, [3], { status: "failed", ...idAt(oldMs) })
      const { evidence } = ending(ended!)
      yield* keepOutcomes([{ delivery: { ...ended!, status: "succeeded" }, evidence }])
      assert.strictEqual(yield* found(owner.id), toTimestamp(oldMs + 2))
      const gone = yield* ownEndpoint()
      yield* insertDue(gone, [-9], idAt(oldMs + 4))
      const [last] = yield* claimDue()
      yield* keepOutcomes([ending(last!)])
      assert.strictEqual(yield* found(gone.id), toTimestamp(oldMs + 4))
    }
  )
}
