/**
 * A crossing of exponential averages on two markets that share one cash.
 *
 * A fixed quantity, or as much as the cash pays for, is bought at the close of a crossing. It is
 * sold at the close where the averages cross back. The first market is served before the second.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import type { CrossValues } from "./cross.ts"
import type { LoopColumns } from "./loopColumns.ts"
import { dayEndOf, type LoopResult, makeDays, toResult } from "./LoopResult.ts"
import { TradeLog } from "./TradeLog.ts"

/** The market of the row: a fee, no slippage, quantities on a step that is exact in binary. */
export const sharedMarket = { capital: 10_000, feeRate: 0.0002, quantity: 0.25, lot: 1 / 1024 }

const lotsInOne = 1_024

/** 1 where the fast average rises above the slow one, -1 where it falls below, else 0. */
const turnsOf = ({ ema }: LoopColumns, values: CrossValues): Int8Array => {
  const fast = ema(values.fast)
  const slow = ema(values.slow)
  const turns = new Int8Array(fast.length)
  for (let index = 1; index < turns.length; index++) {
    const before = fast[index - 1]! - slow[index - 1]!
    const now = fast[index]! - slow[index]!
    if (now > 0 && before <= 0) turns[index] = 1
    else if (now < 0 && before >= 0) turns[index] = -1
  }
  return turns
}

/** Runs one set; candles of both markets are of the same times. */
export const twoMarketsLoop = (
  [{ close, length, time }, { close: otherClose }]: readonly [CandleColumns, CandleColumns],
  columns: readonly [LoopColumns, LoopColumns],
  values: CrossValues
): LoopResult => {
  const { capital, feeRate, quantity } = sharedMarket
  const turns = turnsOf(columns[0], values)
  const otherTurns = turnsOf(columns[1], values)
  const days = makeDays(time)
  const trades = new TradeLog()
  const held = new Float64Array(2)
  const entryIndex = new Int32Array(2)
  const entryPrice = new Float64Array(2)
  let cash = capital
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
    const isTurning = turns[index] !== 0 || otherTurns[index] !== 0
    for (let market = isTurning ? 0 : 2; market < 2; market++) {
      const price = market === 0 ? close[index]! : otherClose[index]!
      const turn = market === 0 ? turns[index]! : otherTurns[index]!
      if (turn < 0 && held[market]! > 0) {
        cash += held[market]! * price * (1 - feeRate)
        trades.add(entryIndex[market]!, index, entryPrice[market]!, price)
        held[market] = 0
      } else if (turn > 0 && held[market] === 0) {
        const most = Math.min(quantity, cash / (price * (1 + feeRate)))
        const bought = Math.floor(most * lotsInOne * (1 + 1e-12)) / lotsInOne
        if (bought === 0) continue
        cash -= bought * price * (1 + feeRate)
        held[market] = bought
        entryIndex[market] = index
        entryPrice[market] = price
        entryCount++
      }
    }
    equity = cash + held[0]! * close[index]! + held[1]! * otherClose[index]!
    if (equity > peak) peak = equity
    const drawdown = 1 - equity / peak
    if (drawdown > deepest) deepest = drawdown
  }
  return toResult(capital, equity, days, dayCount, deepest, entryCount, trades)
}
