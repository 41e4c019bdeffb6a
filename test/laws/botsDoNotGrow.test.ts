/**
 * What a bot writes at a candle does not grow with its age, and its metrics are those of all that
 * it ever did.
 */
import {
  BotStore,
  Candles,
  defaultValues,
  measureAll,
  PaperAccountStore,
  toMarketSpec,
  toMeasurement,
  toRiskLimits,
  toSignalColumns
} from "@candlewick/core"
import { makeRandom, simulate } from "@candlewick/core/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { definition, setTheScene, symbol, world } from "../stories/scene.ts"

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

describe("an old bot", () => {
  const script = { [symbol]: closes }
  const { layer, tellUntil } = world(script)
  it.live(
    "writes as many bytes at a candle as a young one, and has the metrics of a backtest",
    () =>
      Effect.gen(function* () {
        const { accountId, bot, bots, reaches } = yield* setTheScene(script)
        const store = yield* BotStore
        const paper = yield* PaperAccountStore
        const bytes = Effect.gen(function* () {
          const state = Option.getOrThrow(yield* store.getState(bot.id))
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
        const { columns, market } = yield* candles.dataset({ symbol, timeframe: "1h" })
        const { levelsAt, plan, signals } = toSignalColumns(
          definition,
          defaultValues(definition),
          columns
        )
        const simulation = simulate({
          markets: [{ columns, levelsAt, signals, spec: toMarketSpec(market, columns) }],
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
})
