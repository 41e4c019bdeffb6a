/**
 * An endpoint that fails, is left alone, is mended by its caller, and what its operator hears.
 */
import {
  DeliveryQueue,
  DeliveryStore,
  EndpointStore,
  EventPublisher,
  Ids,
  makeEvent,
  StoreError,
  toTimestamp,
  WebhookEndpoints
} from "@candlewick/core"
import { attemptRecord, endpointRecord, evidenceRecord } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { type EndpointNotice, NotificationSender, Webhooks } from "@candlewick/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { countingTransport } from "../services/setting.ts"

interface World {
  status: number
  readonly asked: Array<{ readonly url: string; readonly isSample: boolean }>
  readonly heard: Array<EndpointNotice>
  readonly published: { count: number }
}

const makeWorld = (status: number): World => ({
  status,
  asked: [],
  heard: [],
  published: { count: 0 }
})

const senderOf = (world: World) =>
  Layer.succeed(NotificationSender, {
    post: ({ headers, url }) =>
      Effect.sync(() => {
        world.asked.push({ url, isSample: headers["webhook-id"]!.startsWith("msg_test_") })
        return {
          _tag: "Answered" as const,
          status: world.status,
          durationMs: 5,
          responseBytes: 0,
          responseText: null,
          retryAfter: null,
          receiverRequest: null
        }
      })
  })

/** A store whose next step that keeps outcomes is kept, while the answer is lost on its way. */
const losingAnswers = Layer.effect(
  DeliveryQueue,
  Effect.map(DeliveryQueue, (store) => {
    let lost = 0
    return {
      ...store,
      keepOutcomes: (outcomes) =>
        Effect.tap(store.keepOutcomes(outcomes), () =>
          lost++ === 0 ? Effect.fail(StoreError.notFound("answer", "lost")) : Effect.void
        )
    }
  })
)

const sending = (world: World) =>
  Webhooks.layerWithSender({ onEndpointStatus: (notice) => void world.heard.push(notice) }).pipe(
    Layer.provide(senderOf(world))
  )

/** A process that sends, and callers of another process that shares nothing but the store. */
const appOf = (world: World) =>
  Layer.mergeAll(
    sending(world),
    WebhookEndpoints.layer.pipe(Layer.provide(countingTransport))
  ).pipe(Layer.provideMerge(Ids.layer), Layer.provideMerge(MemoryStore.layer))

/** Where the clock of a test begins: one that is set goes through all that lies before. */
const nowMs = 0

const url = "https://receiver.example.com/hook"
const secrets = ["whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g"] as const

const registered = Effect.gen(function* () {
  const store = yield* EndpointStore
  const now = toTimestamp(nowMs)
  const fields = { url, secrets, headers: {}, created_at: now, updated_at: now }
  return yield* store.insert(endpointRecord(fields))
})

const settle = Effect.gen(function* () {
  for (let round = 0; round < 100; round++) yield* Effect.yieldNow
})

const advance = (ms: number) => Effect.andThen(TestClock.adjust(ms), settle)

const publish = Effect.fnUntraced(function* (accountId: string, world: World) {
  const [ids, publisher] = [yield* Ids, yield* EventPublisher]
  const head = {
    id: yield* ids.make("event"),
    account_id: accountId,
    event: "trade.executed" as const,
    timestamp: toTimestamp(yield* Clock.currentTimeMillis)
  }
  yield* publisher.publish(makeEvent(head, { trade_id: `${world.published.count++}` }))
  yield* settle
})

/** An endpoint that failed five times in a row, so that it is left alone. */
const leftAlone = Effect.fnUntraced(function* (world: World) {
  const endpoint = yield* registered
  for (let count = 0; count < 5; count++) yield* publish(endpoint.account_id, world)
  yield* advance(1_000)
  assert.lengthOf(world.asked, 5)
  yield* publish(endpoint.account_id, world)
  yield* advance(20_000)
  assert.lengthOf(world.asked, 5)
  return endpoint
})

