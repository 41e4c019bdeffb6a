/**
 * A crossing of exponential averages whose size follows the volatility.
 *
 * As the plain crossing, but an entry has the size that makes its volatility a year the target.
 * That is equity times target over the deviation of the last 60 returns, at most the affordable
 * size.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import type { CrossValues } from "./cross.ts"
import type { LoopColumns } from "./loopColumns.ts"
import { dayEndOf, type LoopResult, makeDays, toResult } from "./LoopResult.ts"
import { capital, onLot, slippageRate, takerRate } from "./market.ts"
import { TradeLog } from "./TradeLog.ts"

/** The wanted volatility of a position a year, and over how many returns it is measured. */
export const volatilityTarget = 0.3
export const volatilityPeriod = 60

const minutesPerYear = 525_600

/** The volatility a year at a candle; only entries ask for it. */
const volatilityAt = (close: Float64Array, index: number): number => {
  const first = index - volatilityPeriod + 1
  let mean = 0
  for (let at = first; at <= index; at++) mean += close[at]! / close[at - 1]! - 1
  mean /= volatilityPeriod
  let squares = 0
  for (let at = first; at <= index; at++) squares += (close[at]! / close[at - 1]! - 1 - mean) ** 2
  return Math.sqrt(squares / volatilityPeriod) * Math.sqrt(minutesPerYear)
}

/** Runs one set. */
export const volatilityLoop = (
  { close, length, open, time }: CandleColumns,
  columns: LoopColumns,
  values: CrossValues
): LoopResult => {
  const fast = columns.ema(values.fast)
  const slow = columns.ema(values.slow)
  const days = makeDays(time)
  const trades = new TradeLog()
  let cash = capital
  let held = 0
  let ordered = 0
  let leaves = false
  let entryIndex = 0
  let entryPrice = 0
  let entryCount = 0
  let equity = capital
  let peak = capital
  let deepest = 0
  let dayEnd = dayEndOf(time[0]!)
  let dayCount = 0
  for (let index = 0; index < length; index++) {
    if (time[index]! >= dayEnd) {
      days[dayCount++] = equity
      dayEnd = dayEndOf(time[index]!)
    }
    if (leaves) {
      const price = open[index]! * (1 - slippageRate)
      cash += held * price * (1 - takerRate)
      trades.add(entryIndex, index, entryPrice, price)
      held = 0
      leaves = false
    } else if (ordered > 0) {
      entryPrice = open[index]! * (1 + slippageRate)
      entryIndex = index
      held = Math.min(ordered, onLot(cash / (entryPrice * (1 + takerRate))))
      cash -= held * entryPrice * (1 + takerRate)
      entryCount++
      ordered = 0
    }
    const price = close[index]!
    equity = cash + held * price
    if (index > 0) {
      if (held > 0) {
        leaves = fast[index]! < slow[index]! && fast[index - 1]! >= slow[index - 1]!
      } else if (fast[index]! > slow[index]! && fast[index - 1]! <= slow[index - 1]!) {
        const wanted = (equity * volatilityTarget) / volatilityAt(close, index) / price
        ordered = onLot(Math.min(wanted, equity / (price * (1 + takerRate + slippageRate))))
      }
    }
    if (equity > peak) peak = equity
    const drawdown = 1 - equity / peak
    if (drawdown > deepest) deepest = drawdown
  }
  return toResult(capital, equity, days, dayCount, deepest, entryCount, trades)
}
