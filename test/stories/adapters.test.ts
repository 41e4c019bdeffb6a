/**
 * The contracts of the ports that core's own adapters and the webhook dispatcher carry out.
 */
import {
  operatorAccountId,
  Candles,
  DeliveryStore,
  EndpointStore,
  LocalEvents,
  MarketData,
  RecordedMarketData,
  ReplayRate,
  type SeriesKey
} from "@candlewick/core"
import type { CandleColumns } from "@candlewick/core/kernel"
import {
  endpointRecord,
  EventPublisherSuite,
  MarketDataSuite,
  WebhookTransportSuite
} from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { NotificationSender, Webhooks } from "@candlewick/webhooks"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"

const recorded = RecordedMarketData.layer.pipe(Layer.provide(Layer.succeed(ReplayRate, 10_000)))

// By the test's clock, all of the candles would lie in the future.
const record = (key: SeriesKey, columns: CandleColumns) =>
  TestClock.withLive(
    Effect.flatMap(Candles, (candles) => candles.import(operatorAccountId, { key, columns }))
  )

MarketDataSuite.suite(
  "recorded market data",
  Layer.merge(recorded, Candles.layer).pipe(Layer.provide(MemoryStore.layer)),
  { prepare: record }
)

/** The same without a word at the end, as from an exchange. */
const unending = Layer.effect(
  MarketData,
  Effect.map(MarketData, (source) =>
    MarketData.of({
      ...source,
      candles: (request) => Stream.filter(source.candles(request), ({ type }) => type !== "end")
    })
  )
).pipe(Layer.provide(recorded))

MarketDataSuite.suite(
  "market data that don't end",
  Layer.merge(unending, Candles.layer).pipe(Layer.provide(MemoryStore.layer)),
  { prepare: record, isEndless: true }
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
