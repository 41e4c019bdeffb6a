/**
 * The sums that metrics need of a whole equity curve, added up in one pass over it.
 *
 * Sums are added up in the order in which `runningEquity.ts` adds them up: both give the same
 * numbers to the bit.
 *
 * @since 0.1.0
 */
import type { FallSums } from "./runningEquity.ts"

/** The measures of an equity curve. @category models @since 0.1.0 */
export interface EquitySums {
  /** The largest fraction lost since the highest equity before it. */
  readonly deepest: number
  /** Sum of the squared fractions lost, over candles. */
  readonly squares: number
  readonly sum: number
  readonly falls: FallSums
}

/** Adds up an equity curve. @category metrics @since 0.1.0 */
export const sumEquity = (initial: number, equity: Float64Array): EquitySums => {
  const { length } = equity
  let peak = initial
  let low = initial
  let below = 0
  let deepest = 0
  let squares = 0
  let sum = 0
  let count = 0
  let rates = 0
  let candles = 0
  let longest = 0
  const end = (): void => {
    if (below === 0) return
    count++
    rates += (peak - low) / peak
    candles += below
    longest = Math.max(longest, below)
  }
  for (let index = 0; index < length; index++) {
    const value = equity[index]!
    sum += value
    if (value >= peak) {
      if (below > 0) end()
      peak = value
      low = value
      below = 0
    } else {
      if (value < low) low = value
      below++
      const rate = (peak - value) / peak
      if (rate > deepest) deepest = rate
      squares += rate * rate
    }
  }
  end()
  return { deepest, squares, sum, falls: { count, rates, candles, longest } }
}

/**
 * The largest fraction lost since the highest equity before it, alone: only the lowest equity after
 * each peak is divided.
 *
 * @category metrics
 * @since 0.1.0
 */
export const deepestFall = (initial: number, equity: Float64Array): number => {
  let peak = initial
  let low = initial
  let deepest = 0
  for (let index = 0; index < equity.length; index++) {
    const value = equity[index]!
    if (value < low) low = value
    else if (value >= peak) {
      if (low < peak) deepest = Math.max(deepest, (peak - low) / peak)
      peak = value
      low = value
    }
  }
  return low < peak ? Math.max(deepest, (peak - low) / peak) : deepest
}
