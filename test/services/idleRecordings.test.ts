/**
 * Bots that wait at the end of a recording. However many they are, they ask the store as often as
 * one, and each hears of new candles.
 */
import {
  Candles,
  CandleStore,
  Ids,
  MarketData,
  type MarketUpdate,
  operatorAccountId,
  RecordedMarketData,
  ReplayRate
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { free, symbol } from "../stories/scene.ts"
import { columnsOf } from "../stories/scripted.ts"

const waiting = 40
const looks = { count: 0 }

/** The candles of the store, which counts how often it is asked for its series. */
const counting = Layer.effect(
  CandleStore,
  Effect.map(CandleStore, (store) =>
    CandleStore.of({
      ...store,
      list: (owner) => {
        looks.count++
        return store.list(owner)
      }
    })
  )
)

const App = Layer.mergeAll(
  RecordedMarketData.layer.pipe(Layer.provide(Layer.succeed(ReplayRate, 10_000))),
  Candles.layer
).pipe(
  Layer.provideMerge(Ids.layer),
  Layer.provideMerge(counting),
  Layer.provideMerge(MemoryStore.layer)
)

const add = (prices: ReadonlyArray<number>) =>
  Effect.flatMap(Candles, (candles) =>
    candles.import(operatorAccountId, {
      key: { symbol, timeframe: "1h" },
      columns: columnsOf(prices),
      market: free
    })
  )

const countCandles = Effect.flatMap(Candles, (candles) =>
  Effect.map(
    candles.dataset(operatorAccountId, { symbol, timeframe: "1h" }),
    ({ columns }) => columns.length
  )
)

it.effect("is looked at by one of all that wait, once a second, and told to each", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 0, 1))
    const prices = [98, 99, 100, 101]
    yield* add(prices)
    const before = yield* countCandles
    const { candles } = yield* MarketData
    const told = Array.from({ length: waiting }, (): Array<MarketUpdate> => [])
    const request = { accountId: operatorAccountId, symbols: [symbol], timeframe: "1h" } as const
    const listeners = yield* Effect.forEach(told, (updates) =>
      candles({ ...request, after: null }).pipe(
        Stream.runForEach((update) => Effect.sync(() => void updates.push(update))),
        Effect.forkChild
      )
    )
    yield* TestClock.adjust("5 seconds")
    assert.isTrue(told.every((updates) => updates.at(-1)?.type === "end"))
    looks.count = 0
    for (let second = 0; second < 10; second++) yield* TestClock.adjust("1 second")
    assert.isAtLeast(looks.count, 9)
    assert.isAtMost(looks.count, 11)
    yield* add([...prices, 102])
    for (let second = 0; second < 6; second++) yield* TestClock.adjust("1 second")
    for (const updates of told) {
      const times = updates.flatMap((update) => (update.type === "candles" ? [update.time] : []))
      assert.lengthOf(new Set(times), before + 1)
      assert.lengthOf(times, before + 1)
    }
    yield* Fiber.interruptAll(listeners)
  }).pipe(Effect.provide(App))
)
