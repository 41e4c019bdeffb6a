/**
 * Traps of backtesting engines: what is known when something is decided.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Indicator } from "../../../engine/src/language/IndicatorRow.ts"
import { indicatorNames, indicatorCatalogue } from "../../../engine/src/language/Indicator.ts"
import type { Rule, Series } from "../../../engine/src/language/Rule.ts"
import type { StrategyDefinition } from "../../../engine/src/language/StrategyDefinition.ts"
import { runWithRoundTrips } from "../../../engine/src/fast/runMany.ts"
import { makeColumnCache } from "../../../engine/src/plan/evaluateColumns.ts"
import { planStrategy } from "../../../engine/src/plan/planStrategy.ts"
import { planWarmup } from "../../../engine/src/plan/planWarmup.ts"
import { toSignalColumns } from "../../../engine/src/plan/signalColumns.ts"
import {
  type CandleColumns,
  columnNames,
  copyColumns,
  sliceColumns,
  toSharedColumns
} from "../../../engine/src/kernel/columns.ts"
import { noRiskLimits } from "../../../engine/src/kernel/riskGate.ts"
import { backtest } from "../../../engine/src/research/backtest.ts"
import { splitSetting } from "../../src/services/runs/runSetting.ts"
import { simulateTask, type TaskSetting } from "../../src/services/runs/workers/simulateTask.ts"
import { randomWalk } from "../../../engine/src/testing/randomCandles.ts"
import { simulateOn } from "../../../engine/test/laws/simulated.ts"
import {
  type Bar,
  candlesOf,
  exitsOf,
  flatBars,
  freeMarket,
  hourMs,
  runOne
} from "../../../engine/test/traps/scripted.ts"

const close: Series = { type: "price", field: "close" }
const constant = (value: number): Series => ({ type: "constant", value })

/** A strategy on hourly candles that enters by this rule. */
const entering = (enter: Rule, exit?: Rule): StrategyDefinition => ({
  format: 1,
  symbols: ["TRP/USD"],
  timeframe: "1h",
  parameters: {},
  long: exit === undefined ? { enter } : { enter, exit },
  sizing: { type: "fixed_quantity", quantity: 1 }
})

const entriesOf = (enter: Rule, columns: CandleColumns): ReadonlyArray<number> =>
  [...(toSignalColumns(entering(enter), {}, columns).signals.enterLong ?? [])].flatMap(
    (flag, index) => (flag === 1 ? [index] : [])
  )

const aboveAverage: Rule = { type: "above", left: close, right: { type: "sma", period: 10 } }
const belowAverage: Rule = { type: "below", left: close, right: { type: "sma", period: 10 } }

/** The columns that an indicator reads. */
const inputsOf = (row: Indicator, columns: CandleColumns): ReadonlyArray<Float64Array> =>
  row.inputs.map((name) => (name === "source" ? columns.close : columns[name]))

const defaultsOf = (row: Indicator): ReadonlyArray<number> =>
  Object.values(row.settings).map((setting) => setting.default)

