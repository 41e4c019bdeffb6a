import {
  type Delivery,
  DeliveryStore,
  EndpointStore,
  Ids,
  makeEncryptionKey,
  parseEncryptionKeys,
  type ReplayRequest,
  sealWith,
  SecretBox,
  toTimestamp,
  WebhookEndpoints,
  type WebhookRequest
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { countingTransport, in2026, itIs2026, nowMs, refusal, refusalCode } from "./setting.ts"

const App = WebhookEndpoints.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Ids.layer, countingTransport)),
  Layer.provideMerge(MemoryStore.layer),
  Layer.provide(in2026)
)

const request: WebhookRequest = { url: "https://example.com/hook", events: ["trade.executed"] }

const registered = Effect.gen(function* () {
  yield* itIs2026
  const webhooks = yield* WebhookEndpoints
  const store = yield* EndpointStore
  const deliveries = yield* DeliveryStore
  const ids = yield* Ids
  const mine = yield* ids.make("account")
  const made = yield* webhooks.register(mine, request)
  const deliver = Effect.fnUntraced(function* (fields: Partial<Delivery> = {}) {
    return yield* deliveries.insert({
      id: yield* ids.make("delivery"),
      account_id: mine,
      webhook_id: made.id,
      event_id: yield* ids.make("event"),
      event: "trade.executed",
      test: false,
      body: "{}",
      status: "failed",
      attempts: [],
      earlier_attempts: 0,
      due_in_ms: -5_000,
      leased_until_ms: null,
      version: 1,
      created_at: toTimestamp(nowMs),
      updated_at: toTimestamp(nowMs),
      ...fields
    })
  })
  return { webhooks, store, deliveries, ids, mine, made, deliver, id: made.id }
})

const attempt = {
  id: "att_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
  number: 1,
  started_at: "2026-01-15T09:30:00.000Z",
  duration_ms: 5,
  status: 500,
  error: "http_status",
  response_bytes: 0,
  response_text: null
}

