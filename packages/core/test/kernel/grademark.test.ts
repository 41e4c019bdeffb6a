/**
 * Trades of one unit, decided at a close and filled at the next open, against results of other
 * software, which are read from the folder in CANDLEWICK_ORACLES.
 *
 * All of its cases are reached with options: a position is held for a candle before its exit rule
 * counts, an exit's own candle gives no entry, and a stop fills at its level whatever the open. Its
 * conditional entry fills at the open of the candle whose high comes to a price, so that the signal
 * has to know that high beforehand; the test does, and the engine needs no option for it.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type CandleColumns, sliceColumns } from "../../src/kernel/columns.ts"
import { expectancy } from "../../src/kernel/metrics/expectancy.ts"
import { sumResults } from "../../src/kernel/metrics/positionSums.ts"
import { profitFactor } from "../../src/kernel/metrics/profitFactor.ts"
import { sqn } from "../../src/kernel/metrics/sqn.ts"
import { winRate } from "../../src/kernel/metrics/winRate.ts"
import type { SignalOptions } from "../../src/kernel/signals/signalOptions.ts"
import type { SignalTrade } from "../../src/kernel/signals/signalResult.ts"
import { simulateSignals } from "../../src/kernel/signals/simulateSignals.ts"
import { mean, standardDeviation } from "../../src/kernel/statistics.ts"
import { readCandles } from "./readCandles.ts"

interface WantedTrade {
  readonly direction: "long" | "short"
  readonly entry_bar: number
  readonly exit_bar: number
  readonly entry_price: number
  readonly exit_price: number
  readonly profit_per_unit: number
  readonly profit_pct: number
  readonly growth: number
  readonly risk_pct: number | null
  readonly r_multiple: number | null
  readonly holding_period: number
  readonly exit_reason: "exit-rule" | "stop-loss" | "profit-target" | "finalize"
  readonly stop_price: number | null
  readonly profit_target: number | null
}

type Analysis = Readonly<Record<string, number | null>>

interface Traded {
  readonly trades: ReadonlyArray<WantedTrade>
  readonly analysis_10000: Analysis
}

interface BacktestCase {
  readonly id: string
  readonly kind: "backtest"
  readonly data: { readonly file: string }
  readonly parameters: { readonly SMA: number }
  readonly expected: Traded
}

interface Grid {
  readonly SMA: { readonly from: number; readonly to: number; readonly step: number }
}

interface OptimizeCase {
  readonly id: string
  readonly kind: "optimize"
  readonly data: { readonly file: string }
  readonly grid: Grid
  readonly expected: {
    readonly best_value: number
    readonly best_params: { readonly SMA: number }
    readonly all: ReadonlyArray<{
      readonly SMA: number
      readonly result: number
      readonly trades: number
    }>
  }
}

interface WalkForwardCase {
  readonly id: string
  readonly kind: "walk_forward"
  readonly data: { readonly file: string }
  readonly grid: Grid
  readonly expected: Traded & {
    readonly windows: ReadonlyArray<{
      readonly in_sample: readonly [number, number]
      readonly out_sample: readonly [number, number]
      readonly best_params: { readonly SMA: number }
      readonly best_value: number
      readonly out_sample_trades: number
    }>
  }
}

type AnyCase = BacktestCase | OptimizeCase | WalkForwardCase

const oracles = process.env["CANDLEWICK_ORACLES"]
const noOracles = "CANDLEWICK_ORACLES names no folder"
const folder = oracles === undefined ? null : join(oracles, "grademark")
const cases =
  folder === null
    ? []
    : readdirSync(folder).map(
        (name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as AnyCase
      )

const candlesOf = ({ data }: AnyCase): CandleColumns => readCandles(join(oracles ?? "", data.file))

/** One unit at the next open, with its rules of when to look. */
const oneUnit: Partial<SignalOptions> = {
  capital: 1e9,
  size: 1,
  fillPrice: "next_open",
  stopBase: "fill_price",
  gapFill: "level",
  holdMin: 1,
  cooldown: 1
}

type Side = "below" | "above" | "none"

/** What a case does besides entering below the average and leaving above it. */
interface Variant {
  readonly entry?: Side
  readonly exit?: Side
  /** Factor of the average that an entry's close has to pass. */
  readonly margin?: number
  readonly options?: (candles: CandleColumns) => Partial<SignalOptions>
}

const trailingBy = (fraction: number): Variant => ({
  options: ({ close }) => ({
    stopLoss: close.map((price) => price * fraction),
    stopUnit: "distance",
    trailing: "close",
    trailingDistance: "each_candle"
  })
})

const variants: Readonly<Record<string, Variant>> = {
  eurusd_short_stop: {
    entry: "above",
    exit: "below",
    margin: 1.001,
    options: () => ({ direction: "short_only", stopLoss: 0.003 })
  },
  goog_mr_stop_target: { options: () => ({ stopLoss: 0.03, takeProfit: 0.05 }) },
  goog_mr_trail: trailingBy(0.06),
  stw_mr_maxhold: { exit: "none", options: () => ({ timeLimit: 3 }) },
  stw_mr_stop: { options: () => ({ stopLoss: 0.015 }) },
  stw_mr_target: { options: () => ({ takeProfit: 0.01 }) },
  stw_mr_trail: trailingBy(0.03)
}

