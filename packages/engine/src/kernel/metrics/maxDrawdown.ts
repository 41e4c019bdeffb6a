/**
 * The deepest fall of an equity curve.
 *
 * A drawdown is measured from the highest equity seen so far, the initial one included, and given
 * as a fraction of it.
 *
 * @since 0.1.0
 */

/**
 * A fall, where it began, where it was deepest and where it was won back.
 *
 * @category models
 * @since 0.1.0
 */
export interface Drawdown {
  readonly rate: number
  readonly amount: number
  /** Index of the peak, or -1 for the initial equity. */
  readonly peakIndex: number
  readonly troughIndex: number
  /** Index at which the peak was reached again, or null. */
  readonly recoveredIndex: number | null
}

/**
 * The largest fraction lost between a peak and any later point, and where.
 *
 * **Gotchas**
 *
 * The rate is above 1 if equity goes below zero, as borrowed money allows.
 *
 * @category metrics
 * @since 0.1.0
 */
export const maxDrawdown = (initial: number, equity: ArrayLike<number>): Drawdown => {
  let peak = initial
  let peakIndex = -1
  let deepest = { rate: 0, amount: 0, peakIndex: -1, troughIndex: -1, peak: initial }
  for (let index = 0; index < equity.length; index++) {
    const value = equity[index]!
    if (value > peak) {
      peak = value
      peakIndex = index
    }
    const rate = (peak - value) / peak
    if (rate > deepest.rate) {
      deepest = { rate, amount: peak - value, peakIndex, troughIndex: index, peak }
    }
  }
  let recoveredIndex: number | null = null
  for (let index = deepest.troughIndex + 1; index < equity.length; index++) {
    if (deepest.rate > 0 && equity[index]! >= deepest.peak) {
      recoveredIndex = index
      break
    }
  }
  const { rate, amount, troughIndex } = deepest
  return { rate, amount, peakIndex: deepest.peakIndex, troughIndex, recoveredIndex }
}
