/**
 * A position built with safety orders, and one target over its average price.
 *
 * A base order `B` buys at the close without a position. Safety order `k` rests with `B·m^k` at
 * `−d·(1 + s + … + s^k)` from the first price. The target follows the average price after each
 * fill, and sells the whole position from the next candle on. Where a candle reaches the target and
 * a safety order, the target counts, and what rests is cancelled.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import { dayEndOf, type LoopResult, makeDays, toResult } from "./LoopResult.ts"
import { capital, makerRate, onLot, onTick, slippageRate, takerRate } from "./market.ts"
import { TradeLog } from "./TradeLog.ts"

/** How many safety orders a position has, the notional of its base order, and both factors. */
export const safetyCount = 5
export const baseNotional = 600
export const sizeFactor = 1.5
export const distanceFactor = 1.4

/** The first distance and the target, as parts of the first and of the average price. */
export interface DcaValues {
  readonly distance: number
  readonly target: number
}

/** Where the safety orders of a position rest, and with how much. */
export const placeSafetyOrders = (
  first: number,
  distance: number,
  prices: Float64Array,
  quantities: Float64Array
): void => {
  let below = 0
  let step = distance
  let notional = baseNotional
  for (let nth = 0; nth < safetyCount; nth++) {
    below += step
    prices[nth] = onTick(first * (1 - below))
    quantities[nth] = onLot(notional / prices[nth]!)
    step *= distanceFactor
    notional *= sizeFactor
  }
}

/** Runs one set; an entry is a base order. */
export const dcaLoop = (
  { close, high, length, low, open, time }: CandleColumns,
  values: DcaValues
): LoopResult => {
  const prices = new Float64Array(safetyCount)
  const quantities = new Float64Array(safetyCount)
  const days = makeDays(time)
  const trades = new TradeLog()
  let cash = capital
  let held = 0
  let cost = 0
  let target = 0
  let next = 0
  let entryIndex = 0
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
    if (held > 0 && high[index]! >= target) {
      const price = Math.max(target, open[index]!)
      cash += held * price * (1 - makerRate)
      trades.add(entryIndex, index, cost / held, price)
      held = 0
    }
    while (held > 0 && next < safetyCount && low[index]! <= prices[next]!) {
      const price = Math.min(prices[next]!, open[index]!)
      const bought = Math.min(quantities[next]!, onLot(cash / (price * (1 + makerRate))))
      cash -= bought * price * (1 + makerRate)
      held += bought
      cost += bought * price
      target = onTick((cost / held) * (1 + values.target))
      next++
    }
    if (held === 0) {
      const most = cash / (close[index]! * (1 + takerRate + slippageRate))
      held = onLot(Math.min(baseNotional / close[index]!, most))
      const price = close[index]! * (1 + slippageRate)
      cash -= held * price * (1 + takerRate)
      cost = held * price
      target = onTick(price * (1 + values.target))
      placeSafetyOrders(price, values.distance, prices, quantities)
      next = 0
      entryIndex = index
      entryCount++
    }
    equity = cash + held * close[index]!
    if (equity > peak) peak = equity
    const drawdown = 1 - equity / peak
    if (drawdown > deepest) deepest = drawdown
  }
  return toResult(capital, equity, days, dayCount, deepest, entryCount, trades)
}