/**
 * Signals of a close on a side of its average, from the first candle that is not skipped.
 *
 * One close of the grid equals its average but for the last bit, so the average is summed from the
 * oldest close on, as the other software does; the rolling one of the kernel rounds otherwise.
 */
const signalsOf = (candles: CandleColumns, period: number, side: Side, margin = 1): Uint8Array => {
  return Uint8Array.from(candles.close, (close, index) => {
    if (index < period) return 0
    const level = mean(candles.close.subarray(index - period + 1, index + 1)) * margin
    return Number((side === "below" && close < level) || (side === "above" && close > level))
  })
}

const tradesOf = (
  candles: CandleColumns,
  period: number,
  { entry = "below", exit = "above", margin = 1, options }: Variant = {}
): ReadonlyArray<SignalTrade> => {
  const entries = signalsOf(candles, period, entry, margin)
  const exits = signalsOf(candles, period, exit)
  return simulateSignals(candles, { entries, exits }, { ...oneUnit, ...options?.(candles) }).trades
}

/**
 * When flat, a price above the close is waited for; the candle that comes to it is entered at its
 * open. Whether the position is flat is asked of the engine.
 */
const conditionalTrades = (candles: CandleColumns, period: number): ReadonlyArray<SignalTrade> => {
  const { length } = candles
  const entries = new Uint8Array(length)
  const exits = signalsOf(candles, period, "above")
  const upTo = (end: number) =>
    simulateSignals(
      sliceColumns(candles, 0, end),
      { entries: entries.subarray(0, end), exits: exits.subarray(0, end) },
      { ...oneUnit, longConflict: "entry" }
    )
  let trigger: number | null = null
  for (let index = period; index < length; index++) {
    if (trigger !== null && candles.high[index]! >= trigger) {
      entries[index - 1] = 1
      trigger = null
    } else if (trigger === null) {
      const { trades } = upTo(index + 1)
      const isFlat = trades.every(({ exitIndex }) => exitIndex < index)
      if (isFlat) trigger = candles.close[index]! * 1.001
    }
  }
  return upTo(length).trades
}

const reasons: Readonly<Record<string, WantedTrade["exit_reason"]>> = {
  signal: "exit-rule",
  time_limit: "exit-rule",
  stop_loss: "stop-loss",
  trailing_stop: "stop-loss",
  take_profit: "profit-target",
  end_of_data: "finalize"
}

/** A trade in the terms of the other software. */
const told = (trade: SignalTrade, offset = 0): WantedTrade => {
  const { direction, entryPrice, exitPrice, entryStop, entryIndex, exitIndex, pnl } = trade
  const risk = entryStop === null ? null : Math.abs(entryPrice - entryStop)
  return {
    direction,
    entry_bar: entryIndex + offset,
    exit_bar: exitIndex + offset,
    entry_price: entryPrice,
    exit_price: exitPrice,
    profit_per_unit: pnl,
    profit_pct: trade.returnRate * 100,
    growth: direction === "long" ? exitPrice / entryPrice : entryPrice / exitPrice,
    risk_pct: risk === null ? null : (risk / entryPrice) * 100,
    r_multiple: risk === null ? null : pnl / risk,
    // Candles after that of the entry on which its rules were looked at to the end.
    holding_period: exitIndex - entryIndex - (trade.status === "open" ? 0 : 1),
    exit_reason: reasons[trade.exitReason] ?? "finalize",
    stop_price: entryStop,
    profit_target: trade.entryTarget
  }
}

const orNull = (value: number): number | null => (Number.isFinite(value) ? value : null)

/** The lowest so far of what was lost since the peak, in money and as its fraction of the peak. */
const drawdowns = (growths: ReadonlyArray<number>) => {
  let [capital, peak, amount, rate] = [10_000, 10_000, 0, 0]
  for (const growth of growths) {
    capital *= growth
    peak = Math.max(peak, capital)
    amount = Math.min(amount, capital - peak)
    rate = Math.min(rate, amount / peak)
  }
  return { capital, amount, rate }
}

