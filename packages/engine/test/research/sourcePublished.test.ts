/**
 * Assertions of other projects about their own engines in their own tests, by the simulator of
 * backtests. LEAN's algorithms are in the strategy language, single orders in code. They are read
 * from the folder in CANDLEWICK_ORACLES.
 */
import { assert, describe, it } from "@effect/vitest"
import { type CandleColumns, indexAt } from "../../src/kernel/columns.ts"
import {
  above,
  backtest,
  type BacktestResult,
  below,
  type CodeDecision,
  constant,
  define,
  div,
  ema,
  indicator,
  price,
  strategy,
  sub,
  sweep
} from "../../src/research/index.ts"
import { assertNear } from "../kernel/orders/checkTrades.ts"
import {
  capital,
  checkBounds,
  type Figures,
  leanAlgorithms,
  leanCases,
  toFigures
} from "../kernel/orders/leanCases.ts"
import {
  type Check,
  checkPublished,
  dateOf,
  firstOf,
  inDays,
  plain,
  publishedCases
} from "../kernel/orders/publishedCases.ts"
import type { SourceEngine } from "../kernel/orders/sourceEngine.ts"
import { sourceStatistics } from "../kernel/orders/sourceStatistics.ts"
import { sourceCode } from "./sourceCode.ts"
import { makePurse } from "./sourcePurse.ts"
import { publishedReasons } from "./sourceReasons.ts"
import { sourceCandles, sourceRunOptions, toEquity, toRows } from "./sourceRun.ts"

const frame = { symbols: ["A/B"], timeframe: "1d" } as const
const all = { type: "equity_fraction", fraction: 0.9975 } as const
const priceLevel = (value: number) => ({ kind: "price", value }) as const

/** The statistics of a crossing of averages, with the sizes of the other software. */
const statistics: Check = (candles) => {
  const engine = { ...plain, finalize_trades: true }
  const { columns } = sourceCandles(candles, engine)
  const settings = { fast: 10, slow: 30, mode: "both" }
  const code = sourceCode(frame, { name: "SmaCross", settings, engine }, columns)
  const first = 30
  const options = { ...sourceRunOptions(engine, 2), from: columns.time[first]! }
  const result = backtest(columns, code, options)
  const equity = toEquity(result, candles.length, first, engine)
  const found = sourceStatistics(candles, equity, toRows(result, columns, engine), first - 1)
  return inDays(found, candles)
}

type Entry = Parameters<typeof define>[0]["entry"]

/** One entry at the close of a candle, left at the close of another where that is said. */
const runOnce = (
  candles: CandleColumns,
  decides: (index: number) => CodeDecision | null,
  engine: SourceEngine = plain,
  entry?: Entry
): BacktestResult => {
  const code = define({
    ...frame,
    name: "once",
    ...(entry && { entry }),
    onCandle: ({ candle }) => decides(indexAt(candles, candle().time))
  })
  return backtest(candles, code, { ...sourceRunOptions(engine, 2), endOfData: "open" })
}

const onDate = (candles: CandleColumns, date: string): number =>
  candles.time.findIndex((time) => dateOf(time) === date)

/** An entry with a stop-loss on the 17th of October 2012, and where it left. */
const stopped =
  (stop?: number): Check =>
  (candles) => {
    const day = onDate(candles, "2012-10-17")
    const offset = stop === undefined ? 0 : stop / candles.close[day]! - 1
    const { positions } = runOnce(
      candles,
      (index) => (index === day ? { enterLong: true, exits: { stopLoss: priceLevel(720) } } : null),
      plain,
      stop === undefined ? undefined : { type: "stop", offset, expires_after: 10 }
    )
    assert.strictEqual(positions.length, 1)
    const { entryTime, exitPrice, exitTime } = firstOf([...positions])
    const days = indexAt(candles, exitTime) - indexAt(candles, entryTime)
    assert.strictEqual(days, stop === undefined ? 0 : 1)
    return { exit_price: exitPrice }
  }

