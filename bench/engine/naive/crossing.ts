/**
 * Row 1 as anyone would write it first: one loop over the candles for each pair of averages, given
 * both averages as columns.
 */
import type { Figures } from "../Engine.ts"

const minutesPerYear = 525_600

/** Writes the four figures of one pair into `figures` from `at` on. */
export const naiveCrossing = (
  close: Float64Array,
  fast: Float64Array,
  slow: Float64Array,
  feeRate: number,
  figures: Figures,
  at: number
): void => {
  const count = close.length
  let cash = 1
  let held = 0
  let entryCount = 0
  let before = 1
  let peak = 1
  let deepest = 0
  let sum = 0
  let squares = 0
  for (let index = 0; index < count; index++) {
    const price = close[index]!
    if (index > 0) {
      if (held === 0) {
        if (fast[index]! > slow[index]! && fast[index - 1]! <= slow[index - 1]!) {
          held = cash / (price * (1 + feeRate))
          cash = 0
          entryCount++
        }
      } else if (fast[index]! < slow[index]! && fast[index - 1]! >= slow[index - 1]!) {
        cash = held * price * (1 - feeRate)
        held = 0
      }
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
