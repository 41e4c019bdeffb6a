/**
 * An event on its way to a receiver: written with its change, signed, sent, retried, given up.
 */
import type { IncomingHttpHeaders } from "node:http"
import {
  DeliveryStore,
  EndpointStore,
  EventPublisher,
  Ids,
  toTimestamp,
  Transactor,
  WebhookEndpoints
} from "@candlewick/core"
import { retryWaitsMs, Webhooks } from "@candlewick/webhooks"
import { verifyNotification } from "@candlewick/webhooks/verify"
import { assert, describe, it } from "@effect/vitest"
import { verify as verifyOctokit } from "@octokit/webhooks-methods"
import { Clock, Deferred, Effect, Fiber } from "effect"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { Webhook as SvixWebhook } from "svix"
import {
  accountId,
  advance,
  announce,
  answered,
  deliveriesOf,
  over,
  register,
  scripted,
  settle,
  statusOf,
  url
} from "./webhookWorld.ts"
import { nameServer } from "../../packages/webhooks/test/nameServer.ts"
import { OnLoopback, receiver } from "./loopbackReceiver.ts"
import { eventually } from "./world.ts"

const text = (value: string | Array<string> | undefined): string => String(value)

/** The headers as the verifiers of Standard Webhooks want them. */
const namedOf = (headers: IncomingHttpHeaders) => ({
  "webhook-id": text(headers["webhook-id"]),
  "webhook-timestamp": text(headers["webhook-timestamp"]),
  "webhook-signature": text(headers["webhook-signature"])
})

const namesOnLoopback = (address: string) =>
  over(
    Webhooks.layerWith({
      // The network, which nothing here is in, opens any port to names.
      allowCidrs: ["127.0.0.1/32", "10.99.0.0/16"],
      allowHttp: true,
      nameServers: [address]
    })
  )

describe("a webhook whose name server is silent", () => {
  it.live("holds up no other one's look-ups, however many wait for it", () =>
    Effect.gen(function* () {
      const names = yield* nameServer({ "healthy.example.com": ["127.0.0.1"] })
      const { url: address, received } = yield* receiver([204])
      const story = Effect.gen(function* () {
        const silent = yield* register("http://silent.example.com/", { max_concurrency: 16 })
        // As many as one endpoint gets at once.
        for (let count = 0; count < 12; count++) yield* announce({ count })
        yield* eventually(
          deliveriesOf(silent.id),
          (all) => all.length === 12 && all.every(({ attempts }) => attempts.length > 0)
        )
        const other = "acc_01JHKQ8Z7M3V5W9X2Y4B6C8D0G"
        const healthy = yield* register(address.replace("127.0.0.1", "healthy.example.com"), {
          account_id: other
        })
        yield* announce({}, other)
        const [sent] = yield* eventually(
          deliveriesOf(healthy.id),
          (all) => all[0]?.status === "succeeded"
        )
        assert.lengthOf(sent!.attempts, 1)
        const waiting = yield* deliveriesOf(silent.id)
        assert.isTrue(waiting.some(({ status }) => status === "sending"))
      })
      yield* Effect.provide(story, namesOnLoopback(names.address))
      assert.lengthOf(received, 1)
    }).pipe(Effect.scoped)
  )
})