describe("the facts known at a close", () => {
  it("trap 1: what is decided at a close is executed at the next open, never before", () => {
    const columns = randomWalk("next open", { count: 400 })
    const definition = entering(aboveAverage, belowAverage)
    const { signals } = toSignalColumns(definition, {}, columns)
    const { fills } = simulateOn(definition, [columns], { endOfData: "open" }, freeMarket)
    assert.isAbove(fills.length, 40)
    for (const { index, price, leg } of fills) {
      const decided = leg === "entry" ? signals.enterLong : signals.exitLong
      assert.strictEqual(decided?.[index - 1], 1, `${leg} at ${index}`)
      assert.strictEqual(price, columns.open[index])
    }
  })

  it("trap 2: no indicator reads a later candle: cut off or changed, the past stays", () => {
    const columns = randomWalk("indicators", { count: 260 })
    const other = copyColumns(columns)
    const until = 190
    for (const name of columnNames) {
      if (name !== "time") other[name].forEach((_, at) => at >= until && (other[name][at]! *= 3))
    }
    for (const name of indicatorNames) {
      const row: Indicator = indicatorCatalogue[name]
      const settings = defaultsOf(row)
      const whole = row.column(inputsOf(row, columns), settings)
      const cut = row.column(inputsOf(row, sliceColumns(columns, 0, until)), settings)
      const changed = row.column(inputsOf(row, other), settings)
      whole.forEach((output, at) => {
        assert.deepStrictEqual(cut[at], output.slice(0, until), `${name}, cut off`)
        assert.deepStrictEqual(changed[at]?.slice(0, until), output.slice(0, until), name)
      })
    }
  })

  it("trap 3: an average that remembers depends on its start, and forgets it", () => {
    const columns = randomWalk("recursive", { count: 1_200 })
    const later = sliceColumns(columns, 400)
    for (const [name, period] of [
      ["ema", 20],
      ["rsi", 14],
      ["atr", 14]
    ] as const) {
      const row: Indicator = indicatorCatalogue[name]
      const [long] = row.column(inputsOf(row, columns), [period])
      const [short] = row.column(inputsOf(row, later), [period])
      const difference = (index: number) =>
        Math.abs((long?.[400 + index] ?? Number.NaN) / (short?.[index] ?? Number.NaN) - 1)
      assert.isAbove(difference(row.warmup(period)), 1e-4, name)
      assert.isBelow(difference(row.warmup(period) + 30 * period), 1e-9, name)
    }
  })

  it("trap 3: a range is decided on all candles before it, so that its start changes nothing", () => {
    const columns = randomWalk("ranges", { count: 600 })
    const rsi: Series = { type: "rsi", period: 14 }
    const definition: StrategyDefinition = {
      ...entering({ type: "below", left: rsi, right: constant(40) }),
      exits: { time_limit: 3 }
    }
    const entriesFrom = (from: number) =>
      simulateOn(definition, [columns], { from: [from] }, freeMarket)
        .fills.filter(({ leg }) => leg === "entry")
        .map(({ time }) => time)
    const whole = entriesFrom(0)
    const free = whole.find((time) => time > columns.time[300]!)
    assert.isDefined(free)
    // Begins where the whole run holds nothing, so that both can enter from there on.
    const from = columns.time.indexOf(free ?? 0) - 1
    assert.deepStrictEqual(
      entriesFrom(from),
      whole.filter((time) => time >= (free ?? 0))
    )
  })

  it("trap 4: nothing is signalled while an indicator warms up, as long as is planned for", () => {
    const columns = randomWalk("warm-up", { count: 400 })
    for (const name of indicatorNames) {
      const row: Indicator = indicatorCatalogue[name]
      for (const output of Object.keys(row.outputs)) {
        // The names of the catalogue, which the compiler can't put together.
        const series = { type: name, output } as unknown as Series
        const enter: Rule = { type: "above", left: series, right: constant(-1e15) }
        const warmup = planWarmup(planStrategy(entering(enter), {}))
        const [first] = entriesOf(enter, columns)
        // The directional indicators are there before the average that gives the row its warm-up.
        const early = name === "adx" && output !== "adx" ? 13 : 0
        assert.strictEqual(first, warmup - early, `${name}, ${output}`)
      }
    }
  })

  it("trap 4: the warm-up of later outputs follows their settings", () => {
    const columns = randomWalk("settings", { count: 200 })
    const firstOf = (series: Series) => {
      const enter: Rule = { type: "above", left: series, right: constant(-1e15) }
      const warmup = planWarmup(planStrategy(entering(enter), {}))
      assert.strictEqual(entriesOf(enter, columns)[0], warmup)
      return warmup
    }
    const cloud = { type: "ichimoku", conversion: 30, base: 10, span: 20 } as const
    const firsts = (["conversion", "span_a", "span_b"] as const).map((output) =>
      firstOf({ ...cloud, output })
    )
    assert.deepStrictEqual(firsts, [29, 39, 29])
    const stochastic = { type: "stochastic", period: 5, smooth: 4, signal: 6 } as const
    assert.strictEqual(firstOf({ ...stochastic, output: "d" }), 12)
  })

  it("trap 4: a comparison with something undefined is false, and so is its opposite", () => {
    const columns = randomWalk("undefined", { count: 60 })
    const sma: Series = { type: "sma", period: 50 }
    for (const type of ["above", "below"] as const) {
      const rule: Rule = { type, left: sma, right: constant(0) }
      const both: Rule = { type: "any", rules: [rule, { type: "not", rule }] }
      assert.strictEqual(entriesOf(both, columns)[0], 49, type)
    }
    // Divided by nothing: no number, and therefore no signal either.
    const nothing: Series = { type: "sub", left: close, right: close }
    const quotient: Series = { type: "div", left: close, right: nothing }
    const rule: Rule = { type: "above", left: quotient, right: constant(0) }
    assert.deepStrictEqual(entriesOf({ type: "not", rule }, columns), [])
  })

  // Entered at the open of 1, so that the time limit of 3 decides at the close of 4.
  it("trap 16: of an exit rule and a time limit at one close, the rule is the reason", () => {
    const reasonOf = (exitLong: ReadonlyArray<number>, long: ReadonlyArray<number> = [0]) =>
      exitsOf(runOne({ bars: flatBars(8), long, exitLong, plan: { timeLimit: 3 } }))
    assert.deepStrictEqual(reasonOf([4]), [[5, 100, "signal"]])
    assert.deepStrictEqual(reasonOf([5]), [[5, 100, "time_limit"]])
    // Entry and exit at once say nothing, and leave the time limit.
    assert.deepStrictEqual(reasonOf([4], [0, 4]), [[5, 100, "time_limit"]])
  })

  it("trap 16: whichever it is, a position is left once, on both paths", () => {
    const closes = [100, 100, 101, 102, 103, 104, 100, 100, 100, 101]
    const columns = candlesOf(closes.map((price): Bar => [price, price, price, price]))
    const enter: Rule = { type: "below", left: close, right: constant(100.5) }
    const left = (exitAbove: number) => {
      const exit: Rule = { type: "above", left: close, right: constant(exitAbove) }
      const definition = { ...entering(enter, exit), exits: { time_limit: 3 } }
      const options = { capital: 1_000, fill: "next_open", endOfData: "open" } as const
      const [first] = backtest(columns, definition, {
        ...options,
        market: freeMarket
      }).positions
      const { plain, trades } = runWithRoundTrips(
        makeColumnCache(columns),
        [{ definition, values: {} }],
        {
          ...options,
          spec: freeMarket,
          returns: "candle",
          periodsPerYear: 365
        }
      )
      assert.deepStrictEqual(plain, [])
      const { exitIndex, exitPrice } = trades[0]!
      assert.deepStrictEqual(
        [exitIndex[0]! * hourMs, exitPrice[0]],
        [first?.exitTime, first?.exitPrice]
      )
      return [first?.exitTime, first?.exitPrice, first?.exitReason]
    }
    // The close of 4 is 103.
    assert.deepStrictEqual(left(102), [5 * hourMs, 104, "signal"])
    assert.deepStrictEqual(left(103), [5 * hourMs, 104, "time_limit"])
    assert.deepStrictEqual(left(101), [4 * hourMs, 103, "signal"])
  })

  it("trap 16: signals both ways on one candle order nothing, with or without a position", () => {
    const bars = flatBars(5)
    assert.deepStrictEqual(runOne({ bars, long: [0], short: [0] }).fills, [])
    assert.deepStrictEqual(runOne({ bars, long: [0], exitLong: [0] }).fills, [])
    const held = runOne({ bars, long: [0, 2], exitLong: [2] })
    assert.strictEqual(held.fills.length, 1)
  })
})