describe("an endpoint that is left alone", () => {
  it.effect(
    "says until when, and is sent to at once after a caller set it active elsewhere",
    () => {
      const world = makeWorld(500)
      return Effect.gen(function* () {
        const { account_id, id } = yield* leftAlone(world)
        const endpoints = yield* WebhookEndpoints
        const before = yield* endpoints.get(account_id, id)
        assert.strictEqual(before.held_until, toTimestamp(nowMs + 30_000))
        assert.doesNotHaveAnyKeys(before, ["repaired_at"])
        world.status = 204
        const mended = yield* endpoints.update(account_id, id, { status: "active" })
        assert.isNull(mended.held_until)
        yield* advance(2_000)
        assert.isAbove(world.asked.length, 5)
        const after = yield* endpoints.get(account_id, id)
        assert.deepInclude(after, { held_until: null, consecutive_failures: 0 })
      }).pipe(Effect.provide(appOf(world)))
    }
  )

  it.effect("is sent to at its new address at once, and not for a change of anything else", () => {
    const world = makeWorld(500)
    return Effect.gen(function* () {
      const { account_id, id } = yield* leftAlone(world)
      const endpoints = yield* WebhookEndpoints
      yield* endpoints.update(account_id, id, { description: "orders" })
      yield* endpoints.update(account_id, id, { url })
      yield* advance(2_000)
      assert.lengthOf(world.asked, 5)
      world.status = 204
      yield* endpoints.update(account_id, id, { url: "https://receiver.example.com/new" })
      yield* advance(2_000)
      assert.strictEqual(world.asked[5]?.url, "https://receiver.example.com/new")
    }).pipe(Effect.provide(appOf(world)))
  })

  it.effect("gets samples meanwhile, and everything once it accepts one", () => {
    const world = makeWorld(500)
    return Effect.gen(function* () {
      const { account_id, id } = yield* leftAlone(world)
      const endpoints = yield* WebhookEndpoints
      yield* endpoints.test(account_id, id)
      yield* advance(6_000)
      assert.deepStrictEqual(
        world.asked.slice(5).map(({ isSample }) => isSample),
        [true]
      )
      const held = yield* endpoints.get(account_id, id)
      assert.strictEqual(held.held_until, toTimestamp(nowMs + 30_000))
      assert.strictEqual(held.consecutive_failures, 5)
      world.status = 204
      yield* endpoints.test(account_id, id)
      yield* advance(3_000)
      assert.isTrue(world.asked[6]?.isSample)
      assert.isNull((yield* endpoints.get(account_id, id)).held_until)
      yield* advance(5_000)
      assert.isTrue(world.asked.slice(7).some(({ isSample }) => !isSample))
    }).pipe(Effect.provide(appOf(world)))
  })
})

describe("the notice that an endpoint was disabled", () => {
  it.effect("is given once, and what waits is cancelled, where the store's answer was lost", () => {
    const world = makeWorld(410)
    const app = sending(world).pipe(
      Layer.provideMerge(Ids.layer),
      Layer.provideMerge(losingAnswers),
      Layer.provideMerge(MemoryStore.layer)
    )
    return Effect.gen(function* () {
      const { account_id, id } = yield* registered
      yield* publish(account_id, world)
      yield* advance(5_000)
      const store = yield* EndpointStore
      const [kept] = yield* store.getMany([id])
      assert.deepInclude(kept, { status: "disabled", disabled_reason: "gone" })
      assert.deepStrictEqual(
        world.heard.map(({ kind, reason, webhookId }) => [kind, reason, webhookId]),
        [["disabled", "gone", id]]
      )
      yield* advance(300_000)
      assert.lengthOf(world.heard, 1)
    }).pipe(Effect.provide(app))
  })

  it.effect("is given by another where who found it out ended before", () => {
    const world = makeWorld(204)
    return Effect.gen(function* () {
      const { account_id, id } = yield* registered
      const [ids, deliveries, queue] = [yield* Ids, yield* DeliveryStore, yield* DeliveryQueue]
      const now = toTimestamp(nowMs)
      const made = yield* deliveries.insert({
        id: yield* ids.make("delivery"),
        account_id,
        webhook_id: id,
        event_id: yield* ids.make("event"),
        event: "trade.executed",
        test: false,
        body: "{}",
        status: "failed",
        attempts: [attemptRecord()],
        earlier_attempts: 0,
        due_in_ms: 0,
        leased_until_ms: null,
        version: 1,
        created_at: now,
        updated_at: now
      })
      const notice = {
        webhookId: id,
        accountId: account_id,
        kind: "disabled",
        status: "disabled",
        reason: "gone",
        warnedPercent: 0,
        failingSince: now
      } as const
      // As one that is killed after this step leaves it.
      yield* queue.keepOutcomes([
        { delivery: made, evidence: evidenceRecord({ ends: "gone", endedAtMs: nowMs }) }
      ])
      yield* advance(120_000)
      assert.deepStrictEqual(world.heard, [notice])
      yield* advance(300_000)
      assert.lengthOf(world.heard, 1)
    }).pipe(Effect.provide(appOf(world)))
  })

  it.effect("keeps no secret that may not sign any more, though nothing is sent", () => {
    const spent = Effect.gen(function* () {
      const store = yield* EndpointStore
      const { account_id, id } = yield* store.insert(
        endpointRecord({
          secrets: [...secrets, "whsec_AQECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g"],
          previous_secret_expires_at: toTimestamp(nowMs + 90 * 60_000),
          service_secret: "previous"
        })
      )
      const found = Effect.map(store.get(account_id, id), Option.getOrThrow)
      yield* advance(60 * 60_000)
      assert.strictEqual((yield* found).secrets.length, 2)
      yield* advance(60 * 60_000)
      const { previous_secret_expires_at, secrets: left, service_secret } = yield* found
      assert.deepStrictEqual(
        { previous_secret_expires_at, left, service_secret },
        { previous_secret_expires_at: null, left: secrets, service_secret: "newest" }
      )
    })
    return Effect.provide(spent, appOf(makeWorld(200)))
  })
})
