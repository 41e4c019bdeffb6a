/**
 * Events whose transactions are under way while their endpoint is disabled or enabled again. The
 * change waits for them, so that its cancellations, notices and suggestions have them in it.
 */
import {
  BotStore,
  DeliveryStore,
  EndpointStore,
  Ids,
  madeAt,
  StrategyStore,
  Transactor,
  WebhookEndpoints,
  WebhookTransport
} from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { fanOut } from "../../webhooks/src/fanOut.ts"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

const transport = Layer.succeed(WebhookTransport, {
  wake: Effect.void,
  checkAddress: () => Effect.void,
  checkSecret: (secret: string) => Effect.succeed(secret),
  makeSecret: Effect.succeed("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
})

/** The one delivery of an endpoint. */
const onlyDelivery = Effect.fnUntraced(function* (accountId: string, webhookId: string) {
  const { items } = yield* (yield* WebhookEndpoints).deliveries(accountId, webhookId, { limit: 9 })
  assert.lengthOf(items, 1)
  const { id, status } = items[0]!
  return { madeAtMs: madeAt(id), status }
})

/**
 * Changes an endpoint while the transaction of an event for it is open. Reads the delivery as soon
 * as the change is answered.
 */
const changeMeanwhile = Effect.fnUntraced(function* (
  accountId: string,
  webhookId: string,
  status: "active" | "disabled"
) {
  const [ids, webhooks] = [yield* Ids, yield* WebhookEndpoints]
  const ports = {
    ids,
    endpoints: yield* EndpointStore,
    deliveries: yield* DeliveryStore,
    bots: yield* BotStore,
    strategies: yield* StrategyStore
  }
  const { transact } = yield* Transactor
  const id = yield* ids.make("event")
  const timestamp = "2026-01-15T09:30:00.000Z"
  const event = {
    id,
    account_id: accountId,
    event: "trade.executed",
    timestamp,
    body: "{}"
  } as const
  const [published, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const publishing = yield* Effect.forkChild(
    transact(
      Effect.gen(function* () {
        yield* fanOut(ports, [event])
        yield* Deferred.succeed(published, undefined)
        yield* Deferred.await(mayEnd)
      })
    )
  )
  yield* Deferred.await(published)
  const change = Effect.gen(function* () {
    const { suggested_replay } = yield* webhooks.update(accountId, webhookId, { status })
    return { suggested_replay, ...(yield* onlyDelivery(accountId, webhookId)) }
  })
  const changing = yield* Effect.forkChild(change)
  yield* Effect.sleep("100 millis")
  yield* Deferred.succeed(mayEnd, undefined)
  yield* Fiber.join(publishing)
  return yield* Fiber.join(changing)
})

onEveryStore("Events in flight", (name, stores) => {
  const services = WebhookEndpoints.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(Ids.layer, transport)),
    Layer.provideMerge(stores)
  )

  const registered = Effect.gen(function* () {
    const accountId = yield* (yield* Ids).make("account")
    const request = { url: "https://example.com/", events: ["trade.executed"] } as const
    const { id } = yield* (yield* WebhookEndpoints).register(accountId, request)
    return { accountId, id }
  })

  describe(name, () => {
    it.live("are cancelled, and within the suggested replay, where it is disabled", () =>
      Effect.gen(function* () {
        const webhooks = yield* WebhookEndpoints
        const { accountId, id } = yield* registered
        const { madeAtMs, status } = yield* changeMeanwhile(accountId, id, "disabled")
        assert.strictEqual(status, "cancelled")
        const { suggested_replay } = yield* webhooks.update(accountId, id, { status: "active" })
        assert.isAtMost(Date.parse(suggested_replay!.since), madeAtMs)
      }).pipe(Effect.provide(services), Effect.scoped)
    )

    it.live("are kept from it until it is active, and are there when that is answered", () =>
      Effect.gen(function* () {
        const webhooks = yield* WebhookEndpoints
        const { accountId, id } = yield* registered
        yield* webhooks.update(accountId, id, { status: "disabled" })
        const changed = yield* changeMeanwhile(accountId, id, "active")
        const { madeAtMs, status, suggested_replay } = changed
        assert.strictEqual(status, "skipped")
        assert.isAtMost(Date.parse(suggested_replay!.since), madeAtMs)
      }).pipe(Effect.provide(services), Effect.scoped)
    )
  })
})