describe("longer candles", () => {
  const fourHours: Series = { type: "timeframe", timeframe: "4h", of: close }
  const risen: Rule = { type: "above", left: fourHours, right: constant(150) }
  const prices = [100, 100, 100, 100, 200, 200, 200, 200, 200, 200]
  const bars = prices.map((price) => [price, price, price, price] as const)

  it("trap 24: a longer candle is seen once it has closed, with its last shorter one", () => {
    assert.deepStrictEqual(entriesOf(risen, candlesOf(bars)), [7, 8, 9])
    for (let count = 0; count <= 10; count++) {
      const seen = entriesOf(risen, sliceColumns(candlesOf(bars), 0, count))
      assert.deepStrictEqual(
        seen,
        [7, 8, 9].filter((index) => index < count)
      )
    }
  })

  it("trap 24: where its last shorter one is missing, a longer candle is seen with the next", () => {
    // Hours 0 to 6, then 8 and 9: that of 7 never came.
    const columns = candlesOf(bars.slice(0, 9), (index) => (index < 7 ? index : index + 1) * hourMs)
    assert.deepStrictEqual(entriesOf(risen, columns), [7, 8])
  })
})

describe("stretches", () => {
  const warm: Rule = { type: "above", left: { type: "sma", period: 60 }, right: constant(0) }

  it("trap 43: what is kept out of sample is warm from its first candle on, not before it", () => {
    const columns = randomWalk("out of sample", { count: 500 })
    const setting: TaskSetting = {
      markets: [
        {
          symbol: "TRP/USD",
          buffer: toSharedColumns(columns),
          hash: "out of sample",
          spec: freeMarket,
          from: 0,
          to: 500
        }
      ],
      timeframe: "1h",
      capital: 100_000,
      limits: noRiskLimits,
      fill: "next_open",
      endOfData: "close"
    }
    const { after, before } = splitSetting(setting, [{ columns }], columns.time[350]!)
    const run = (part: TaskSetting) => simulateTask(part, entering(warm), {}, () => false)
    const [trained, held] = [run(before), run(after)]
    assert.strictEqual(trained.fills[0]?.time, columns.time[60])
    assert.strictEqual(trained.time.at(-1), columns.time[349])
    assert.strictEqual(held.time[0], columns.time[350])
    assert.strictEqual(held.fills[0]?.time, columns.time[351])
  })

  it("trap 45: each candle is read a fixed number of times, however many there are", () => {
    const definition: StrategyDefinition = {
      ...entering(
        {
          type: "crosses_above",
          left: { type: "ema", period: 5 },
          right: { type: "sma", period: 50 }
        },
        { type: "above", left: close, right: { type: "highest", of: close, period: 100 } }
      ),
      exits: {
        stop_loss: { type: "atr", period: 14, multiple: 2 },
        trailing_stop: { distance: { type: "fraction", value: 0.05 } }
      }
    }
    const readCount = (count: number): number => {
      let reads = 0
      const counted = (column: Float64Array): Float64Array =>
        new Proxy(column, {
          get: (target, key) => {
            reads += typeof key === "string" && /^\d+$/.test(key) ? 1 : 0
            const value: unknown = Reflect.get(target, key, target)
            return typeof value === "function" ? (value.bind(target) as unknown) : value
          }
        })
      const { length, ...walk } = randomWalk("linear", { count })
      const columns: CandleColumns = {
        length,
        time: counted(walk.time),
        open: counted(walk.open),
        high: counted(walk.high),
        low: counted(walk.low),
        close: counted(walk.close),
        volume: counted(walk.volume)
      }
      assert.isAbove(simulateOn(definition, [columns], {}, freeMarket).fills.length, 2)
      return reads
    }
    const [few, many] = [readCount(1_000), readCount(4_000)]
    assert.isAtLeast(few, 4_000, "each candle is read several times")
    // Candles at which nothing is held are read less often, and their share varies.
    assert.closeTo(many / few, 4, 0.5)
  })
})
