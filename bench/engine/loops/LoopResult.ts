/**
 * The results of a loop for one set of values.
 */
import type { Trades } from "../Engine.ts"
import type { TradeLog } from "./TradeLog.ts"

/** Milliseconds of a UTC day. */
export const dayMs = 86_400_000

const daysPerYear = 365

/** The results of one set. */
export interface LoopResult {
  /** Total return, Sharpe ratio of the days, largest drawdown and entries. */
  readonly figures: Float64Array
  /** Equity at the end of each UTC day. */
  readonly days: Float64Array
  readonly trades: Trades
}

/** When the UTC day of a time ends. */
export const dayEndOf = (time: number): number => (Math.floor(time / dayMs) + 1) * dayMs

/** Room for the equity of each day. */
export const makeDays = (time: Float64Array): Float64Array =>
  new Float64Array(Math.floor((time.at(-1)! - time[0]!) / dayMs) + 2)

const sharpeOf = (capital: number, days: Float64Array): number => {
  let before = capital
  let sum = 0
  let squares = 0
  for (const equity of days) {
    const change = equity / before - 1
    sum += change
    squares += change * change
    before = equity
  }
  const mean = sum / days.length
  const variance = (squares - sum * mean) / (days.length - 1)
  return (mean / Math.sqrt(variance)) * Math.sqrt(daysPerYear)
}

/** The state at the end of a loop; `days` is full but for the last one, whose equity is `equity`. */
export const toResult = (
  capital: number,
  equity: number,
  days: Float64Array,
  dayCount: number,
  deepest: number,
  entryCount: number,
  trades: TradeLog
): LoopResult => {
  days[dayCount] = equity
  const all = days.subarray(0, dayCount + 1)
  return {
    figures: Float64Array.of(equity / capital - 1, sharpeOf(capital, all), deepest, entryCount),
    days: all,
    trades: trades.toTrades()
  }
}
