/**
 * The contract of `EndpointStore`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import type { WebhookEndpoint } from "../domain/WebhookEndpoint.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { DeliveryStore } from "../ports/DeliveryStore.ts"
import type { DeliveryQueue } from "../ports/DeliveryQueue.ts"
import type { Transactor } from "../ports/Transactor.ts"
import { refusalOf, registerSuite, type SuiteOptions } from "./conformance.ts"
import { endpointRecord } from "./records.ts"
import { testId } from "./testIds.ts"
import { removalTests, rolledBack, versionedTests } from "./versionedTests.ts"
import { claimDue, dueMs, insertDue, nextDueAtMs, ownEndpoint } from "./webhookRecords.ts"

const make = (accountId: string) => endpointRecord({ account_id: accountId })

const endpointTests = {
  "lists the account's endpoints that want an event, oldest first": Effect.gen(function* () {
    const { insert, listSubscribed } = yield* EndpointStore
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
    const { eraseSpentSecrets, getMany, insert, update } = yield* EndpointStore
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
    // A caller that read it before may write it: no version was spent.
    yield* update({ ...spent[0]!, description: "moved" })
    assert.strictEqual(yield* eraseSpentSecrets({ until, limit: 1_000 }), 1)
  }),

  "keeps which envelope an endpoint gets": Effect.gen(function* () {
    const { get, insert, update } = yield* EndpointStore
    const extended = yield* insert(endpointRecord({ payload: "extended" }))
    const found = Effect.map(get(extended.account_id, extended.id), Option.getOrThrow)
    assert.deepStrictEqual(yield* found, extended)
    const plain = yield* update({ ...extended, payload: "plain" })
    assert.strictEqual(plain.payload, "plain")
    assert.deepStrictEqual(yield* found, plain)
  }),

  "cancels what is unfinished when an endpoint is removed": Effect.gen(function* () {
    const { get: getDelivery, update: updateDelivery } = yield* DeliveryStore
    const { remove } = yield* EndpointStore
    const [gone, left] = [yield* ownEndpoint(), yield* ownEndpoint()]
    const sent = yield* insertDue(gone, [-9], { status: "succeeded" })
    yield* insertDue(gone, [-5])
    const sending = yield* claimDue()
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
    assert.deepStrictEqual(yield* nextDueAtMs, Option.some(dueMs + 3))
  }),

  "finds many endpoints at once, whosever they are": Effect.gen(function* () {
    const { getMany } = yield* EndpointStore
    const [one, other] = [yield* ownEndpoint(), yield* ownEndpoint()]
    const found = yield* getMany([one.id, testId("webhook"), other.id])
    assert.deepStrictEqual(found, [one, other])
    assert.deepStrictEqual(yield* getMany([]), [])
  }),

  "keeps the health of an endpoint, without a new version and without what callers change":
    Effect.gen(function* () {
      const { get, keepHealth } = yield* EndpointStore
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
      const { get, keepHealth, update } = yield* EndpointStore
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
  )
}

const tests = {
  ...versionedTests({
    store: EndpointStore,
    make,
    change: (endpoint, text) => ({ ...endpoint, description: text })
  }),
  ...removalTests({ store: EndpointStore, make }),
  ...endpointTests
}

/**
 * Registers the contract of `EndpointStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<DeliveryQueue | DeliveryStore | EndpointStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