describe("a webhook over real sockets", () => {
  it.live("is signed so that every common verifier accepts it", () =>
    Effect.gen(function* () {
      const { url, received } = yield* receiver([204])
      const endpoints = yield* WebhookEndpoints
      const { secret } = yield* endpoints.register(accountId, { url, events: ["trade.executed"] })
      const event = yield* announce()
      yield* eventually(
        Effect.sync(() => received.length),
        (count) => count === 1
      )
      const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }] = received
      assert.strictEqual(body.toString(), event.body)
      assert.strictEqual(headers["webhook-id"], event.id)
      assert.strictEqual(headers["x-service-event"], "trade.executed")
      assert.strictEqual(headers["x-service-attempt"], "1")
      assert.strictEqual(headers["x-service-sequence"], "1")
      const named = namedOf(headers)
      new StandardWebhook(secret).verify(body.toString(), named)
      new SvixWebhook(secret).verify(body.toString(), named)
      const signature = text(headers["x-service-signature"])
      assert.isTrue(yield* Effect.promise(() => verifyOctokit(secret, body.toString(), signature)))
      assert.strictEqual(
        verifyNotification({ secret, headers, rawBody: body }).event,
        "trade.executed"
      )
    }).pipe(Effect.scoped, Effect.provide(OnLoopback))
  )

  it.live("says its id and type besides where that is asked for, and verifies as any", () =>
    Effect.gen(function* () {
      const { url, received } = yield* receiver([204])
      const endpoints = yield* WebhookEndpoints
      const { id, secret } = yield* endpoints.register(accountId, {
        url,
        events: ["trade.executed"],
        payload: "extended"
      })
      const event = yield* announce({ note: "ü ✓ \u0000" })
      const log = yield* eventually(
        endpoints.deliveries(accountId, id, { limit: 10 }),
        ({ items }) => items[0]?.status === "succeeded"
      )
      const frozen = yield* endpoints.delivery(accountId, id, log.items[0]!.id)
      yield* endpoints.update(accountId, id, { payload: "plain" })
      yield* endpoints.redeliver(accountId, id, frozen.id)
      yield* eventually(
        Effect.sync(() => received.length),
        (count) => count === 2
      )
      for (const { body, headers } of received) {
        assert.strictEqual(body.toString(), frozen.body)
        const named = namedOf(headers)
        const extended = { id: event.id, type: event.event, ...JSON.parse(event.body) }
        assert.deepStrictEqual(JSON.parse(body.toString()), extended)
        new StandardWebhook(secret).verify(body.toString(), named)
        new SvixWebhook(secret).verify(body.toString(), named)
        const service = text(headers["x-service-signature"])
        assert.isTrue(yield* Effect.promise(() => verifyOctokit(secret, body.toString(), service)))
        const verified = verifyNotification({ secret, headers, rawBody: body })
        assert.deepInclude(verified, { id: event.id, event: "trade.executed" })
        assert.deepStrictEqual(verified.data, extended.data)
      }
      const later = yield* announce()
      yield* eventually(
        Effect.sync(() => received.length),
        (count) => count === 3
      )
      assert.strictEqual(received[2]!.body.toString(), later.body)
    }).pipe(Effect.scoped, Effect.provide(OnLoopback))
  )

  it.live("comes again after a failure, with the same bytes and the same id", () =>
    Effect.gen(function* () {
      const { url, received } = yield* receiver([500, 204])
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* endpoints.register(accountId, { url, events: ["trade.executed"] })
      yield* announce()
      yield* eventually(
        Effect.sync(() => received.length),
        (count) => count === 2
      )
      const [first, second] = received
      assert.isTrue(first!.body.equals(second!.body))
      assert.strictEqual(first!.headers["webhook-id"], second!.headers["webhook-id"])
      assert.strictEqual(second!.headers["x-service-attempt"], "2")
      const log = yield* eventually(
        endpoints.deliveries(accountId, id, { limit: 10 }),
        ({ items }) => items[0]?.status === "succeeded"
      )
      assert.deepStrictEqual(
        log.items[0]?.attempts.map(({ status }) => status),
        [500, 204]
      )
    }).pipe(Effect.scoped, Effect.provide(OnLoopback))
  )

  it.live("signs with both secrets while one replaces the other, and adds the host's headers", () =>
    Effect.gen(function* () {
      const { url, received } = yield* receiver([204])
      const endpoints = yield* WebhookEndpoints
      const { id, secret } = yield* endpoints.register(accountId, {
        url,
        events: ["trade.executed"],
        headers: { authorization: "Bearer of news" }
      })
      const rotated = yield* endpoints.rotateSecret(accountId, id, {})
      const next = Effect.fnUntraced(function* (count: number) {
        yield* announce({ count })
        yield* eventually(
          Effect.sync(() => received.length),
          (length) => length === count
        )
        const { body, headers } = received[count - 1]!
        assert.strictEqual(headers["authorization"], "Bearer of news")
        const service = text(headers["x-service-signature"])
        const isOf = (one: string) =>
          Effect.promise(() => verifyOctokit(one, body.toString(), service))
        const named = namedOf(headers)
        for (const one of [secret, rotated.secret]) {
          new StandardWebhook(one).verify(body.toString(), named)
          new SvixWebhook(one).verify(body.toString(), named)
        }
        return [yield* isOf(secret), yield* isOf(rotated.secret)]
      })
      assert.deepStrictEqual(yield* next(1), [true, false])
      yield* endpoints.activateSecret(accountId, id)
      assert.deepStrictEqual(yield* next(2), [false, true])
    }).pipe(Effect.scoped, Effect.provide(OnLoopback))
  )
})