/** The cost of an entry with all of the equity, and the cash left after an exit at once. */
const costs =
  (changes: Partial<SourceEngine>): Check =>
  (candles) => {
    const engine = { ...plain, ...changes }
    const purse = makePurse(candles, engine)
    const { equity } = runOnce(
      candles,
      (index) => {
        if (index === 2) return { exitLong: true }
        if (index !== 1) return null
        const quantity = purse.sizeAt(index, false)
        return { enterLong: true, sizing: { type: "fixed_quantity", quantity } }
      },
      engine
    )
    return {
      equity_bar_2_3_rounded: [equity[2]!, equity[3]!].map((one) => Math.round(one * 100) / 100)
    }
  }

/** One unit with a stop that the next open has passed. */
const gappedStop: Check = (candles) => {
  const exits = { stopLoss: priceLevel(99.5) }
  const sizing = { type: "fixed_quantity", quantity: 1 } as const
  const decides = (index: number) => (index === 8 ? { enterLong: true, exits, sizing } : null)
  const { positions } = runOnce(candles, decides)
  return { exit_price: firstOf([...positions]).exitPrice, sl_recorded: exits.stopLoss.value }
}

const checks: Readonly<Record<string, Check>> = {
  compute_stats_goog: statistics,
  sl_on_entry_day: stopped(),
  stop_entry_then_sl_next_day: stopped(758),
  fixed_plus_relative_commission: costs({ commission: [100, 0.01] }),
  relative_commission_only: costs({ commission: 0.01 }),
  gapped_stop: gappedStop
}

describe("backtesting.py's assertions about itself, by the simulator of backtests", () => {
  if (publishedCases.length === 0) {
    it("holds", (ctx) => ctx.skip("CANDLEWICK_ORACLES names no folder"))
    return
  }
  for (const one of publishedCases) {
    if (one.id in publishedReasons) continue
    it(`holds in ${one.id}`, () => checkPublished(one, checks[one.id]!))
  }
})

const macd = (output: "macd" | "signal") =>
  indicator("macd", { fast: 12, slow: 26, signal: 9, output })
const gap = div(sub(macd("macd"), macd("signal")), ema(12))

const algorithms = {
  trend: strategy({
    ...frame,
    long: { enter: above(gap, constant(0.0025)), exit: below(gap, constant(-0.0025)) },
    sizing: all
  }),
  holding: strategy({
    ...frame,
    long: { enter: above(price.close, constant(0)) },
    sizing: all
  })
}

const options = {
  capital,
  fees: { maker: 0, taker: 0 },
  slippage: 0,
  market: { tick: 0, lot: 1, minNotional: 0 },
  endOfData: "open"
} as const

/** By a backtest, with which a sweep agrees. */
const measure = (candles: CandleColumns, name: keyof typeof algorithms): Figures => {
  const { equity, fills, metrics, positions } = backtest(candles, algorithms[name], options)
  const { positionCount, totalReturn } = sweep(candles, algorithms[name], [{}], options)
  assert.strictEqual(positionCount[0], fills.filter(({ leg }) => leg === "entry").length)
  assertNear(totalReturn[0]!, metrics.total_return!, "return of the sweep")
  return toFigures(candles, equity, [...positions.returnRate], fills.length)
}

describe("LEAN's assertions about itself, by strategies in the language", () => {
  if (leanCases.length === 0) {
    it("is near", (ctx) => ctx.skip("CANDLEWICK_ORACLES names no folder"))
    return
  }
  for (const { expected, id } of leanCases) {
    const algorithm = leanAlgorithms[id]
    if (algorithm === undefined) continue
    it(`is near in ${id}`, (ctx) => {
      // Of seven days a size that is decided at the close before shows in the beta.
      const { Beta, ...others } = algorithm.bounds
      const isShort = id === "BasicTemplateDailyAlgorithm"
      const bounds = isShort || Beta === undefined ? others : { ...others, Beta }
      const without = isShort
        ? "; its size is decided at the close before, so without its beta"
        : ""
      Object.assign(ctx.task.meta, { inPart: `${algorithm.inPart}${without}` })
      checkBounds({ ...algorithm, bounds }, expected, (candles) =>
        measure(candles, algorithm.strategy)
      )
    })
  }
})
