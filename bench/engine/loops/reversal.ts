/**
 * RSI and Bollinger bands with stop and target in ATR: one backtest with trades and equity.
 *
 * All cash buys at the close where the RSI is below 30 and the close under the lower band. It is
 * sold at the stop, at the target, or at the close where the RSI is above 70.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import { naiveAtr, naiveBollinger, naiveRsi } from "../naive/columns.ts"
import { type ReversalValues, reversalExitLevel } from "../work/reversal.ts"
import { atClose } from "../work/settings.ts"
import { dayEndOf, type LoopResult, makeDays, toResult } from "./LoopResult.ts"
import { TradeLog } from "./TradeLog.ts"

/** The results, with the equity at each close. */
export interface ReversalResult extends LoopResult {
  readonly equity: Float64Array
}

/** Runs it, columns included. */
export const reversalLoop = (
  { close, high, length, low, open, time }: CandleColumns,
  values: ReversalValues
): ReversalResult => {
  const { capital, feeRate } = atClose
  const rsi = naiveRsi(close, 14)
  const { lower } = naiveBollinger(close, 20, 2)
  const range = naiveAtr(high, low, close, 14)
  const days = makeDays(time)
  const trades = new TradeLog()
  const curve = new Float64Array(length)
  let cash = capital
  let held = 0
  let stop = 0
  let target = 0
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
    const price = close[index]!
    if (held > 0) {
      let exitPrice = 0
      if (open[index]! <= stop || open[index]! >= target) exitPrice = open[index]!
      else if (low[index]! <= stop) exitPrice = stop
      else if (high[index]! >= target) exitPrice = target
      else if (rsi[index]! > reversalExitLevel) exitPrice = price
      if (exitPrice > 0) {
        cash = held * exitPrice * (1 - feeRate)
        trades.add(entryIndex, index, entryPrice, exitPrice)
        held = 0
      }
    } else if (rsi[index]! < values.level && price < lower[index]!) {
      held = cash / (price * (1 + feeRate))
      cash = 0
      stop = price - values.stop * range[index]!
      target = price + values.target * range[index]!
      entryIndex = index
      entryPrice = price
      entryCount++
    }
    equity = cash + held * price
    curve[index] = equity
    if (equity > peak) peak = equity
    const drawdown = 1 - equity / peak
    if (drawdown > deepest) deepest = drawdown
  }
  const result = toResult(capital, equity, days, dayCount, deepest, entryCount, trades)
  return { ...result, equity: curve }
}
