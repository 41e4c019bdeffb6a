/**
 * The writes of a bot at a candle do not grow with its age, and its metrics are those of its whole
 * life.
 */
import {
  operatorAccountId,
  Bots,
  BotStateStore,
  Candles,
  CandleStore,
  defaultValues,
  measureAll,
  PaperAccountStore,
  RecordedMarketData,
  ReplayRate,
  toMarketSpec,
  toMeasurement,
  toRiskLimits,
  toSignalColumns,
  toTimestamp
} from "@candlewick/core"
import { makeRandom, simulate, sliceColumns } from "@candlewick/core/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { definition, setTheScene, symbol, world } from "../stories/scene.ts"
import { candleOf, columnsOf } from "../stories/scripted.ts"
import { botsOver, eventually, keepStrategy, makeAccount } from "../stories/world.ts"

const random = makeRandom("bots do not grow")
const young = 200
const old = 2_000
const capital = 10_000

/** Closes on both sides of the level; none is held, and no order rests, at either age. */
const closes = Array.from({ length: old }, (_, index) =>
  [young, old].some((age) => index < age && index >= age - 3) ? 99 : 100 + random.normal()
)

/** Digits of numbers, of which some are longer than others. */
const slackBytes = 300

/** A world over a store that counts the candles that are read of it. */
const countedWorld = () => {
  const counted = { candles: 0 }
  const store = Layer.effect(
    CandleStore,
    Effect.map(CandleStore, (kept) => ({
      ...kept,
      load: (...asked: Parameters<typeof kept.load>) =>
        Effect.tap(kept.load(...asked), (found) =>
          Effect.sync(() => {
            counted.candles += Option.match(found, {
              onNone: () => 0,
              onSome: ({ length }) => length
            })
          })
        )
    }))
  )
  const marketData = RecordedMarketData.layer.pipe(
    Layer.provide(store),
    Layer.provide(Layer.succeed(ReplayRate, 10_000))
  )
  return { counted, layer: botsOver(marketData) }
}

describe("an old bot", () => {
  const script = { [symbol]: closes }
  const { layer, tellUntil } = world(script)
  it.live(
    "writes as many bytes at a candle as a young one, and has the metrics of a backtest",
    () =>
      Effect.gen(function* () {
        const { accountId, bot, bots, reaches } = yield* setTheScene(script)
        const store = yield* BotStateStore
        const paper = yield* PaperAccountStore
        const bytes = Effect.gen(function* () {
          const state = Option.getOrThrow(yield* store.get(bot.id))
          const account = Option.getOrThrow(yield* paper.get(bot.id))
          return JSON.stringify(state.snapshot).length + JSON.stringify(account).length
        })
        yield* bots.command(accountId, bot.id, "start")
        yield* tellUntil(young)
        yield* reaches(young - 1)
        const before = yield* bytes
        // In steps, none of which takes long.
        for (let age = young * 2; age <= old; age += young) {
          yield* tellUntil(age)
          yield* reaches(age - 1)
        }
        assert.closeTo(yield* bytes, before, slackBytes)

        const { metrics, positions_closed } = yield* bots.performance(accountId, bot.id)
        assert.isAbove(positions_closed, 300)
        const candles = yield* Candles
        const { columns, market } = yield* candles.dataset(operatorAccountId, {
          symbol,
          timeframe: "1h"
        })
        const { levelsAt, plan, signals } = toSignalColumns(
          definition,
          defaultValues(definition),
          columns
        )
        const simulation = simulate({
          markets: [{ columns, levelsAt, signals, spec: toMarketSpec(market) }],
          plan,
          capital,
          limits: toRiskLimits(null),
          fill: "next_open",
          endOfData: "open"
        })
        const measured = measureAll(toMeasurement(simulation, capital, 3_600_000))
        const { exposure: _exposure, exposure_time: _time, ...wanted } = measured.metrics
        assert.deepStrictEqual(metrics, wanted)
      }).pipe(Effect.provide(layer)),
    60_000
  )

  it.live("reads none of the candles again that it has seen", () => {
    const { counted, layer: counting } = countedWorld()
    return Effect.gen(function* () {
      const candles = yield* Candles
      const key = { symbol, timeframe: "1h" } as const
      const add = (from: number, to: number) =>
        candles.import(operatorAccountId, {
          key,
          columns: sliceColumns(columnsOf(closes), from, to)
        })
      yield* add(0, young)
      const bots = yield* Bots
      const accountId = yield* makeAccount
      const strategy = yield* keepStrategy(accountId, definition)
      const { id } = yield* bots.create(accountId, {
        name: "waits",
        strategy_id: strategy.id,
        capital_allocation: capital
      })
      yield* bots.command(accountId, id, "start")
      yield* eventually(bots.status(accountId, id), ({ is_data_ended }) => is_data_ended)
      counted.candles = 0
      yield* add(young, young + 3)
      const last = toTimestamp(candleOf(closes, young + 2).time)
      yield* eventually(bots.status(accountId, id), ({ last_candle_at }) => last_candle_at === last)
      // The import has read those that were there, once.
      assert.strictEqual(counted.candles, young + 3)
    }).pipe(Effect.provide(counting))
  })
})
