/**
 * The contracts of the ports that core's own adapters and the webhook dispatcher carry out.
 */
import {
  operatorAccountId,
  Candles,
  DeliveryStore,
  EndpointStore,
  LocalEvents,
  PaperBroker,
  RecordedMarketData,
  ReplayRate
} from "@candlewick/core"
import {
  BrokerSuite,
  endpointRecord,
  EventPublisherSuite,
  MarketDataSuite,
  WebhookTransportSuite
} from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { NotificationSender, Webhooks } from "@candlewick/webhooks"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

BrokerSuite.suite("the paper broker", Layer.provide(PaperBroker.layer, MemoryStore.layer))

MarketDataSuite.suite(
  "recorded market data",
  Layer.merge(RecordedMarketData.layer, Candles.layer).pipe(
    Layer.provide(Layer.succeed(ReplayRate, 10_000)),
    Layer.provide(MemoryStore.layer)
  ),
  {
    // By the test's clock, all of the candles would lie in the future.
    prepare: (key, columns) =>
      TestClock.withLive(
        Effect.flatMap(Candles, (candles) => candles.import(operatorAccountId, { key, columns }))
      )
  }
)

WebhookTransportSuite.suite("a host that sends no webhooks", LocalEvents.layer, {
  reachable: null
})

WebhookTransportSuite.suite(
  "the addresses and secrets of webhooks",
  Webhooks.layerWithSender().pipe(
    Layer.provide(Layer.succeed(NotificationSender, { post: () => Effect.never })),
    Layer.provide(MemoryStore.layer)
  ),
  { reachable: "https://93.184.216.34/hook" }
)

EventPublisherSuite.suite(
  "events that stay in this process",
  Layer.merge(LocalEvents.layer, MemoryStore.layer),
  { subscribe: () => Effect.succeed(0), receiversOf: () => Effect.succeed(0) }
)

EventPublisherSuite.suite(
  "webhooks",
  Webhooks.layerWithSender().pipe(
    Layer.provide(Layer.succeed(NotificationSender, { post: () => Effect.never })),
    Layer.provideMerge(MemoryStore.layer)
  ),
  {
    subscribe: (accountId) =>
      Effect.gen(function* () {
        const { insert } = yield* EndpointStore
        const own = { account_id: accountId, events: endpointRecord().events }
        yield* insert(endpointRecord(own))
        yield* insert(endpointRecord(own))
        return 2
      }),
    receiversOf: (event) =>
      Effect.gen(function* () {
        const { list: listDeliveries } = yield* DeliveryStore
        const { list } = yield* EndpointStore
        const { items } = yield* list(event.account_id, { limit: 10 })
        const deliveries = yield* Effect.forEach(items, ({ id }) =>
          listDeliveries(id, { limit: 100 })
        )
        return deliveries.flatMap((page) => page.items).filter((one) => one.event_id === event.id)
          .length
      })
  }
)
