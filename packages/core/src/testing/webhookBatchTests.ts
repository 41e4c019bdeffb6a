/**
 * What deliveries that are made, replaced and finished by the batch owe a sender: what one by one
 * would give, in one step.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { toTimestamp } from "@candlewick/engine"
import { Effect, Option } from "effect"
import type { Delivery, WebhookEndpoint } from "../domain/WebhookEndpoint.ts"
import type { DeliveryOutcome } from "../domain/webhooks/foldOutcomes.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { deliveryRecord, endpointRecord, evidenceRecord, recordTime } from "./records.ts"
import { testId } from "./testIds.ts"
import { rolledBack } from "./versionedTests.ts"
import { claimRequest, dueMs, insertDue, ownEndpoint } from "./webhookRecords.ts"

const idsOf = (records: ReadonlyArray<{ readonly id: string }>) => records.map(({ id }) => id)

const sequencesOf = (deliveries: ReadonlyArray<Delivery>, { id }: WebhookEndpoint) =>
  deliveries.filter(({ webhook_id }) => webhook_id === id).map(({ sequence }) => sequence)

const succeeded = (delivery: Delivery): Delivery => ({
  ...delivery,
  status: "succeeded",
  leased_until_ms: null
})

const failing = (delivery: Delivery): DeliveryOutcome => ({
  delivery: succeeded(delivery),
  evidence: evidenceRecord()
})

const insertTests = {
  "finds many endpoints at once, whosever they are": Effect.gen(function* () {
    const { getMany } = yield* WebhookStore
    const [one, other] = [yield* ownEndpoint(), yield* ownEndpoint()]
    const found = yield* getMany([one.id, testId("webhook"), other.id])
    assert.deepStrictEqual(found, [one, other])
    assert.deepStrictEqual(yield* getMany([]), [])
  }),

  "makes many deliveries at once, numbered in their order": Effect.gen(function* () {
    const { getDelivery, insertDeliveries } = yield* WebhookStore
    const [one, other] = [yield* ownEndpoint(), yield* ownEndpoint()]
    yield* insertDue(one, [0])
    const records = [one, other, one, one, other].map((endpoint) => deliveryRecord(endpoint))
    const made = yield* insertDeliveries(records.toReversed())
    assert.deepStrictEqual(idsOf(made), idsOf(records).toReversed())
    assert.deepStrictEqual(sequencesOf(made, one), [2, 3, 4])
    assert.deepStrictEqual(sequencesOf(made, other), [1, 2])
    for (const delivery of made) {
      const kept = yield* getDelivery(delivery.webhook_id, delivery.id)
      assert.deepStrictEqual(kept, Option.some(delivery))
    }
    assert.deepStrictEqual(yield* insertDeliveries([]), [])
  }),

  "keeps texts of many deliveries as they are, a NUL included": Effect.gen(function* () {
    const { getDelivery, insertDeliveries, updateDeliveries } = yield* WebhookStore
    const endpoint = yield* ownEndpoint()
    const bodies = ["a\u0000b", '{"note":"\\u0000 ü ✓"}', "\ud800 alone", ""]
    const records = bodies.map((body) => deliveryRecord(endpoint, { body }))
    const made = yield* insertDeliveries(records)
    assert.deepStrictEqual(
      made.map(({ body }) => body),
      bodies
    )
    const changed = made.map((delivery) => ({ ...succeeded(delivery), created_at: recordTime }))
    assert.lengthOf(yield* updateDeliveries(changed), bodies.length)
    for (const [at, { id }] of made.entries()) {
      const kept = Option.getOrThrow(yield* getDelivery(endpoint.id, id))
      assert.strictEqual(kept.body, bodies[at])
    }
  }),

  "leaves out of many deliveries what is made, taken or has no endpoint": Effect.gen(function* () {
    const { insertDeliveries } = yield* WebhookStore
    const [one, other] = [yield* ownEndpoint(), yield* ownEndpoint()]
    const [taken] = yield* insertDue(one, [0])
    const first = deliveryRecord(one)
    const last = deliveryRecord(one)
    const made = yield* insertDeliveries([
      deliveryRecord(one, { event_id: taken!.event_id }),
      first,
      deliveryRecord(one, { event_id: first.event_id }),
      deliveryRecord(other, { id: taken!.id }),
      deliveryRecord(endpointRecord()),
      deliveryRecord({ ...one, account_id: testId("account") }),
      last
    ])
    assert.deepStrictEqual(made, [
      { ...first, sequence: 2 },
      { ...last, sequence: 3 }
    ])
  }),

  "makes each delivery once where batches meet, without a hole in the numbers": Effect.gen(
    function* () {
      const { insertDeliveries, listDeliveries } = yield* WebhookStore
      const endpoints = [yield* ownEndpoint(), yield* ownEndpoint()]
      const events = Array.from({ length: 6 }, () => testId("event"))
      const batch = (turn: number) => {
        const records = endpoints.flatMap((endpoint) =>
          events.map((event_id) => deliveryRecord(endpoint, { event_id }))
        )
        return insertDeliveries(turn % 2 === 0 ? records : records.toReversed())
      }
      const made = yield* Effect.forEach([0, 1, 2, 3, 4, 5], batch, { concurrency: "unbounded" })
      assert.lengthOf(made.flat(), 12)
      for (const { id } of endpoints) {
        const { items } = yield* listDeliveries(id, { limit: 50 })
        assert.deepStrictEqual(
          items.map(({ sequence }) => sequence).sort((one, next) => one - next),
          [1, 2, 3, 4, 5, 6]
        )
      }
    }
  ),

  "makes none of many deliveries in a transaction that failed": Effect.gen(function* () {
    const { insertDeliveries, listDeliveries } = yield* WebhookStore
    const endpoint = yield* ownEndpoint()
    const records = [deliveryRecord(endpoint), deliveryRecord(endpoint)]
    yield* rolledBack(insertDeliveries(records))
    assert.deepStrictEqual((yield* listDeliveries(endpoint.id, { limit: 9 })).items, [])
    assert.deepStrictEqual(sequencesOf(yield* insertDeliveries(records), endpoint), [1, 2])
  })
}

const updateTests = {
  "replaces many deliveries at once, and leaves out what changed or is gone": Effect.gen(
    function* () {
      const { getDelivery, updateDeliveries, updateDelivery } = yield* WebhookStore
      const endpoint = yield* ownEndpoint()
      const [first, changed, last] = yield* insertDue(endpoint, [0, 1, 2])
      const second = yield* updateDelivery({ ...changed!, due_at_ms: dueMs + 7 })
      const missing = { ...first!, id: testId("delivery") }
      const stray = { ...last!, webhook_id: testId("webhook") }
      const given = [last!, missing, changed!, stray, first!].map(succeeded)
      const kept = yield* updateDeliveries(given)
      assert.deepStrictEqual(kept, [
        { ...succeeded(last!), version: 2 },
        { ...succeeded(first!), version: 2 }
      ])
      for (const one of [...kept, second]) {
        assert.deepStrictEqual(yield* getDelivery(endpoint.id, one.id), Option.some(one))
      }
      assert.deepStrictEqual(yield* updateDeliveries([]), [])
    }
  ),

  "leaves bodies as they are where deliveries come without them, as they are listed": Effect.gen(
    function* () {
      const { getDelivery, listDeliveries, updateDeliveries } = yield* WebhookStore
      const endpoint = yield* ownEndpoint()
      const made = yield* insertDue(endpoint, [0, 1])
      const { items } = yield* listDeliveries(endpoint.id, { limit: 9 })
      assert.isTrue(items.every((listed) => !("body" in listed)))
      const later = items.map((listed) => ({ ...listed, due_at_ms: dueMs + 9 }))
      const kept = yield* updateDeliveries(later)
      assert.deepStrictEqual(
        kept,
        later.map((listed) => ({ ...listed, version: 2 }))
      )
      for (const one of made) {
        const next = { ...one, due_at_ms: dueMs + 9, version: 2 }
        assert.deepStrictEqual(yield* getDelivery(endpoint.id, one.id), Option.some(next))
      }
    }
  ),

  "keeps each delivery of one of many batches that meet": Effect.gen(function* () {
    const { updateDeliveries } = yield* WebhookStore
    const made = yield* insertDue(yield* ownEndpoint(), [0, 1, 2, 3, 4, 5, 6, 7])
    const batch = (turn: number) => {
      const changed = made.map((one) => ({ ...one, due_at_ms: dueMs + turn }))
      return updateDeliveries(turn % 2 === 0 ? changed : changed.toReversed())
    }
    const kept = yield* Effect.forEach([0, 1, 2, 3, 4, 5], batch, { concurrency: "unbounded" })
    assert.deepStrictEqual(idsOf(kept.flat()).sort(), idsOf(made).sort())
  })
}

const outcomeTests = {
  "keeps many outcomes, and judges the endpoint after each that was kept": Effect.gen(function* () {
    const { claim, get, getDelivery, keepOutcomes } = yield* WebhookStore
    const endpoint = yield* ownEndpoint()
    yield* insertDue(endpoint, [0, 1, 2])
    const claimed = yield* claim(claimRequest({ nowMs: dueMs + 2 }))
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
    const { claim, getMany, keepOutcomes } = yield* WebhookStore
    const endpoints = [yield* ownEndpoint(), yield* ownEndpoint()]
    for (const endpoint of endpoints) yield* insertDue(endpoint, [0, 0, 0, 0, 0, 0, 0, 0])
    const claimed = yield* claim(claimRequest())
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
      const { claim, getDelivery, keepOutcomes, remove } = yield* WebhookStore
      const endpoint = yield* ownEndpoint()
      yield* insertDue(endpoint, [0])
      const [claimed] = yield* claim(claimRequest())
      yield* remove(endpoint.account_id, endpoint.id)
      assert.deepStrictEqual(yield* keepOutcomes([failing(claimed!)]), [])
      const kept = Option.getOrThrow(yield* getDelivery(endpoint.id, claimed!.id))
      assert.strictEqual(kept.status, "cancelled")
    }
  )
}

/** The tests of batches. @category testing @since 0.1.0 */
export const webhookBatchTests = { ...insertTests, ...updateTests, ...outcomeTests }
