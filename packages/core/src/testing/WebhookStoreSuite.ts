/**
 * What every `WebhookStore` owes its callers.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { Transactor } from "../ports/Transactor.ts"
import type { WebhookEndpoint } from "../domain/WebhookEndpoint.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { refusalOf, registerSuite, scribble, sideBySide, type SuiteOptions } from "./conformance.ts"
import { attemptRecord, deliveryRecord, endpointRecord } from "./records.ts"
import { testId } from "./testIds.ts"
import { pagesOf, removalTests, rolledBack, versionedTests } from "./versionedTests.ts"
import { webhookBatchTests } from "./webhookBatchTests.ts"
import { webhookLimitTests } from "./webhookLimitTests.ts"
import { webhookNoticeTests } from "./webhookNoticeTests.ts"
import { webhookClaimTests } from "./webhookClaimTests.ts"
import { webhookReplayTests } from "./webhookReplayTests.ts"
import { claimRequest, dueMs, insertDue, listedOf, ownEndpoint } from "./webhookRecords.ts"

const make = (accountId: string) => endpointRecord({ account_id: accountId })

const endpointTests = {
  "lists the account's endpoints that want an event, oldest first": Effect.gen(function* () {
    const { insert, listSubscribed } = yield* WebhookStore
    const account_id = testId("account")
    const endpoints = [
      endpointRecord({ account_id }),
      endpointRecord({ account_id, status: "disabled", disabled_reason: "manual" }),
      endpointRecord({ account_id, events: ["alert.triggered"] }),
      endpointRecord({ account_id, events: ["alert.triggered", "trade.executed"] }),
      endpointRecord()
    ] as const
    for (const endpoint of endpoints.toReversed()) yield* insert(endpoint)
    assert.deepStrictEqual(yield* listSubscribed(account_id, "trade.executed"), [
      endpoints[0],
      endpoints[1],
      endpoints[3]
    ])
    assert.deepStrictEqual(yield* listSubscribed(account_id, "strategy.generated"), [])
  }),

  "erases secrets that may not sign any more, and changes nothing else": Effect.gen(function* () {
    const { eraseSpentSecrets, getMany, insert, update } = yield* WebhookStore
    const secrets = ["new", "old"] as const
    const rotated = (end: string) =>
      insert(
        endpointRecord({ secrets, service_secret: "previous", previous_secret_expires_at: end })
      )
    const until = "2020-01-02T00:00:00.000Z"
    const spent = [yield* rotated(until), yield* rotated("2020-01-01T00:00:00.000Z")]
    const signing = yield* rotated("2020-01-02T00:00:00.001Z")
    const found = (one: WebhookEndpoint) => Effect.map(getMany([one.id]), ([kept]) => kept)
    yield* rolledBack(eraseSpentSecrets({ until, limit: 1_000 }))
    assert.deepStrictEqual(yield* found(spent[0]!), spent[0])
    assert.strictEqual(yield* eraseSpentSecrets({ until, limit: 1 }), 1)
    assert.isAtLeast(yield* eraseSpentSecrets({ until, limit: 1_000 }), 1)
    for (const one of spent) {
      const erased = {
        ...one,
        secrets: ["new"] as const,
        service_secret: "newest" as const,
        previous_secret_expires_at: null
      }
      assert.deepStrictEqual(yield* found(one), erased)
    }
    assert.deepStrictEqual(yield* found(signing), signing)
    assert.strictEqual(yield* eraseSpentSecrets({ until, limit: 1_000 }), 0)
    // Whoever read it before may write it: no version was spent.
    yield* update({ ...spent[0]!, description: "moved" })
    assert.strictEqual(yield* eraseSpentSecrets({ until, limit: 1_000 }), 1)
  }),

  "keeps which envelope an endpoint gets": Effect.gen(function* () {
    const { get, insert, update } = yield* WebhookStore
    const extended = yield* insert(endpointRecord({ payload: "extended" }))
    const found = Effect.map(get(extended.account_id, extended.id), Option.getOrThrow)
    assert.deepStrictEqual(yield* found, extended)
    const plain = yield* update({ ...extended, payload: "plain" })
    assert.strictEqual(plain.payload, "plain")
    assert.deepStrictEqual(yield* found, plain)
  }),

  "cancels what is unfinished when an endpoint is removed": Effect.gen(function* () {
    const { claim, getDelivery, nextDueAt, remove, updateDelivery } = yield* WebhookStore
    const [gone, left] = [yield* ownEndpoint(), yield* ownEndpoint()]
    const sent = yield* insertDue(gone, [-9], { status: "succeeded" })
    yield* insertDue(gone, [-5])
    const sending = yield* claim(claimRequest())
    const waiting = [
      ...(yield* insertDue(gone, [1])),
      ...(yield* insertDue(gone, [2], { status: "retrying" }))
    ]
    yield* insertDue(left, [3])
    yield* rolledBack(remove(gone.account_id, gone.id))
    assert.deepStrictEqual(yield* getDelivery(gone.id, waiting[0]!.id), Option.some(waiting[0]!))
    yield* remove(gone.account_id, gone.id)
    for (const { id, version } of [...sending, ...waiting]) {
      const cancelled = Option.getOrThrow(yield* getDelivery(gone.id, id))
      assert.strictEqual(cancelled.status, "cancelled")
      assert.isNull(cancelled.leased_until_ms)
      assert.strictEqual(cancelled.version, version + 1)
    }
    assert.deepStrictEqual(yield* getDelivery(gone.id, sent[0]!.id), Option.some(sent[0]!))
    const late = { ...sending[0]!, status: "succeeded" as const }
    assert.strictEqual(yield* refusalOf(updateDelivery(late)), "VersionConflict")
    assert.deepStrictEqual(yield* nextDueAt, Option.some(dueMs + 3))
  })
}

const numberTests = {
  "numbers the deliveries of each endpoint from 1": Effect.gen(function* () {
    const { get, insertDelivery } = yield* WebhookStore
    const [one, other] = [yield* ownEndpoint(), yield* ownEndpoint()]
    const record = deliveryRecord(one)
    assert.deepStrictEqual(yield* insertDelivery({ ...record, version: 5 }), {
      ...record,
      sequence: 1,
      version: 1
    })
    assert.strictEqual((yield* insertDelivery(deliveryRecord(one))).sequence, 2)
    assert.strictEqual((yield* insertDelivery(deliveryRecord(other))).sequence, 1)
    const { sequence, version } = Option.getOrThrow(yield* get(one.account_id, one.id))
    assert.deepStrictEqual([sequence, version], [2, 1])
  }),

  "numbers on when the endpoint is replaced by one with an old number": Effect.gen(function* () {
    const { get, insertDelivery, update } = yield* WebhookStore
    const endpoint = yield* ownEndpoint()
    yield* insertDelivery(deliveryRecord(endpoint))
    const changed = yield* update({ ...endpoint, description: "moved" })
    assert.deepStrictEqual([changed.sequence, changed.version], [1, 2])
    assert.deepStrictEqual(yield* get(endpoint.account_id, endpoint.id), Option.some(changed))
    assert.strictEqual((yield* insertDelivery(deliveryRecord(endpoint))).sequence, 2)
  }),

  "keeps the health of an endpoint, without a new version and without what callers change":
    Effect.gen(function* () {
      const { get, keepHealth } = yield* WebhookStore
      const endpoint = yield* ownEndpoint()
      const health = {
        status: "failing",
        disabled_reason: null,
        disabled_at: "2026-01-15T10:00:00.000Z",
        warned_percent: 70,
        consecutive_failures: 11,
        last_success_at: "2026-01-15T09:00:00.000Z",
        last_failure_at: "2026-01-15T10:00:00.000Z",
        failing_since: "2026-01-15T09:30:00.000Z",
        held_until: "2026-01-15T10:00:30.000Z",
        repaired_at: "2026-01-15T09:10:00.000Z",
        missed_since: "2026-01-15T09:50:00.000Z"
      } as const
      yield* rolledBack(keepHealth({ ...endpoint, ...health }))
      assert.deepStrictEqual(yield* get(endpoint.account_id, endpoint.id), Option.some(endpoint))
      yield* keepHealth({ ...endpoint, ...health, url: "https://example.com/other", version: 9 })
      const kept = { ...endpoint, ...health }
      assert.deepStrictEqual(yield* get(endpoint.account_id, endpoint.id), Option.some(kept))
      yield* keepHealth({ ...kept, account_id: testId("account"), consecutive_failures: 0 })
      yield* keepHealth({ ...kept, id: testId("webhook") })
      assert.deepStrictEqual(yield* get(endpoint.account_id, endpoint.id), Option.some(kept))
    }),

  "leaves health as sending has found it when the endpoint is replaced by an old one": Effect.gen(
    function* () {
      const { get, keepHealth, update } = yield* WebhookStore
      const endpoint = yield* ownEndpoint()
      const gone = {
        ...endpoint,
        status: "disabled",
        disabled_reason: "gone",
        disabled_at: "2026-01-15T10:00:00.000Z"
      } as const
      yield* keepHealth(gone)
      const changed = yield* update({ ...endpoint, description: "moved", consecutive_failures: 3 })
      assert.deepStrictEqual(changed, { ...gone, description: "moved", version: 2 })
      assert.deepStrictEqual(yield* get(endpoint.account_id, endpoint.id), Option.some(changed))
    }
  ),

  "numbers deliveries without a hole when many are made at once": Effect.gen(function* () {
    const { insertDelivery } = yield* WebhookStore
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
      const { insertDelivery, listDeliveries } = yield* WebhookStore
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
    const { getDelivery, insertDelivery } = yield* WebhookStore
    const missing = deliveryRecord(endpointRecord())
    assert.strictEqual(yield* refusalOf(insertDelivery(missing)), "NotFound")
    const found = yield* getDelivery(missing.webhook_id, missing.id)
    assert.deepStrictEqual(found, Option.none())
  }),

  "refuses a delivery id that is taken": Effect.gen(function* () {
    const { insertDelivery } = yield* WebhookStore
    const [one, other] = [yield* ownEndpoint(), yield* ownEndpoint()]
    const [made] = yield* insertDue(one, [0])
    for (const endpoint of [one, other]) {
      const again = deliveryRecord(endpoint, { id: made!.id })
      assert.strictEqual(yield* refusalOf(insertDelivery(again)), "AlreadyExists")
    }
    assert.strictEqual((yield* insertDelivery(deliveryRecord(one))).sequence, 2)
  })
}

const deliveryTests = {
  "finds a delivery of its own endpoint only": Effect.gen(function* () {
    const { getDelivery } = yield* WebhookStore
    const [one, other] = [yield* ownEndpoint(), yield* ownEndpoint()]
    const [made] = yield* insertDue(one, [0])
    assert.deepStrictEqual(yield* getDelivery(one.id, made!.id), Option.some(made!))
    assert.deepStrictEqual(yield* getDelivery(other.id, made!.id), Option.none())
    assert.deepStrictEqual(yield* getDelivery(one.id, testId("delivery")), Option.none())
  }),

  "replaces a delivery and returns it with the next version": Effect.gen(function* () {
    const { getDelivery, updateDelivery } = yield* WebhookStore
    const endpoint = yield* ownEndpoint()
    const [made] = yield* insertDue(endpoint, [0])
    const changed = { ...made!, status: "retrying" as const, attempts: [attemptRecord()] }
    const second = yield* updateDelivery(changed)
    assert.deepStrictEqual(second, { ...changed, version: 2 })
    assert.deepStrictEqual(yield* getDelivery(endpoint.id, made!.id), Option.some(second))
  }),

  "refuses a stale version of a delivery and keeps the stored one": Effect.gen(function* () {
    const { getDelivery, updateDelivery } = yield* WebhookStore
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
    const { listDeliveries } = yield* WebhookStore
    const [one, other] = [yield* ownEndpoint(), yield* ownEndpoint()]
    const made = yield* insertDue(one, [3, 1, 2, 5, 4])
    yield* insertDue(other, [0])
    const pages = yield* pagesOf((page) => listDeliveries(one.id, page), 2)
    assert.deepStrictEqual(pages.flat(), listedOf(made.toReversed()))
    assert.lengthOf(pages, 3)
  }),

  "lists deliveries of one status or one event, in full pages": Effect.gen(function* () {
    const { listDeliveries } = yield* WebhookStore
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
    const { getDelivery, insertDelivery } = yield* WebhookStore
    const endpoint = yield* ownEndpoint()
    const record = deliveryRecord(endpoint)
    yield* rolledBack(insertDelivery(record))
    assert.deepStrictEqual(yield* getDelivery(endpoint.id, record.id), Option.none())
    assert.strictEqual((yield* insertDelivery(record)).sequence, 1)
  }),

  "lets a transaction go on after a refused delivery": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const { insertDelivery } = yield* WebhookStore
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
    const { getDelivery, insertDelivery } = yield* WebhookStore
    const endpoint = yield* ownEndpoint()
    const record = deliveryRecord(endpoint)
    const given = structuredClone(record)
    scribble(yield* insertDelivery(given))
    scribble(given)
    scribble(Option.getOrThrow(yield* getDelivery(endpoint.id, record.id)))
    assert.deepStrictEqual(
      yield* getDelivery(endpoint.id, record.id),
      Option.some({ ...record, sequence: 1 })
    )
  })
}

const tests = {
  ...versionedTests({
    store: WebhookStore,
    make,
    change: (endpoint, text) => ({ ...endpoint, description: text })
  }),
  ...removalTests({ store: WebhookStore, make }),
  ...endpointTests,
  ...numberTests,
  ...deliveryTests,
  ...webhookBatchTests,
  ...webhookLimitTests,
  ...webhookNoticeTests,
  ...webhookClaimTests,
  ...webhookReplayTests
}

/**
 * Registers the contract of `WebhookStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<WebhookStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