const analysisOf = (trades: ReadonlyArray<WantedTrade>): Analysis => {
  const pnls = trades.map((trade) => trade.profit_per_unit)
  const multiples = trades.flatMap(({ r_multiple }) => (r_multiple === null ? [] : [r_multiple]))
  const risks = trades.flatMap(({ risk_pct }) => (risk_pct === null ? [] : [risk_pct]))
  const sums = sumResults(pnls)
  const wins = pnls.filter((pnl) => pnl > 0)
  const losses = pnls.filter((pnl) => pnl <= 0)
  const { capital, amount, rate } = drawdowns(trades.map(({ growth }) => growth))
  const growth = capital / 10_000
  return {
    startingCapital: 10_000,
    finalCapital: capital,
    profit: capital - 10_000,
    profitPct: (growth - 1) * 100,
    growth,
    totalTrades: trades.length,
    barCount: trades.reduce((sum, trade) => sum + trade.holding_period, 0),
    maxDrawdown: amount,
    maxDrawdownPct: rate * 100,
    maxRiskPct: risks.length === 0 ? null : Math.max(...risks),
    expectency: orNull(expectancy(sumResults(multiples))),
    rmultipleStdDev: orNull(standardDeviation(multiples)),
    systemQuality: orNull(sqn(sumResults(multiples)) / Math.sqrt(multiples.length)),
    profitFactor: orNull(profitFactor(sums)),
    proportionProfitable: winRate(sums),
    percentProfitable: winRate(sums) * 100,
    returnOnAccount: orNull(((growth - 1) * 100) / Math.abs(rate * 100)),
    averageProfitPerTrade: (capital - 10_000) / trades.length,
    numWinningTrades: wins.length,
    numLosingTrades: losses.length,
    averageWinningTrade: wins.length === 0 ? 0 : mean(wins),
    averageLosingTrade: losses.length === 0 ? 0 : mean(losses),
    expectedValue: expectancy(sums)
  }
}

/** Every field that is wanted, numbers to nine digits. */
const assertFields = (seen: object, wanted: object, what: string): void => {
  const fields = new Map<string, unknown>(Object.entries(seen))
  for (const [name, value] of Object.entries(wanted) as ReadonlyArray<[string, unknown]>) {
    const ours = fields.get(name)
    const where = `${name} of ${what}`
    if (typeof value === "number" && typeof ours === "number") {
      assert.closeTo(ours, value, 1e-9 * Math.max(1, Math.abs(value)), where)
    } else assert.strictEqual(ours, value, where)
  }
}

const assertTraded = (seen: ReadonlyArray<WantedTrade>, wanted: Traded): void => {
  const marks = ({ entry_bar, exit_bar, exit_reason }: WantedTrade) =>
    `${entry_bar} to ${exit_bar}: ${exit_reason}`
  assert.deepStrictEqual(seen.map(marks), wanted.trades.map(marks))
  wanted.trades.forEach(({ ...trade }, nth) => {
    assertFields(seen[nth] ?? {}, trade, `trade ${nth}`)
  })
  assertFields(analysisOf(seen), wanted.analysis_10000, "the analysis")
}

const valuesOf = ({ SMA: { from, to, step } }: Grid): ReadonlyArray<number> =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, nth) => from + nth * step)

const profitPct = (trades: ReadonlyArray<SignalTrade>): number =>
  (drawdowns(trades.map((trade) => told(trade).growth)).capital / 10_000 - 1) * 100

/** Every cell of a grid, and the first of the best. */
const search = (candles: CandleColumns, grid: Grid) => {
  const cells = valuesOf(grid).map((period) => {
    const trades = tradesOf(candles, period)
    return { SMA: period, result: profitPct(trades), trades: trades.length }
  })
  const best = cells.reduce((first, cell) => (cell.result > first.result ? cell : first))
  return { cells, best }
}

const of = <Kind extends AnyCase["kind"]>(kind: Kind) =>
  cases.filter((one): one is Extract<AnyCase, { kind: Kind }> => one.kind === kind)

describe("one unit at the next open, against results of other software", () => {
  it("finds the cases", (ctx) => {
    if (oracles === undefined) return ctx.skip(noOracles)
    assert.lengthOf(cases, 13)
    const known = new Set(of("backtest").map(({ id }) => id))
    const strangers = Object.keys(variants).filter((id) => !known.has(id))
    assert.deepStrictEqual(strangers, [])
  })

  it.each(of("backtest"))("$id", (one) => {
    const { id, parameters, expected } = one
    const candles = candlesOf(one)
    const trades =
      id === "stw_mr_conditional"
        ? conditionalTrades(candles, parameters.SMA)
        : tradesOf(candles, parameters.SMA, variants[id])
    assertTraded(
      trades.map((trade) => told(trade)),
      expected
    )
  })

  it.each(of("optimize"))("$id", (one) => {
    const { expected, grid } = one
    const { best, cells } = search(candlesOf(one), grid)
    assert.lengthOf(cells, expected.all.length)
    expected.all.forEach((cell, nth) => assertFields(cells[nth] ?? {}, cell, `cell ${nth}`))
    const wanted = { SMA: expected.best_params.SMA, result: expected.best_value }
    assertFields(best, wanted, "the best cell")
  })

  it.each(of("walk_forward"))("$id", (one) => {
    const { expected, grid } = one
    const candles = candlesOf(one)
    const traded = expected.windows.flatMap((window, nth) => {
      const { best } = search(sliceColumns(candles, ...window.in_sample), grid)
      const wanted = { SMA: window.best_params.SMA, result: window.best_value }
      assertFields(best, wanted, `window ${nth}`)
      const trades = tradesOf(sliceColumns(candles, ...window.out_sample), best.SMA)
      assert.lengthOf(trades, window.out_sample_trades)
      return trades.map((trade) => told(trade, window.out_sample[0]))
    })
    assertTraded(traded, expected)
  })
})
