/**
 * A crossing of exponential averages where every fill costs an amount.
 *
 * As the plain crossing, but each buy and each sell also pays the same sum, whatever its size.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import type { CrossValues } from "./cross.ts"
import type { LoopColumns } from "./loopColumns.ts"
import { dayEndOf, type LoopResult, makeDays, toResult } from "./LoopResult.ts"
import { capital, onLot, slippageRate, takerRate } from "./market.ts"
import { TradeLog } from "./TradeLog.ts"

/** The fee of a fill beside its rate. */
export const feePerFill = 0.25

/** Runs one set. */
export const fillFeeLoop = (
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
      cash += held * price * (1 - takerRate) - feePerFill
      trades.add(entryIndex, index, entryPrice, price)
      held = 0
      leaves = false
    } else if (ordered > 0) {
      entryPrice = open[index]! * (1 + slippageRate)
      entryIndex = index
      held = Math.min(ordered, onLot((cash - feePerFill) / (entryPrice * (1 + takerRate))))
      cash -= held * entryPrice * (1 + takerRate) + feePerFill
      entryCount++
      ordered = 0
    }
    const price = close[index]!
    equity = cash + held * price
    if (index > 0) {
      if (held > 0) {
        leaves = fast[index]! < slow[index]! && fast[index - 1]! >= slow[index - 1]!
      } else if (fast[index]! > slow[index]! && fast[index - 1]! <= slow[index - 1]!) {
        ordered = onLot(equity / (price * (1 + takerRate + slippageRate)))
      }
    }
    if (equity > peak) peak = equity
    const drawdown = 1 - equity / peak
    if (drawdown > deepest) deepest = drawdown
  }
  return toResult(capital, equity, days, dayCount, deepest, entryCount, trades)
}
