/**
 * A crossing of exponential averages that enters by a limit order, with stop and target.
 *
 * A limit order rests a part below the close for ten candles, unless the averages cross back. Stop
 * and target lie multiples of the ATR from its fill, from the next candle on.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import type { LoopColumns } from "./loopColumns.ts"
import { dayEndOf, type LoopResult, makeDays, toResult } from "./LoopResult.ts"
import { capital, makerRate, onLot, onTick, slippageRate, takerRate } from "./market.ts"
import { TradeLog } from "./TradeLog.ts"

/** Candles that an order rests, and the period of the range that levels are multiples of. */
export const restsFor = 10
export const rangePeriod = 14
/** Stop and target in average true ranges. */
export const stopMultiple = 6
export const targetMultiple = 9

/** Periods of both averages, and how far below the close is bought. */
export interface LimitValues {
  readonly fast: number
  readonly slow: number
  readonly offset: number
}

/** The price at which a candle closes a position that has a stop and a target, or 0. */
const protectedExit = (
  open: number,
  high: number,
  low: number,
  stop: number,
  target: number
): number => {
  if (open >= target) return open
  if (low <= stop) return Math.min(stop, open) * (1 - slippageRate)
  return high >= target ? target : 0
}

/** Runs one set; a limit of 0 is none. */
export const limitLoop = (
  { close, high, length, low, open, time }: CandleColumns,
  columns: LoopColumns,
  values: LimitValues
): LoopResult => {
  const fast = columns.ema(values.fast)
  const slow = columns.ema(values.slow)
  const range = columns.atr(rangePeriod)
  const days = makeDays(time)
  const trades = new TradeLog()
  let cash = capital
  let held = 0
  let leaves = false
  let stop = 0
  let target = 0
  let limit = 0
  let ordered = 0
  let placedAt = 0
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
    if (held > 0) {
      const price = leaves
        ? open[index]! * (1 - slippageRate)
        : protectedExit(open[index]!, high[index]!, low[index]!, stop, target)
      if (price > 0) {
        const isTarget = price >= target && !leaves
        cash += held * price * (1 - (isTarget ? makerRate : takerRate))
        trades.add(entryIndex, index, entryPrice, price)
        held = 0
        leaves = false
      }
    } else if (limit > 0 && low[index]! <= limit) {
      entryPrice = Math.min(limit, open[index]!)
      entryIndex = index
      held = ordered
      cash -= held * entryPrice * (1 + makerRate)
      stop = onTick(entryPrice - stopMultiple * range[placedAt]!)
      target = onTick(entryPrice + targetMultiple * range[placedAt]!)
      entryCount++
      limit = 0
    } else if (index - placedAt >= restsFor) limit = 0
    const price = close[index]!
    equity = cash + held * price
    const before = index > 0 ? fast[index - 1]! - slow[index - 1]! : Number.NaN
    const now = fast[index]! - slow[index]!
    if (now < 0 && before >= 0) {
      leaves = held > 0
      limit = 0
    } else if (now > 0 && before <= 0 && held === 0 && limit === 0) {
      limit = onTick(price * (1 - values.offset))
      ordered = onLot(equity / (limit * (1 + takerRate + slippageRate)))
      placedAt = index
    }
    if (equity > peak) peak = equity
    const drawdown = 1 - equity / peak
    if (drawdown > deepest) deepest = drawdown
  }
  return toResult(capital, equity, days, dayCount, deepest, entryCount, trades)
}
