/**
 * Row 10 as a plain loop: both ways, filled at the next open with fees and slippage, the Sharpe
 * ratio from the UTC days. It is there to be equal to, not to be timed. It books as the engine
 * does, in the same order: one lot more or less would be more than rounding.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import type { Figures, RunSetting } from "../Engine.ts"

const dayMs = 86_400_000
const daysPerYear = 365

/** The largest multiple of a lot, a part of one, that is not above a quantity, but for rounding. */
const onLot = (quantity: number, lot: number): number => {
  const count = quantity / lot
  const nearest = Math.round(count)
  return (nearest - count <= count * 1e-12 ? nearest : Math.floor(count)) / Math.round(1 / lot)
}

/** The four figures of one pair, given both averages as columns. */
export const naiveCrossingNextOpen = (
  { close, open, time }: CandleColumns,
  fast: Float64Array,
  slow: Float64Array,
  { capital, feeRate, lot, slippageRate }: RunSetting
): Figures => {
  const count = close.length
  let cash = capital
  /** Negative while short. */
  let held = 0
  /** The side that was decided at the last close, and the quantity that could be paid then. */
  let wantedSide = 0
  let wantedQuantity = 0
  let entryCount = 0
  let peak = capital
  let deepest = 0
  let dayBefore = capital
  const returns: Array<number> = []
  for (let index = 0; index < count; index++) {
    const price = close[index]!
    if (wantedSide !== 0) {
      const bought = open[index]! * (1 + slippageRate)
      const sold = open[index]! * (1 - slippageRate)
      const value = held * (held > 0 ? sold : bought)
      cash = cash + value - Math.abs(value) * feeRate
      const entryPrice = wantedSide > 0 ? bought : sold
      const isPayable = wantedQuantity * entryPrice * (1 + feeRate) <= cash
      const quantity = isPayable ? wantedQuantity : onLot(cash / (entryPrice * (1 + feeRate)), lot)
      const notional = quantity * entryPrice
      held = wantedSide * quantity
      cash = cash - wantedSide * notional - notional * feeRate
      if (quantity > 0) entryCount++
      wantedSide = 0
    }
    const equity = cash + held * price
    if (index > 0) {
      const rises = fast[index]! > slow[index]! && fast[index - 1]! <= slow[index - 1]!
      const falls = fast[index]! < slow[index]! && fast[index - 1]! >= slow[index - 1]!
      if (rises && held <= 0) wantedSide = 1
      if (falls && held >= 0) wantedSide = -1
      // The affordable quantity at the last close, with fees and slippage.
      wantedQuantity = onLot(equity / (price * (1 + (feeRate + slippageRate))), lot)
    }
    if (equity > peak) peak = equity
    deepest = Math.max(deepest, 1 - equity / peak)
    const day = Math.floor(time[index]! / dayMs)
    if (index + 1 === count || Math.floor(time[index + 1]! / dayMs) !== day) {
      returns.push(equity / dayBefore - 1)
      dayBefore = equity
    }
  }
  const mean = returns.reduce((sum, one) => sum + one, 0) / returns.length
  const squares = returns.reduce((sum, one) => sum + (one - mean) ** 2, 0)
  const deviation = Math.sqrt(squares / (returns.length - 1))
  const last = cash + held * close[count - 1]!
  const sharpe = (mean / deviation) * Math.sqrt(daysPerYear)
  return Float64Array.of(last / capital - 1, sharpe, deepest, entryCount)
}
