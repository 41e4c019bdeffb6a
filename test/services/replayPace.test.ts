/**
 * A recording that one listener leaves and another goes on with keeps its pace. A bot that moves to
 * another process gets its next candle at the time that it would have without moving.
 */
import {
  Bots,
  Candles,
  Ids,
  MarketData,
  operatorAccountId,
  RecordedMarketData,
  ReplayRate
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { definition, free, symbol } from "../stories/scene.ts"
import { columnsOf } from "../stories/scripted.ts"
import { botsOnStores, keepStrategy } from "../stories/world.ts"

const rate = Layer.succeed(ReplayRate, 0.1)
const market = RecordedMarketData.layer.pipe(Layer.provide(rate))

const App = Layer.mergeAll(market, Candles.layer).pipe(
  Layer.provideMerge(Ids.layer),
  Layer.provideMerge(MemoryStore.layer)
)

const columns = columnsOf([98, 99, 100, 101, 102, 103, 104, 105])

const add = Effect.flatMap(Candles, (candles) =>
  candles.import(operatorAccountId, { key: { symbol, timeframe: "1h" }, columns, market: free })
)

/** After how many seconds the first candles come to one who took the last one at a time. */
const heardAfter = Effect.fnUntraced(function* (takenMs: number | null) {
  const { candles } = yield* MarketData
  const beganMs = yield* Clock.currentTimeMillis
  const heard: Array<number> = []
  const request = { accountId: operatorAccountId, symbols: [symbol], timeframe: "1h" } as const
  const listener = yield* candles({ ...request, after: columns.time[0]!, takenMs }).pipe(
    Stream.take(2),
    Stream.runForEach(() =>
      Effect.map(Clock.currentTimeMillis, (ms) => void heard.push((ms - beganMs) / 1_000))
    ),
    Effect.forkChild
  )
  for (let second = 0; second < 25; second++) yield* TestClock.adjust("1 second")
  yield* Fiber.interrupt(listener)
  return heard
})

describe("a recording of a candle each ten seconds", () => {
  it.effect("tells whoever goes on with it the next candle when that is due", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 1))
      yield* add
      const ago = (seconds: number) =>
        Effect.flatMap(Clock.currentTimeMillis, (ms) => heardAfter(ms - seconds * 1_000))
      assert.deepStrictEqual(yield* heardAfter(null), [10, 20])
      assert.deepStrictEqual(yield* ago(0), [10, 20])
      assert.deepStrictEqual(yield* ago(7), [3, 13])
      assert.deepStrictEqual(yield* ago(10), [0, 10])
      assert.deepStrictEqual(yield* ago(3_600), [0, 10])
      // The clock of whoever took the last candle is an hour ahead.
      assert.deepStrictEqual(yield* ago(-3_600), [10, 20])
    }).pipe(Effect.provide(App))
  )

  it.effect("is no slower for a bot whose process was replaced", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 1))
      yield* add
      const host = botsOnStores(RecordedMarketData.layer.pipe(Layer.provide(rate)))
      const begun = Effect.gen(function* () {
        const { id: strategy_id } = yield* keepStrategy(operatorAccountId, definition)
        const bots = yield* Bots
        const { id } = yield* bots.create(operatorAccountId, {
          name: "moves",
          strategy_id,
          capital_allocation: 1_000,
          auto_start: true
        })
        const candleOf = Effect.map(
          bots.status(operatorAccountId, id),
          ({ last_candle_at: at }) => at
        )
        for (let second = 0; second < 60 && (yield* candleOf) === null; second++) {
          yield* TestClock.adjust("1 second")
        }
        return { id, first: yield* candleOf }
      })
      const { first, id } = yield* Effect.provide(begun, host)
      // Two seconds without a process, and eight in which the next one takes the bot up.
      yield* TestClock.adjust("2 seconds")
      const goneOn = Effect.gen(function* () {
        const bots = yield* Bots
        for (let second = 0; second < 8; second++) yield* TestClock.adjust("1 second")
        return (yield* bots.status(operatorAccountId, id)).last_candle_at
      })
      const second = yield* Effect.provide(goneOn, host)
      assert.notStrictEqual(first, null)
      assert.strictEqual(Date.parse(second!) - Date.parse(first!), 3_600_000)
    }).pipe(Effect.provide(App))
  )
})