describe("a webhook's secret", () => {
  it.effect("is replaced with an overlap, and the new one takes over when it is activated", () =>
    Effect.gen(function* () {
      const { webhooks, store, mine, made, id } = yield* registered
      const rotated = yield* webhooks.rotateSecret(mine, id, { overlap_seconds: 60 })
      assert.notStrictEqual(rotated.secret, made.secret)
      assert.strictEqual(rotated.previous_expires_at, toTimestamp(nowMs + 60_000))
      const [kept] = yield* store.getMany([id])
      assert.deepStrictEqual(kept!.secrets, [rotated.secret, made.secret])
      assert.strictEqual(kept!.service_secret, "previous")
      const again = webhooks.rotateSecret(mine, id, {})
      assert.strictEqual(yield* refusalCode(again), "invalid_transition")
      const activated = yield* webhooks.activateSecret(mine, id)
      assert.strictEqual(activated.service_secret, "newest")
      assert.strictEqual(activated.secret_hint, rotated.secret.slice(-4))
    }).pipe(Effect.provide(App))
  )

  it.effect("is shown as the one that signs alone once its overlap has ended", () =>
    Effect.gen(function* () {
      const { webhooks, mine, id } = yield* registered
      yield* webhooks.rotateSecret(mine, id, { overlap_seconds: 60 })
      const during = yield* webhooks.get(mine, id)
      const until = toTimestamp(nowMs + 60_000)
      assert.deepInclude(during, {
        previous_secret_expires_at: until,
        service_secret: "previous"
      })
      yield* TestClock.adjust("1 minute")
      const after = yield* webhooks.get(mine, id)
      assert.deepInclude(after, { previous_secret_expires_at: null, service_secret: "newest" })
    }).pipe(Effect.provide(App))
  )

  it.effect("that someone else knows stops at once, whatever goes on", () =>
    Effect.gen(function* () {
      const { webhooks, store, mine, id } = yield* registered
      yield* webhooks.rotateSecret(mine, id, {})
      const rotated = yield* webhooks.rotateSecret(mine, id, {
        overlap_seconds: 0,
        secret: "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g"
      })
      assert.strictEqual(rotated.previous_expires_at, null)
      const [kept] = yield* store.getMany([id])
      assert.deepStrictEqual(kept!.secrets, [rotated.secret])
      const none = webhooks.activateSecret(mine, id)
      assert.strictEqual(yield* refusalCode(none), "invalid_transition")
      const wrong = webhooks.rotateSecret(mine, id, { secret: "hunter2" })
      assert.strictEqual(yield* refusalCode(wrong), "unprocessable")
      const same = webhooks.rotateSecret(mine, id, { overlap_seconds: 0, secret: rotated.secret })
      const { errors } = yield* refusal(same)
      assert.deepInclude(errors![0], { pointer: "/secret", code: "unchanged" })
    }).pipe(Effect.provide(App))
  )

  it.effect("before it stops at once, and the new one stays, where no overlap is wanted", () =>
    Effect.gen(function* () {
      const { webhooks, store, mine, id } = yield* registered
      const { secret } = yield* webhooks.rotateSecret(mine, id, {})
      const again = webhooks.rotateSecret(mine, id, { secret })
      assert.strictEqual(yield* refusalCode(again), "invalid_transition")
      const ended = yield* webhooks.rotateSecret(mine, id, { secret, overlap_seconds: 0 })
      assert.deepStrictEqual(ended, { secret, previous_expires_at: null })
      const [kept] = yield* store.getMany([id])
      assert.deepStrictEqual(kept!.secrets, [secret])
      assert.deepInclude(kept!, { previous_secret_expires_at: null, service_secret: "newest" })
      const twice = yield* refusal(webhooks.rotateSecret(mine, id, { secret, overlap_seconds: 0 }))
      assert.deepInclude(twice.errors![0], { pointer: "/secret", code: "unchanged" })
    }).pipe(Effect.provide(App))
  )

  it.effect("is sealed in the store, as are headers, and opens with an older key too", () =>
    Effect.gen(function* () {
      const [old, fresh] = yield* Effect.all([makeEncryptionKey, makeEncryptionKey])
      const [oldKey] = parseEncryptionKeys(old)!
      const [freshKey] = parseEncryptionKeys(fresh)!
      assert.strictEqual(parseEncryptionKeys("c2hvcnQ="), null)
      const sealed = yield* Effect.gen(function* () {
        const { webhooks, store, made, mine, id } = yield* registered
        const headers = { Authorization: "Bearer of news" }
        const shown = yield* webhooks.update(mine, id, { headers })
        assert.deepStrictEqual(shown.headers, { authorization: "********" })
        const [kept] = yield* store.getMany([id])
        assert.notInclude(JSON.stringify(kept), made.secret.slice(6))
        assert.notInclude(JSON.stringify(kept), "of news")
        return { text: kept!.secrets[0], secret: made.secret }
      }).pipe(Effect.provide(App.pipe(Layer.provide(sealWith([oldKey!])))))
      const open = Effect.flatMap(SecretBox, (box) => box.open(sealed.text))
      const both = sealWith([freshKey!, oldKey!])
      assert.strictEqual(yield* Effect.provide(open, both), sealed.secret)
      const exit = yield* Effect.exit(Effect.provide(open, sealWith([freshKey!])))
      assert.strictEqual(exit._tag, "Failure")
    })
  )
})

