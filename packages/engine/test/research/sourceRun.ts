/**
 * Runs of other software's cases on the simulator of backtests, sweeps and bots. The options and
 * the candles here make it do the same as that software.
 */
import { assert } from "@effect/vitest"
import { dayMs } from "../../src/kernel/calendar.ts"
import {
  type CandleColumns,
  columnNames,
  indexAt,
  makeColumns,
  sliceColumns
} from "../../src/kernel/columns.ts"
import type { BacktestOptions, BacktestResult } from "../../src/research/index.ts"
import { assertNear } from "../kernel/orders/checkTrades.ts"
import type { ScriptTrade } from "../kernel/orders/readScripts.ts"
import { feesOf, type SourceEngine } from "../kernel/orders/sourceEngine.ts"
import type { Frame } from "./sourceRules.ts"

/** The options of a case; twice the leverage where sizes are handed in and must not be cut. */
export const sourceRunOptions = (engine: SourceEngine, leverage = 1 / engine.margin) => {
  const [feePerFill, rate] = feesOf(engine)
  return {
    capital: engine.cash,
    fees: { maker: rate, taker: rate },
    slippage: 0,
    market: {
      tick: 0,
      lot: engine.fractional_unit ?? 1,
      minNotional: 0,
      feePerFill,
      slippageRate: 0,
      canShort: true,
      leverage
    },
    fill: engine.trade_on_close ? "close" : "next_open",
    endOfData: engine.finalize_trades ? "close" : "open"
  } as const satisfies BacktestOptions
}

const copyOf = (candles: CandleColumns): CandleColumns => {
  const copy = makeColumns(candles.length)
  for (const name of columnNames) copy[name].set(candles[name])
  return copy
}

/** A month is no timeframe here: candles of a month are told as days that follow each other. */
const asDays = (candles: CandleColumns): CandleColumns => {
  const copy = copyOf(candles)
  copy.time.forEach((_, index) => (copy.time[index] = index * dayMs))
  return copy
}

/**
 * The candles of a case. That software closes open positions at the end by a market order, filled
 * at the last open, or at the close before it. The simulator uses the last close, which is there
 * then.
 */
export const sourceCandles = (
  candles: CandleColumns,
  { finalize_trades, trade_on_close }: SourceEngine,
  wanted: ReadonlyArray<ScriptTrade> | null = null
): { readonly frame: Frame; readonly columns: CandleColumns } => {
  const spacing = Math.min(
    ...Array.from({ length: Math.min(50, candles.length - 1) }, (_, row) => {
      return candles.time[row + 1]! - candles.time[row]!
    })
  )
  const timeframe = spacing < 3_600_000 ? "1m" : spacing < dayMs ? "1h" : "1d"
  const frame = { symbols: ["A/B"], timeframe } as const
  const told = spacing > dayMs ? asDays(candles) : candles
  const last = told.length - 1
  const { open } = told
  const isHeld = wanted?.some((one) => one.exit_bar === last && one.exit_price === open[last])
  if (!finalize_trades || (isHeld === false && !trade_on_close)) return { frame, columns: told }
  if (trade_on_close) return { frame, columns: sliceColumns(told, 0, last) }
  const columns = copyOf(told)
  for (const name of ["high", "low", "close"] as const) columns[name][last] = columns.open[last]!
  return { frame, columns }
}

/** Positions as that software tells trades; levels are not told here. */
export const toRows = (
  { positions }: BacktestResult,
  columns: CandleColumns,
  engine: SourceEngine
): ReadonlyArray<ScriptTrade> => {
  const [fixed, rate] = feesOf(engine)
  return Array.from(positions, (one) => {
    const { direction, entryPrice, exitPrice, quantity } = one
    return {
      size: direction === "long" ? quantity : -quantity,
      entry_bar: indexAt(columns, one.entryTime),
      exit_bar: indexAt(columns, one.exitTime),
      entry_price: entryPrice,
      exit_price: exitPrice,
      sl: null,
      tp: null,
      pnl: one.pnl,
      commission: 2 * fixed + rate * quantity * (entryPrice + exitPrice),
      return_frac: one.returnRate,
      tag: null
    }
  })
}

/** Equity at each of the case's candles: before the first decision, and after the last candle. */
export const toEquity = (
  { equity }: BacktestResult,
  count: number,
  first: number,
  { cash }: SourceEngine
): Float64Array => {
  const all = new Float64Array(count).fill(equity.at(-1) ?? cash)
  all.fill(cash, 0, first)
  all.set(equity, first)
  return all
}

/** Holds trades to those of a case: candles and prices, and what hangs on sizes where that is. */
export const checkRows = (
  seen: ReadonlyArray<ScriptTrade>,
  wanted: ReadonlyArray<ScriptTrade>,
  { hasSizes, spread = 0 }: { readonly hasSizes: boolean; readonly spread?: number }
): void => {
  const inOrder = wanted.toSorted((one, other) => one.entry_bar - other.entry_bar)
  inOrder.forEach((trade, index) => {
    const one = seen[index]
    const what = `trade ${index} (${trade.entry_bar} to ${trade.exit_bar})`
    if (one === undefined) return assert.fail(`${what} is missing`)
    assert.strictEqual(one.entry_bar, trade.entry_bar, `${what}: entry`)
    assert.strictEqual(one.exit_bar, trade.exit_bar, `${what}: exit`)
    assert.strictEqual(Math.sign(one.size), Math.sign(trade.size), `${what}: side`)
    const worse = 1 + Math.sign(trade.size) * spread
    assertNear(one.entry_price * worse, trade.entry_price, `${what}: entry price`)
    assertNear(one.exit_price, trade.exit_price, `${what}: exit price`)
    if (!hasSizes) return
    assertNear(one.size, trade.size, `${what}: size`)
    assertNear(one.pnl, trade.pnl, `${what}: pnl`, 1e-6)
    assertNear(one.commission, trade.commission, `${what}: commission`, 1e-6)
    assertNear(one.return_frac, trade.return_frac, `${what}: return`)
  })
  assert.strictEqual(seen.length, wanted.length, "trades")
}
