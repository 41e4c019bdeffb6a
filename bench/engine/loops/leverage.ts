/**
 * A crossing of exponential averages both ways on borrowed money.
 *
 * Twice the equity is long or short, reversed at the open after each crossing. A candle that
 * reaches the price at which equity is gone liquidates it.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import type { CrossValues } from "./cross.ts"
import type { LoopColumns } from "./loopColumns.ts"
import { dayEndOf, type LoopResult, makeDays, toResult } from "./LoopResult.ts"
import { capital, onLot, slippageRate, takerRate } from "./market.ts"
import { TradeLog } from "./TradeLog.ts"

/** The most that may be borrowed, and how many times the equity an entry is. */
export const leverage = 3
export const equityFraction = 2

/** The price of a buy, above zero, or of a sell. */
const slipped = (quantity: number, price: number): number =>
  quantity > 0 ? price * (1 + slippageRate) : price * (1 - slippageRate)

/** The proceeds of selling a quantity, or of buying it where it is negative, after the fee. */
const received = (quantity: number, price: number): number =>
  quantity * price - Math.abs(quantity) * price * takerRate

/** Runs one set; `held` and `ordered` are negative for a short. */
export const leverageLoop = (
  { close, high, length, low, open, time }: CandleColumns,
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
    if (ordered !== 0) {
      if (held !== 0) {
        const price = slipped(-held, open[index]!)
        cash += received(held, price)
        trades.add(entryIndex, index, entryPrice, price)
      }
      const side = ordered > 0 ? 1 : -1
      entryPrice = slipped(side, open[index]!)
      entryIndex = index
      const most = onLot((cash * leverage) / (entryPrice * (1 + takerRate)))
      held = side * Math.min(Math.abs(ordered), most)
      cash += received(-held, entryPrice)
      entryCount++
      ordered = 0
    }
    if (held !== 0) {
      const ruin = -cash / held
      const isLong = held > 0
      if (isLong ? low[index]! <= ruin : high[index]! >= ruin) {
        const raw = isLong ? Math.min(ruin, open[index]!) : Math.max(ruin, open[index]!)
        const price = slipped(-held, raw)
        cash += received(held, price)
        trades.add(entryIndex, index, entryPrice, price)
        held = 0
      }
    }
    const price = close[index]!
    equity = cash + held * price
    if (index > 0 && equity > 0) {
      const before = fast[index - 1]! - slow[index - 1]!
      const now = fast[index]! - slow[index]!
      if (now > 0 && before <= 0) ordered = onLot((equity * equityFraction) / price)
      else if (now < 0 && before >= 0) ordered = -onLot((equity * equityFraction) / price)
    }
    if (equity > peak) peak = equity
    const drawdown = 1 - equity / peak
    if (drawdown > deepest) deepest = drawdown
  }
  return toResult(capital, equity, days, dayCount, deepest, entryCount, trades)
}