describe("a webhook whose key is lost", () => {
  const ownKey = Layer.unwrap(
    Effect.map(makeEncryptionKey, (text) => sealWith([parseEncryptionKeys(text)![0]!]))
  )
  const sealedElsewhere = Effect.gen(function* () {
    const [key] = parseEncryptionKeys(yield* makeEncryptionKey)!
    const seal = Effect.flatMap(SecretBox, (box) => box.seal("of old"))
    return yield* Effect.provide(seal, sealWith([key!]))
  })

  for (const [title, keys] of [
    ["another key", ownKey],
    ["no key", Layer.empty]
  ] as const) {
    it.effect(`is mended by a new secret and new headers, where there is ${title}`, () =>
      Effect.gen(function* () {
        const { webhooks, store, mine, id } = yield* registered
        const find = Effect.map(store.getMany([id]), ([found]) => found!)
        const sealed = yield* sealedElsewhere
        const broken = { secrets: [sealed], headers: { "x-team": sealed } } as const
        yield* store.update({ ...(yield* find), ...broken })
        const held = { ...(yield* find), held_until: toTimestamp(nowMs + 60_000) }
        yield* store.keepHealth(held)
        const rotated = yield* webhooks.rotateSecret(mine, id, {})
        // The old one can't sign any more, so that there is no overlap.
        assert.isNull(rotated.previous_expires_at)
        assert.deepInclude(yield* find, {
          previous_secret_expires_at: null,
          held_until: null,
          repaired_at: toTimestamp(nowMs)
        })
        assert.lengthOf((yield* find).secrets, 1)
        const mask = webhooks.update(mine, id, { headers: { "X-Team": "********" } })
        const { errors } = yield* refusal(mask)
        assert.deepInclude(errors![0], { pointer: "/headers/X-Team", code: "unreadable" })
        yield* webhooks.update(mine, id, { headers: { "x-team": "desk" } })
        const again = { headers: { "x-team": "********" } }
        assert.deepStrictEqual((yield* webhooks.update(mine, id, again)).headers, again.headers)
      }).pipe(Effect.provide(App.pipe(Layer.provide(keys))))
    )
  }
})

