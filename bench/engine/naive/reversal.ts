/**
 * Rows 3 and 4 as anyone would write them first: one loop over the candles for each set of level,
 * stop and target. Row 3 computes its columns, row 4 is given them.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import type { Figures } from "../Engine.ts"
import { type ReversalValues, reversalExitLevel } from "../work/reversal.ts"
import { naiveAtr, naiveBollinger, naiveRsi } from "./columns.ts"

const minutesPerYear = 525_600

/** The columns that the strategy looks at. */
export interface ReversalColumns {
  readonly rsi: Float64Array
  readonly lower: Float64Array
  readonly atr: Float64Array
}

/** A closed trade. */
export interface NaiveTrade {
  readonly entryIndex: number
  readonly exitIndex: number
  readonly entryPrice: number
  readonly exitPrice: number
}

/** RSI 14, the lower Bollinger band of 20 and ATR 14. */
export const reversalColumns = ({ close, high, low }: CandleColumns): ReversalColumns => ({
  rsi: naiveRsi(close, 14),
  lower: naiveBollinger(close, 20, 2).lower,
  atr: naiveAtr(high, low, close, 14)
})

/** Runs one set; closed trades go into `trades`, the four figures into `figures` from `at` on. */
export const naiveReversal = (
  { close, high, low, open }: CandleColumns,
  { atr, lower, rsi }: ReversalColumns,
  values: ReversalValues,
  feeRate: number,
  figures: Figures,
  at: number,
  trades: Array<NaiveTrade>
): void => {
  const count = close.length
  let cash = 1
  let held = 0
  let stop = 0
  let target = 0
  let entryIndex = 0
  let entryPrice = 0
  let entryCount = 0
  let before = 1
  let peak = 1
  let deepest = 0
  let sum = 0
  let squares = 0
  for (let index = 0; index < count; index++) {
    const price = close[index]!
    if (held > 0) {
      let exitPrice = Number.NaN
      if (open[index]! <= stop || open[index]! >= target) exitPrice = open[index]!
      else if (low[index]! <= stop) exitPrice = stop
      else if (high[index]! >= target) exitPrice = target
      else if (rsi[index]! > reversalExitLevel) exitPrice = price
      if (!Number.isNaN(exitPrice)) {
        cash = held * exitPrice * (1 - feeRate)
        held = 0
        trades.push({ entryIndex, exitIndex: index, entryPrice, exitPrice })
      }
    } else if (rsi[index]! < values.level && price < lower[index]!) {
      held = cash / (price * (1 + feeRate))
      cash = 0
      stop = price - values.stop * atr[index]!
      target = price + values.target * atr[index]!
      entryIndex = index
      entryPrice = price
      entryCount++
    }
    const equity = cash + held * price
    const change = equity / before - 1
    sum += change
    squares += change * change
    before = equity
    if (equity > peak) peak = equity
    const drawdown = 1 - equity / peak
    if (drawdown > deepest) deepest = drawdown
  }
  const mean = sum / count
  const variance = (squares - sum * mean) / (count - 1)
  figures[at] = before - 1
  figures[at + 1] = (mean / Math.sqrt(variance)) * Math.sqrt(minutesPerYear)
  figures[at + 2] = deepest
  figures[at + 3] = entryCount
}