describe("the delivery rules", () => {
  it.effect(
    "try ten times over three days, each wait at least as long as promised, then give up",
    () => {
      const { asked, layer } = scripted(() => Effect.succeed(answered(500)))
      return Effect.gen(function* () {
        const { id } = yield* register()
        yield* announce()
        yield* settle
        const steps = (hours: number) => Effect.replicateEffect(advance(600_000), hours * 6)
        yield* steps(3 * 24)
        for (let hour = 0; hour < 24 && asked.length < retryWaitsMs.length; hour++) yield* steps(1)
        // As long as no wait between two.
        yield* steps(2)
        assert.strictEqual(asked.length, retryWaitsMs.length)
        for (let attempt = 1; attempt < asked.length; attempt++) {
          const waited = asked[attempt]!.atMs - asked[attempt - 1]!.atMs
          assert.isAtLeast(waited, retryWaitsMs[attempt]!)
          // A fifth of jitter, and up to one step of the test's clock.
          assert.isAtMost(waited, retryWaitsMs[attempt]! * 1.2 + 600_000)
        }
        assert.deepStrictEqual(statusOf(yield* deliveriesOf(id)), ["failed"])
        const store = yield* EndpointStore
        const [endpoint] = yield* store.listSubscribed(accountId, "trade.executed")
        assert.strictEqual(endpoint?.status, "failing")
      }).pipe(Effect.provide(layer))
    },
    60_000
  )

  it.effect("disable an endpoint that is gone, and keep what it then misses as skipped", () => {
    const { asked, layer } = scripted(() => Effect.succeed(answered(410)))
    return Effect.gen(function* () {
      const { id } = yield* register()
      yield* announce()
      yield* advance(1000)
      const store = yield* EndpointStore
      const [endpoint] = yield* store.listSubscribed(accountId, "trade.executed")
      assert.strictEqual(endpoint?.status, "disabled")
      assert.strictEqual(endpoint?.disabled_reason, "gone")
      yield* announce()
      yield* advance(1000)
      assert.strictEqual(asked.length, 1)
      assert.deepStrictEqual(statusOf(yield* deliveriesOf(id)), ["skipped", "failed"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("end one message, or the endpoint, when the receiver asks for it", () => {
    const { layer } = scripted((_, count) =>
      Effect.succeed(answered(400, { receiverRequest: count === 1 ? "abort-message" : "disable" }))
    )
    return Effect.gen(function* () {
      const { id } = yield* register()
      yield* announce()
      yield* advance(1000)
      assert.deepStrictEqual(statusOf(yield* deliveriesOf(id)), ["failed"])
      const store = yield* EndpointStore
      assert.strictEqual((yield* store.getMany([id]))[0]?.status, "active")
      yield* announce()
      yield* advance(1000)
      const [endpoint] = yield* store.listSubscribed(accountId, "trade.executed")
      assert.strictEqual(endpoint?.disabled_reason, "receiver_request")
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "give up an endpoint after five days without a success, and not before",
    () => {
      const { layer } = scripted(() => Effect.succeed(answered(503)))
      return Effect.gen(function* () {
        yield* register()
        const store = yield* EndpointStore
        const status = Effect.map(
          store.listSubscribed(accountId, "trade.executed"),
          ([endpoint]) => endpoint?.status
        )
        for (let day = 0; day < 7 && (yield* status) !== "disabled"; day++) {
          if (day === 5) assert.strictEqual(yield* status, "failing")
          yield* announce({ day })
          for (let hour = 0; hour < 24; hour++) yield* advance(3_600_000)
        }
        assert.strictEqual(yield* status, "disabled")
      }).pipe(Effect.provide(layer))
    },
    60_000
  )

  it.effect("do not let one endpoint that hangs hold up another", () => {
    const slow = "https://slow.example.com/hook"
    const isOver = Deferred.makeUnsafe<void>()
    const { asked, layer } = scripted((address) =>
      address === slow
        ? Effect.as(Deferred.await(isOver), answered(204))
        : Effect.succeed(answered(204))
    )
    return Effect.gen(function* () {
      yield* register(slow)
      const { id } = yield* register()
      for (let count = 0; count < 20; count++) yield* announce({ count })
      yield* advance(1000)
      assert.strictEqual(asked.filter(({ url: address }) => address === url).length, 20)
      assert.isAtMost(asked.filter(({ url: address }) => address === slow).length, 4)
      assert.deepStrictEqual([...new Set(statusOf(yield* deliveriesOf(id)))], ["succeeded"])
      yield* Deferred.succeed(isOver, undefined)
    }).pipe(Effect.provide(layer))
  })

  for (const [title, count, max_concurrency] of [
    ["four endpoints that hang", 4, 4],
    ["one that may take all places", 1, 16]
  ] as const) {
    it.effect(`do not let ${title} hold up another one of the same account`, () => {
      const isOver = Deferred.makeUnsafe<void>()
      const { asked, layer } = scripted((address) =>
        address === url
          ? Effect.succeed(answered(204))
          : Effect.as(Deferred.await(isOver), answered(204))
      )
      return Effect.gen(function* () {
        for (let index = 0; index < count; index++) {
          yield* register(`https://slow.example.com/${index}`, { max_concurrency })
        }
        const { id } = yield* register()
        for (let made = 0; made < 20; made++) yield* announce({ made })
        yield* advance(1000)
        assert.deepStrictEqual([...new Set(statusOf(yield* deliveriesOf(id)))], ["succeeded"])
        const slow = asked.filter(({ url: address }) => address !== url)
        assert.isAtLeast(slow.length, 8)
        assert.isAtMost(slow.length, 12)
        yield* Deferred.succeed(isOver, undefined)
      }).pipe(Effect.provide(layer))
    })
  }

  it.effect("take up what another sender left unfinished, once its lease has ended", () => {
    const { asked, layer } = scripted(() => Effect.succeed(answered(204)))
    return Effect.gen(function* () {
      const { id } = yield* register()
      const ids = yield* Ids
      const nowMs = yield* Clock.currentTimeMillis
      const now = toTimestamp(nowMs)
      yield* (yield* DeliveryStore).insert({
        id: yield* ids.make("delivery"),
        account_id: accountId,
        webhook_id: id,
        event_id: yield* ids.make("event"),
        event: "trade.executed",
        test: false,
        earlier_attempts: 0,
        body: "{}",
        status: "sending",
        attempts: [],
        due_in_ms: 0,
        leased_until_ms: nowMs + 30_000,
        version: 1,
        created_at: now,
        updated_at: now
      })
      yield* advance(20_000)
      assert.strictEqual(asked.length, 0)
      yield* advance(20_000)
      assert.strictEqual(asked.length, 1)
      assert.deepStrictEqual(statusOf(yield* deliveriesOf(id)), ["succeeded"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("make one delivery for an event, however often it is published", () => {
    const { asked, layer } = scripted(() => Effect.succeed(answered(204)))
    return Effect.gen(function* () {
      yield* register()
      const event = yield* announce()
      yield* advance(1000)
      const publisher = yield* EventPublisher
      yield* publisher.publish(event)
      yield* advance(1000)
      assert.strictEqual(asked.length, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("send nothing of a change that was undone", () => {
    const { asked, layer } = scripted(() => Effect.succeed(answered(204)))
    return Effect.gen(function* () {
      yield* register()
      const { transact } = yield* Transactor
      const fibre = yield* Effect.forkChild(
        transact(Effect.andThen(announce(), Effect.fail("undone")))
      )
      yield* Fiber.await(fibre)
      yield* advance(10_000)
      assert.strictEqual(asked.length, 0)
    }).pipe(Effect.provide(layer))
  })
})
