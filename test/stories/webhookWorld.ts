/**
 * Webhooks on a memory store, with a sender that answers as the test says, for stories.
 */
import {
  DeliveryStore,
  EndpointStore,
  Events,
  Ids,
  type ListedDelivery,
  makeEvent,
  toTimestamp,
  Transactor,
  type WebhookEndpoint,
  WebhookEndpoints
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import {
  type AttemptOutcome,
  NotificationSender,
  Webhooks,
  type WebhooksOptions
} from "@candlewick/webhooks"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

export const accountId = "acc_01JHKQ8Z7M3V5W9X2Y4B6C8D0F"

/** Announces an event as a service would: in a transaction. */
export const announce = Effect.fnUntraced(function* (
  fields: Readonly<Record<string, unknown>> = {},
  account = accountId
) {
  const events = yield* Events
  const ids = yield* Ids
  const { transact } = yield* Transactor
  const event = makeEvent(
    {
      id: yield* ids.make("event"),
      account_id: account,
      event: "trade.executed",
      timestamp: toTimestamp(yield* Clock.currentTimeMillis)
    },
    { trade_id: yield* ids.make("trade"), symbol: "BTC/USD", side: "buy", ...fields }
  )
  yield* transact(events.announce(event))
  return event
})

type WebhooksLayer<E, R> = Layer.Layer<Layer.Success<typeof Webhooks.layer>, E, R>

/** The announcer and the sender, on stores that outlive them. */
export const onStores = <E, R>(webhooks: WebhooksLayer<E, R>) =>
  Layer.mergeAll(Events.layer, WebhookEndpoints.layer).pipe(
    Layer.provideMerge(webhooks),
    Layer.provideMerge(Ids.layer)
  )

/** The same on a memory store of its own. */
export const over = <E, R>(webhooks: WebhooksLayer<E, R>) =>
  Layer.provideMerge(onStores(webhooks), MemoryStore.layer)

export const answered = (status: number, more: Partial<AttemptOutcome> = {}): AttemptOutcome =>
  ({
    _tag: "Answered",
    status,
    durationMs: 5,
    responseBytes: 0,
    responseText: null,
    retryAfter: null,
    receiverRequest: null,
    ...more
  }) as AttemptOutcome

/** A sender that notes when it is asked, and answers as the test says. */
export const scripted = (
  answer: (url: string, count: number) => Effect.Effect<AttemptOutcome>,
  options?: WebhooksOptions
) => {
  const asked: Array<{ readonly url: string; readonly atMs: number }> = []
  const sender = Layer.succeed(NotificationSender, {
    post: ({ url }) =>
      Effect.gen(function* () {
        asked.push({ url, atMs: yield* Clock.currentTimeMillis })
        return yield* answer(url, asked.filter((one) => one.url === url).length)
      })
  })
  const webhooks = Webhooks.layerWithSender(options).pipe(Layer.provide(sender))
  return { asked, webhooks, layer: over(webhooks) }
}

export const url = "https://receiver.example.com/hook"

/** Registers an endpoint of the account's, with other fields where a test says so. */
export const register = Effect.fnUntraced(function* (
  address = url,
  fields: Partial<WebhookEndpoint> = {}
) {
  const store = yield* EndpointStore
  const ids = yield* Ids
  const now = toTimestamp(yield* Clock.currentTimeMillis)
  // Straight into the store: registration looks names up, which a test must not.
  return yield* store.insert({
    id: yield* ids.make("webhook"),
    account_id: accountId,
    url: address,
    events: ["trade.executed"],
    description: null,
    status: "active",
    disabled_reason: null,
    disabled_at: null,
    max_concurrency: 4,
    rate_per_second: null,
    payload: "plain",
    format: "candlewick",
    chat_id: null,
    sealed_url: null,
    headers: {},
    secret_hint: "Hh8g",
    previous_secret_expires_at: null,
    service_secret: "newest",
    warned_percent: 0,
    consecutive_failures: 0,
    last_success_at: null,
    last_failure_at: null,
    failing_since: null,
    held_until: null,
    repaired_at: null,
    missed_since: null,
    version: 1,
    created_at: now,
    updated_at: now,
    secrets: ["whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g"],
    sequence: 0,
    ...fields
  })
})

export const deliveriesOf = (webhookId: string) =>
  Effect.flatMap(DeliveryStore, (store) =>
    Effect.map(store.list(webhookId, { limit: 100 }), ({ items }) => items)
  )

/** Lets the loop process what it can at this time. */
export const settle = Effect.gen(function* () {
  for (let round = 0; round < 50; round++) yield* Effect.yieldNow
})

export const advance = Effect.fnUntraced(function* (ms: number) {
  yield* TestClock.adjust(ms)
  yield* settle
})

export const statusOf = (deliveries: ReadonlyArray<ListedDelivery>) =>
  deliveries.map(({ status }) => status)
