/**
 * The contract of `DeliveryStore`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { DeliveryStore } from "../ports/DeliveryStore.ts"
import type { DeliveryQueue } from "../ports/DeliveryQueue.ts"
import { Transactor } from "../ports/Transactor.ts"
import {
  refusalOf,
  registerSuite,
  overwrite,
  sideBySide,
  type SuiteOptions
} from "./conformance.ts"
import { attemptRecord, deliveryRecord, endpointRecord } from "./records.ts"
import { testId } from "./testIds.ts"
import { pagesOf, rolledBack } from "./versionedTests.ts"
import { webhookBatchTests } from "./webhookBatchTests.ts"
import { dueMs, insertDue, listedOf, madeOf, ownEndpoint } from "./webhookRecords.ts"

const idsOf = (records: ReadonlyArray<{ readonly id: string }>) => records.map(({ id }) => id)

const deliveryTests = {
  "numbers the deliveries of each endpoint from 1": Effect.gen(function* () {
    const { insert: insertDelivery } = yield* DeliveryStore
    const { get } = yield* EndpointStore
    const [one, other] = [yield* ownEndpoint(), yield* ownEndpoint()]
    const record = deliveryRecord(one)
    const made = yield* insertDelivery({ ...record, version: 5 })
    assert.deepStrictEqual(made, madeOf(record, 1))
    assert.strictEqual((yield* insertDelivery(deliveryRecord(one))).sequence, 2)
    assert.strictEqual((yield* insertDelivery(deliveryRecord(other))).sequence, 1)
    const { sequence, version } = Option.getOrThrow(yield* get(one.account_id, one.id))
    assert.deepStrictEqual([sequence, version], [2, 1])
  }),

  "numbers on when the endpoint is replaced by one with an old number": Effect.gen(function* () {
    const { insert: insertDelivery } = yield* DeliveryStore
    const { get, update } = yield* EndpointStore
    const endpoint = yield* ownEndpoint()
    yield* insertDelivery(deliveryRecord(endpoint))
    const changed = yield* update({ ...endpoint, description: "moved" })
    assert.deepStrictEqual([changed.sequence, changed.version], [1, 2])
    assert.deepStrictEqual(yield* get(endpoint.account_id, endpoint.id), Option.some(changed))
    assert.strictEqual((yield* insertDelivery(deliveryRecord(endpoint))).sequence, 2)
  }),

  "numbers deliveries without a hole when many are made at once": Effect.gen(function* () {
    const { insert: insertDelivery } = yield* DeliveryStore
    const endpoint = yield* ownEndpoint()
    const records = Array.from({ length: 12 }, () => deliveryRecord(endpoint))
    const made = yield* Effect.forEach(records, insertDelivery, { concurrency: "unbounded" })
    const numbers = made.map(({ sequence }) => sequence).sort((one, other) => one - other)
    assert.deepStrictEqual(
      numbers,
      records.map((_, index) => index + 1)
    )
  }),

  "makes one delivery of an event to an endpoint, however often it is asked": Effect.gen(
    function* () {
      const { insert: insertDelivery, list: listDeliveries } = yield* DeliveryStore
      const [one, other] = [yield* ownEndpoint(), yield* ownEndpoint()]
      const event_id = testId("event")
      const made = yield* Effect.all(
        Array.from({ length: 6 }, () => insertDelivery(deliveryRecord(one, { event_id }))),
        { concurrency: "unbounded" }
      )
      for (const delivery of made) assert.deepStrictEqual(delivery, made[0]!)
      const { items } = yield* listDeliveries(one.id, { limit: 9 })
      assert.deepStrictEqual(items, listedOf([made[0]!]))
      assert.strictEqual((yield* insertDelivery(deliveryRecord(one))).sequence, 2)
      const others = yield* insertDelivery(deliveryRecord(other, { event_id }))
      assert.strictEqual(others.webhook_id, other.id)
    }
  ),

  "refuses a delivery to an endpoint that is not there": Effect.gen(function* () {
    const { get: getDelivery, insert: insertDelivery } = yield* DeliveryStore
    const missing = deliveryRecord(endpointRecord())
    assert.strictEqual(yield* refusalOf(insertDelivery(missing)), "NotFound")
    const found = yield* getDelivery(missing.webhook_id, missing.id)
    assert.deepStrictEqual(found, Option.none())
  }),

  "refuses a delivery id that is taken": Effect.gen(function* () {
    const { insert: insertDelivery } = yield* DeliveryStore
    const [one, other] = [yield* ownEndpoint(), yield* ownEndpoint()]
    const [made] = yield* insertDue(one, [0])
    for (const endpoint of [one, other]) {
      const again = deliveryRecord(endpoint, { id: made!.id })
      assert.strictEqual(yield* refusalOf(insertDelivery(again)), "AlreadyExists")
    }
    assert.strictEqual((yield* insertDelivery(deliveryRecord(one))).sequence, 2)
  }),

  "finds a delivery of its own endpoint only": Effect.gen(function* () {
    const { get: getDelivery } = yield* DeliveryStore
    const [one, other] = [yield* ownEndpoint(), yield* ownEndpoint()]
    const [made] = yield* insertDue(one, [0])
    assert.deepStrictEqual(yield* getDelivery(one.id, made!.id), Option.some(made!))
    assert.deepStrictEqual(yield* getDelivery(other.id, made!.id), Option.none())
    assert.deepStrictEqual(yield* getDelivery(one.id, testId("delivery")), Option.none())
  }),

  "replaces a delivery and returns it with the next version": Effect.gen(function* () {
    const { get: getDelivery, update: updateDelivery } = yield* DeliveryStore
    const endpoint = yield* ownEndpoint()
    const [made] = yield* insertDue(endpoint, [0])
    const changed = { ...made!, status: "retrying" as const, attempts: [attemptRecord()] }
    const second = yield* updateDelivery(changed)
    assert.deepStrictEqual(second, { ...changed, version: 2 })
    assert.deepStrictEqual(yield* getDelivery(endpoint.id, made!.id), Option.some(second))
  }),

  "refuses a stale version of a delivery and keeps the stored one": Effect.gen(function* () {
    const { get: getDelivery, update: updateDelivery } = yield* DeliveryStore
    const endpoint = yield* ownEndpoint()
    const [made] = yield* insertDue(endpoint, [0])
    const writers = Array.from({ length: 6 }, (_, index) =>
      updateDelivery({ ...made!, due_at_ms: dueMs + index })
    )
    const { kept, refusals } = yield* sideBySide(writers)
    assert.lengthOf(kept, 1)
    assert.deepStrictEqual(
      refusals,
      Array.from({ length: 5 }, () => "VersionConflict" as const)
    )
    assert.deepStrictEqual(yield* getDelivery(endpoint.id, made!.id), Option.some(kept[0]!))
    const missing = { ...made!, id: testId("delivery") }
    assert.strictEqual(yield* refusalOf(updateDelivery(missing)), "NotFound")
  }),

  "lists an endpoint's deliveries in pages, newest first": Effect.gen(function* () {
    const { list: listDeliveries } = yield* DeliveryStore
    const [one, other] = [yield* ownEndpoint(), yield* ownEndpoint()]
    const made = yield* insertDue(one, [3, 1, 2, 5, 4])
    yield* insertDue(other, [0])
    const pages = yield* pagesOf((page) => listDeliveries(one.id, page), 2)
    assert.deepStrictEqual(pages.flat(), listedOf(made.toReversed()))
    assert.lengthOf(pages, 3)
  }),

  "lists deliveries of one status or one event, in full pages": Effect.gen(function* () {
    const { list: listDeliveries } = yield* DeliveryStore
    const endpoint = yield* ownEndpoint()
    const kinds = [
      { status: "failed", event: "trade.executed" },
      { status: "pending", event: "trade.executed" },
      { status: "failed", event: "backtest.complete" }
    ] as const
    const made = []
    for (let index = 0; index < 9; index++) {
      made.push(...(yield* insertDue(endpoint, [index], kinds[index % 3])))
    }
    const status = "failed"
    const event = "trade.executed"
    const of = (filter: { readonly status?: "failed"; readonly event?: "trade.executed" }) =>
      pagesOf((page) => listDeliveries(endpoint.id, { ...page, ...filter }), 2)
    const newest = listedOf(made.toReversed())
    const failed = newest.filter((one) => one.status === status)
    const trades = newest.filter((one) => one.event === event)
    assert.deepStrictEqual((yield* of({ status })).flat(), failed)
    assert.deepStrictEqual((yield* of({ event })).flat(), trades)
    const both = yield* of({ status, event })
    assert.deepStrictEqual(
      both.map(({ length }) => length),
      [2, 1]
    )
    assert.deepStrictEqual(
      both.flat(),
      failed.filter((one) => one.event === event)
    )
  }),

  "makes no delivery and no number in a transaction that failed": Effect.gen(function* () {
    const { get: getDelivery, insert: insertDelivery } = yield* DeliveryStore
    const endpoint = yield* ownEndpoint()
    const record = deliveryRecord(endpoint)
    yield* rolledBack(insertDelivery(record))
    assert.deepStrictEqual(yield* getDelivery(endpoint.id, record.id), Option.none())
    assert.strictEqual((yield* insertDelivery(record)).sequence, 1)
  }),

  "lets a transaction go on after a refused delivery": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const { insert: insertDelivery } = yield* DeliveryStore
    const endpoint = yield* ownEndpoint()
    const [taken] = yield* insertDue(endpoint, [0])
    const next = yield* transact(
      Effect.gen(function* () {
        const again = deliveryRecord(endpoint, { id: taken!.id })
        assert.strictEqual(yield* refusalOf(insertDelivery(again)), "AlreadyExists")
        return yield* insertDelivery(deliveryRecord(endpoint))
      })
    )
    assert.strictEqual(next.sequence, 2)
  }),

  "keeps deliveries as they were given, whatever callers do to theirs": Effect.gen(function* () {
    const { get: getDelivery, insert: insertDelivery } = yield* DeliveryStore
    const endpoint = yield* ownEndpoint()
    const record = deliveryRecord(endpoint)
    const given = structuredClone(record)
    overwrite(yield* insertDelivery(given))
    overwrite(given)
    overwrite(Option.getOrThrow(yield* getDelivery(endpoint.id, record.id)))
    assert.deepStrictEqual(
      yield* getDelivery(endpoint.id, record.id),
      Option.some(madeOf(record, 1))
    )
  }),

  "removes finished deliveries below an id, a few at a time": Effect.gen(function* () {
    const {
      get: getDelivery,
      list: listDeliveries,
      removeFinished: removeDeliveries
    } = yield* DeliveryStore
    const endpoint = yield* ownEndpoint()
    const old = yield* insertDue(endpoint, [1, 2, 3], { status: "failed" })
    const [waiting] = yield* insertDue(endpoint, [4])
    const [young] = yield* insertDue(endpoint, [5], { status: "succeeded" })
    let removed = 0
    for (let count = 1; count > 0; removed += count) {
      count = yield* removeDeliveries({ before: young!.id, limit: 2 })
      assert.isAtMost(count, 2)
    }
    assert.isAtLeast(removed, old.length)
    for (const { id } of old) {
      assert.deepStrictEqual(yield* getDelivery(endpoint.id, id), Option.none())
    }
    const { items } = yield* listDeliveries(endpoint.id, { limit: 9 })
    assert.deepStrictEqual(idsOf(items), [young!.id, waiting!.id])
  }),

  "lists deliveries down to an id, which is left out": Effect.gen(function* () {
    const { list: listDeliveries } = yield* DeliveryStore
    const endpoint = yield* ownEndpoint()
    const made = yield* insertDue(endpoint, [1, 2, 3, 4])
    const page = { limit: 2, after: made[0]!.id }
    const first = yield* listDeliveries(endpoint.id, page)
    assert.deepStrictEqual(idsOf(first.items), [made[3]!.id, made[2]!.id])
    const rest = yield* listDeliveries(endpoint.id, { ...page, before: first.next! })
    assert.deepStrictEqual(rest, { items: listedOf([made[1]!]), next: null })
  })
}

const tests = { ...deliveryTests, ...webhookBatchTests }

/**
 * Registers the contract of `DeliveryStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<DeliveryQueue | DeliveryStore | EndpointStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