describe("deliveries", () => {
  it.effect("of a sample go the way of any, and say that they are one", () =>
    Effect.gen(function* () {
      const { webhooks, mine, id } = yield* registered
      const sent = yield* webhooks.test(mine, id, "alert.triggered")
      assert.match(sent.event_id, /^msg_test_[0-9A-Z]{26}$/)
      assert.deepInclude(sent, { test: true, event: "alert.triggered", status: "pending" })
      const { body } = yield* webhooks.delivery(mine, id, sent.id)
      assert.deepInclude(JSON.parse(body), { event: "alert.triggered" })
      assert.isTrue(JSON.parse(body).data.test)
      yield* webhooks.update(mine, id, { status: "disabled" })
      assert.strictEqual((yield* webhooks.delivery(mine, id, sent.id)).status, "cancelled")
      assert.strictEqual(yield* refusalCode(webhooks.test(mine, id)), "invalid_transition")
    }).pipe(Effect.provide(App))
  )

  it.effect("are sent once more with the same id, and not while they are under way", () =>
    Effect.gen(function* () {
      const { webhooks, mine, id, deliver } = yield* registered
      const failed = yield* deliver({ attempts: [attempt] })
      const again = yield* webhooks.redeliver(mine, id, failed.id)
      assert.deepInclude(again, { status: "pending", event_id: failed.event_id })
      assert.strictEqual(again.next_attempt_at, toTimestamp(nowMs))
      const twice = yield* refusal(webhooks.redeliver(mine, id, failed.id))
      assert.deepInclude(twice, {
        code: "invalid_transition",
        current_state: "pending",
        allowed: []
      })
    }).pipe(Effect.provide(App))
  )

  it.effect("are replayed by what became of them, samples never", () =>
    Effect.gen(function* () {
      const { webhooks, deliveries, ids, mine, id, deliver } = yield* registered
      const since = toTimestamp(nowMs - 60_000)
      const statuses = [
        { status: "failed", attempts: [attempt] },
        { status: "skipped" },
        { status: "cancelled" },
        { status: "cancelled", attempts: [attempt] },
        { status: "succeeded", attempts: [attempt] },
        { status: "failed", test: true }
      ] as const
      const made = yield* Effect.forEach(statuses, (fields) => deliver(fields))
      const pending = Effect.map(deliveries.list(id, { limit: 20 }), ({ items }) =>
        items.filter(({ status }) => status === "pending").map((one) => one.id)
      )
      const replay = Effect.fnUntraced(function* (mode: ReplayRequest["mode"]) {
        const asked = yield* webhooks.replay(mine, id, { since, mode })
        assert.deepInclude(asked, { status: "running", mode, queued_count: 0 })
        return yield* Effect.repeat(
          Effect.andThen(Effect.yieldNow, webhooks.replayStatus(mine, id, asked.id)),
          { until: ({ status }) => status !== "running" }
        )
      })
      const missing = yield* replay("missing")
      assert.deepInclude(missing, { status: "completed", queued_count: 2, looked_count: 6 })
      assert.deepStrictEqual(yield* pending, [made[2]!.id, made[1]!.id])
      const failed = yield* replay("failed")
      assert.strictEqual(failed.queued_count, 2)
      const all = yield* replay("all")
      assert.strictEqual(all.queued_count, 1)
      const { items: known } = yield* webhooks.replays(mine, id, { limit: 9 })
      assert.deepStrictEqual(known, [all, failed, missing])
      assert.deepStrictEqual(yield* webhooks.cancelReplay(mine, id, all.id), all)
      const nobody = webhooks.replayStatus(yield* ids.make("account"), id, all.id)
      assert.strictEqual(yield* refusalCode(nobody), "not_found")
      assert.deepStrictEqual(
        yield* pending,
        made
          .slice(0, 5)
          .map((one) => one.id)
          .toReversed()
      )
      const old = webhooks.replay(mine, id, {
        since: toTimestamp(nowMs - 15 * 86_400_000),
        mode: "all"
      })
      assert.strictEqual(yield* refusalCode(old), "validation_failed")
    }).pipe(Effect.provide(App))
  )

  it.effect("are suggested to be replayed where disabling has kept them from an endpoint", () =>
    Effect.gen(function* () {
      const { webhooks, ids, mine, id, deliver } = yield* registered
      const came = yield* deliver({ status: "succeeded", attempts: [attempt] })
      yield* TestClock.adjust("1 hour")
      const kept = [
        yield* deliver({ id: yield* ids.make("delivery"), status: "pending" }),
        yield* deliver({ status: "retrying", attempts: [attempt] })
      ]
      yield* TestClock.adjust("1 hour")
      yield* webhooks.update(mine, id, { status: "disabled" })
      yield* TestClock.adjust("1 hour")
      const skipped = yield* deliver({ status: "skipped" })
      yield* TestClock.adjust("1 second")
      const { suggested_replay } = yield* webhooks.update(mine, id, { status: "active" })
      const since = toTimestamp(nowMs + 3_600_000)
      assert.deepStrictEqual(suggested_replay, { mode: "undelivered", since })
      yield* webhooks.replay(mine, id, suggested_replay!)
      for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
      const { items } = yield* webhooks.deliveries(mine, id, { limit: 9, status: "pending" })
      const wanted = [...kept, skipped].map((one) => one.id).toReversed()
      assert.deepStrictEqual(
        items.map((one) => one.id),
        wanted
      )
      const { status } = yield* webhooks.delivery(mine, id, came.id)
      assert.strictEqual(status, "succeeded")
    }).pipe(Effect.provide(App))
  )

  it.effect("of long ago are suggested as far back as a replay reaches", () =>
    Effect.gen(function* () {
      const { webhooks, mine, id, deliver } = yield* registered
      yield* deliver({ status: "pending" })
      yield* webhooks.update(mine, id, { status: "disabled" })
      yield* TestClock.adjust("20 days")
      const { suggested_replay } = yield* webhooks.update(mine, id, { status: "active" })
      yield* TestClock.adjust("10 minutes")
      const asked = yield* webhooks.replay(mine, id, suggested_replay!)
      assert.strictEqual(asked.mode, "undelivered")
    }).pipe(Effect.provide(App))
  )
})
