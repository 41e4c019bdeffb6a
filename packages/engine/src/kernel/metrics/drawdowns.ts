/**
 * Every fall of an equity curve, from each peak until it is reached again.
 *
 * @since 0.1.0
 */
import type { Drawdown } from "./maxDrawdown.ts"

/** A fall, and for how long equity was below its peak. @category models @since 0.1.0 */
export interface LastingDrawdown extends Drawdown {
  /** Candles below the peak; of a fall that was not won back, those up to the last candle. */
  readonly candleCount: number
}

/**
 * The falls in order of time; none where equity never was below its highest value so far.
 *
 * **Details**
 *
 * A fall begins at the last candle at its peak, so that time spent at the peak is no part of it.
 *
 * @category metrics
 * @since 0.1.0
 */
export const drawdowns = (
  initial: number,
  equity: ArrayLike<number>
): ReadonlyArray<LastingDrawdown> => {
  const falls: Array<LastingDrawdown> = []
  let peak = initial
  let peakIndex = -1
  let low = initial
  let troughIndex = -1
  const end = (index: number, recoveredIndex: number | null): void => {
    if (low < peak) {
      falls.push({
        rate: (peak - low) / peak,
        amount: peak - low,
        peakIndex,
        troughIndex,
        recoveredIndex,
        candleCount: index - peakIndex - 1
      })
    }
  }
  for (let index = 0; index < equity.length; index++) {
    const value = equity[index]!
    if (value >= peak) {
      end(index, index)
      peak = value
      peakIndex = index
      low = value
    } else if (value < low) {
      low = value
      troughIndex = index
    }
  }
  end(equity.length, null)
  return falls
}
