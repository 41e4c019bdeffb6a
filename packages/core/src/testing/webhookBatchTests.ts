/**
 * The duties of batches that make and replace deliveries: the results of one by one, in one step.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { Delivery, WebhookEndpoint } from "../domain/WebhookEndpoint.ts"
import { DeliveryStore } from "../ports/DeliveryStore.ts"
import { deliveryRecord, endpointRecord, recordTime } from "./records.ts"
import { testId } from "./testIds.ts"
import { rolledBack } from "./versionedTests.ts"
import { dueMs, insertDue, madeOf, ownEndpoint, succeeded } from "./webhookRecords.ts"

const idsOf = (records: ReadonlyArray<{ readonly id: string }>) => records.map(({ id }) => id)

const sequencesOf = (deliveries: ReadonlyArray<Delivery>, { id }: WebhookEndpoint) =>
  deliveries.filter(({ webhook_id }) => webhook_id === id).map(({ sequence }) => sequence)

const insertTests = {
  "makes many deliveries at once, numbered in their order": Effect.gen(function* () {
    const { get: getDelivery, insertMany: insertDeliveries } = yield* DeliveryStore
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
    const {
      get: getDelivery,
      insertMany: insertDeliveries,
      updateMany: updateDeliveries
    } = yield* DeliveryStore
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
    const { insertMany: insertDeliveries } = yield* DeliveryStore
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
    assert.deepStrictEqual(made, [madeOf(first, 2), madeOf(last, 3)])
  }),

  "makes each delivery once where batches meet, without a hole in the numbers": Effect.gen(
    function* () {
      const { insertMany: insertDeliveries, list: listDeliveries } = yield* DeliveryStore
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
    const { insertMany: insertDeliveries, list: listDeliveries } = yield* DeliveryStore
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
      const {
        get: getDelivery,
        update: updateDelivery,
        updateMany: updateDeliveries
      } = yield* DeliveryStore
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
      const {
        get: getDelivery,
        list: listDeliveries,
        updateMany: updateDeliveries
      } = yield* DeliveryStore
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
    const { updateMany: updateDeliveries } = yield* DeliveryStore
    const made = yield* insertDue(yield* ownEndpoint(), [0, 1, 2, 3, 4, 5, 6, 7])
    const batch = (turn: number) => {
      const changed = made.map((one) => ({ ...one, due_at_ms: dueMs + turn }))
      return updateDeliveries(turn % 2 === 0 ? changed : changed.toReversed())
    }
    const kept = yield* Effect.forEach([0, 1, 2, 3, 4, 5], batch, { concurrency: "unbounded" })
    assert.deepStrictEqual(idsOf(kept.flat()).sort(), idsOf(made).sort())
  })
}

/** The tests of batches. @category testing @since 0.1.0 */
export const webhookBatchTests = { ...insertTests, ...updateTests }
