import {
  DeliveryStore,
  EndpointStore,
  Ids,
  Limits,
  toTimestamp,
  WebhookEndpoints,
  type WebhookRequest
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Struct } from "effect"
import { countingTransport, in2026, itIs2026, nowMs, refusal, refusalCode } from "./setting.ts"

const App = WebhookEndpoints.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Ids.layer, countingTransport)),
  Layer.provideMerge(MemoryStore.layer),
  Layer.provide(in2026)
)

const request: WebhookRequest = { url: "https://example.com/hook", events: ["trade.executed"] }

const accountIds = Effect.flatMap(Ids, (ids) =>
  Effect.all([ids.make("account"), ids.make("account")])
)

describe("WebhookEndpoints", () => {
  it.effect("shows the secret once, and its last four characters ever after", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const webhooks = yield* WebhookEndpoints
      const [mine] = yield* accountIds
      const { secret, ...shown } = yield* webhooks.register(mine, request)
      assert.strictEqual(shown.secret_hint, secret.slice(-4))
      assert.deepInclude(shown, {
        ...request,
        status: "active",
        description: null,
        max_concurrency: 4,
        created_at: "2026-01-15T09:30:12.345Z"
      })
      const found = yield* webhooks.get(mine, shown.id)
      assert.deepStrictEqual(found, shown)
      assert.doesNotHaveAnyKeys(found, ["secrets", "secret", "sequence"])
      assert.deepStrictEqual((yield* webhooks.list(mine, { limit: 10 })).items, [shown])
    }).pipe(Effect.provide(App))
  )

  it.effect("refuses an address that can't be reached, at first and later", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookEndpoints
      const [mine] = yield* accountIds
      const url = "https://intranet/hook"
      const refused = webhooks.register(mine, { ...request, url })
      assert.strictEqual(yield* refusalCode(refused), "url_not_allowed")
      assert.lengthOf((yield* webhooks.list(mine, { limit: 10 })).items, 0)
      const made = yield* webhooks.register(mine, request)
      const moved = webhooks.update(mine, made.id, { url })
      assert.strictEqual(yield* refusalCode(moved), "url_not_allowed")
      assert.strictEqual((yield* webhooks.get(mine, made.id)).url, request.url)
    }).pipe(Effect.provide(App))
  )

  it.effect("takes back the description that it shows where there is none", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookEndpoints
      const [mine] = yield* accountIds
      const made = yield* webhooks.register(mine, { ...request, description: null })
      yield* webhooks.update(mine, made.id, { description: "orders" })
      const { description } = yield* webhooks.update(mine, made.id, { description: null })
      assert.isNull(description)
    }).pipe(Effect.provide(App))
  )

  it.effect("holds an account to its number of webhooks", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookEndpoints
      const [mine, theirs] = yield* accountIds
      for (let count = 0; count < Limits.webhooksPerAccountMax; count++) {
        yield* webhooks.register(mine, request)
      }
      assert.strictEqual(yield* refusalCode(webhooks.register(mine, request)), "quota_exceeded")
      yield* webhooks.register(theirs, request)
    }).pipe(Effect.provide(App))
  )

  it.effect("shows, changes and removes the account's own endpoints only", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookEndpoints
      const [mine, theirs] = yield* accountIds
      const { id } = yield* webhooks.register(mine, request)
      assert.strictEqual(yield* refusalCode(webhooks.get(theirs, id)), "not_found")
      assert.strictEqual(yield* refusalCode(webhooks.update(theirs, id, {})), "not_found")
      assert.strictEqual(yield* refusalCode(webhooks.remove(theirs, id)), "not_found")
      const log = webhooks.deliveries(theirs, id, { limit: 10 })
      assert.strictEqual(yield* refusalCode(log), "not_found")
      assert.lengthOf((yield* webhooks.list(theirs, { limit: 10 })).items, 0)
      yield* webhooks.remove(mine, id)
      assert.strictEqual(yield* refusalCode(webhooks.get(mine, id)), "not_found")
    }).pipe(Effect.provide(App))
  )

  it.effect("forgives past failures when it is set active, and says who disabled it", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookEndpoints
      const store = yield* EndpointStore
      const [mine] = yield* accountIds
      const { secret, ...made } = yield* webhooks.register(mine, request)
      const { secret_hint } = made
      yield* store.keepHealth({
        ...made,
        warned_percent: 90,
        repaired_at: null,
        missed_since: null,
        status: "disabled",
        disabled_reason: "failing",
        consecutive_failures: 12,
        failing_since: toTimestamp(nowMs),
        secrets: [secret],
        sealed_url: null,
        sequence: 7
      })
      const active = yield* webhooks.update(mine, made.id, { status: "active" })
      assert.deepInclude(active, {
        status: "active",
        disabled_reason: null,
        consecutive_failures: 0,
        failing_since: null,
        secret_hint
      })
      const disabled = yield* webhooks.update(mine, made.id, { status: "disabled" })
      assert.deepInclude(disabled, { status: "disabled", disabled_reason: "manual" })
    }).pipe(Effect.provide(App))
  )

  it.effect("changes what is named and keeps the rest, the secret included", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookEndpoints
      const [mine] = yield* accountIds
      const { secret, ...made } = yield* webhooks.register(mine, request)
      const changed = yield* webhooks.update(
        mine,
        made.id,
        { url: "https://example.org/", description: "orders", max_concurrency: 1 },
        made.version
      )
      assert.deepStrictEqual(changed, {
        ...made,
        url: "https://example.org/",
        description: "orders",
        max_concurrency: 1,
        version: made.version + 1
      })
      const stale = webhooks.update(mine, made.id, { description: "" }, made.version)
      assert.strictEqual(yield* refusalCode(stale), "precondition_failed")
      const kept = yield* (yield* EndpointStore).get(mine, made.id)
      assert.deepInclude(JSON.stringify(kept), secret)
    }).pipe(Effect.provide(App))
  )

  it.effect("sends the three keys unless more is asked for, and again once it is replaced", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookEndpoints
      const [mine] = yield* accountIds
      const plain = yield* webhooks.register(mine, request)
      assert.strictEqual(plain.payload, "plain")
      const { id, payload } = yield* webhooks.register(mine, { ...request, payload: "extended" })
      assert.strictEqual(payload, "extended")
      const sample = yield* webhooks.test(mine, id)
      const bodyOf = Effect.map(webhooks.delivery(mine, id, sample.id), ({ body }) => body)
      const before = yield* bodyOf
      const { event, event_id } = sample
      assert.deepInclude(JSON.parse(before), { id: event_id, type: event, event })
      const moved = yield* webhooks.update(mine, id, { description: "orders" })
      assert.strictEqual(moved.payload, "extended")
      const replaced = yield* webhooks.replace(mine, id, request)
      assert.strictEqual(replaced.payload, "plain")
      assert.strictEqual(yield* bodyOf, before)
      const next = yield* webhooks.test(mine, id)
      const { body } = yield* webhooks.delivery(mine, id, next.id)
      assert.hasAllKeys(JSON.parse(body), ["event", "timestamp", "data"])
    }).pipe(Effect.provide(App))
  )

  it.effect("keeps a header whose masked value is sent back, and takes no mask for a value", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookEndpoints
      const store = yield* EndpointStore
      const [mine] = yield* accountIds
      const headers = { Authorization: "Bearer of news", "x-team": "desk" }
      const made = yield* webhooks.register(mine, { ...request, headers })
      const { headers: masked } = yield* webhooks.get(mine, made.id)
      yield* webhooks.replace(mine, made.id, { ...request, headers: masked })
      const kept = Effect.map(store.getMany([made.id]), ([found]) => found!.headers)
      assert.deepStrictEqual(yield* kept, { authorization: "Bearer of news", "x-team": "desk" })
      const some = { AUTHORIZATION: "********", "x-team": "night" }
      yield* webhooks.update(mine, made.id, { headers: some })
      assert.deepStrictEqual(yield* kept, { authorization: "Bearer of news", "x-team": "night" })
      const unknown = { headers: { "x-other": "********" } }
      const refused = yield* refusal(webhooks.update(mine, made.id, unknown))
      assert.deepInclude(refused, { code: "validation_failed" })
      assert.deepInclude(refused.errors![0], { pointer: "/headers/x-other", code: "not_allowed" })
      const first = webhooks.register(mine, { ...request, ...unknown })
      assert.strictEqual(yield* refusalCode(first), "validation_failed")
      assert.deepStrictEqual(yield* kept, { authorization: "Bearer of news", "x-team": "night" })
    }).pipe(Effect.provide(App))
  )

  it.effect("lists the deliveries to an endpoint", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookEndpoints
      const ids = yield* Ids
      const [mine] = yield* accountIds
      const { id } = yield* webhooks.register(mine, request)
      const delivery = yield* (yield* DeliveryStore).insert({
        id: yield* ids.make("delivery"),
        account_id: mine,
        webhook_id: id,
        event_id: yield* ids.make("event"),
        event: "trade.executed",
        test: false,
        earlier_attempts: 0,
        body: "{}",
        status: "pending",
        attempts: [],
        due_in_ms: 0,
        leased_until_ms: null,
        version: 1,
        created_at: toTimestamp(nowMs),
        updated_at: toTimestamp(nowMs)
      })
      const all = yield* webhooks.deliveries(mine, id, { limit: 10 })
      const { body, ...kept } = delivery
      const internal = ["account_id", "due_at_ms", "earlier_attempts", "leased_until_ms"] as const
      const shown = { ...Struct.omit(kept, internal), next_attempt_at: toTimestamp(nowMs) }
      assert.deepStrictEqual(all.items, [shown])
      const alone = yield* webhooks.delivery(mine, id, delivery.id)
      assert.strictEqual(alone.body, body)
      const failed = yield* webhooks.deliveries(mine, id, { limit: 10, status: "failed" })
      assert.lengthOf(failed.items, 0)
    }).pipe(Effect.provide(App))
  )
})
