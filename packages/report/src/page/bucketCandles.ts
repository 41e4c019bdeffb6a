/**
 * Fewer candles for a chart, each the sum of several.
 *
 * @since 0.1.0
 */
import { indexUntil } from "./indexFrom.ts"

/** Candles as columns; times are epoch milliseconds. @category models @since 0.1.0 */
export interface PlainCandles {
  readonly length: number
  readonly time: ArrayLike<number>
  readonly open: ArrayLike<number>
  readonly high: ArrayLike<number>
  readonly low: ArrayLike<number>
  readonly close: ArrayLike<number>
}

/** Candles up to this count are drawn one by one. @category tables @since 0.1.0 */
export const candlesDrawnMax = 20_000

/** How many candles the buckets stand for that may be drawn: 4 000 buckets at most. */
const drawnPerBucket = 5

/** How many candles before a fill and after it are drawn one by one. */
const nearCount = 20

/** Marks the candles near the newest moments, until so many are marked. */
const markNear = (
  candles: PlainCandles,
  moments: ReadonlyArray<number>,
  marksMax: number
): Uint8Array => {
  const marked = new Uint8Array(candles.length)
  let left = marksMax
  for (const moment of moments.toReversed()) {
    const own = Math.max(0, indexUntil(candles.time, moment))
    // A run of marked candles may cut a bucket in two.
    left -= 1
    const end = Math.min(candles.length - 1, own + nearCount)
    for (let at = Math.max(0, own - nearCount); at <= end; at++) {
      if (marked[at] === 1) continue
      if (left <= 0) return marked
      marked[at] = 1
      left -= 1
    }
  }
  return marked
}

/**
 * The candles themselves, or a fifth as many buckets as may be drawn: the first's open, the highest
 * high, the lowest low, the last's close. Candles near the moments in ms, which rise, stay as they
 * are, of the newest as many as may be drawn. Several markets share the number that may be drawn.
 *
 * @category conversions
 * @since 0.1.0
 */
export const bucketCandles = (
  candles: PlainCandles,
  drawnMax = candlesDrawnMax,
  moments: ReadonlyArray<number> = []
): PlainCandles => {
  const { close, high, length, low, open, time } = candles
  if (length <= drawnMax) return candles
  const bucketsMax = drawnMax / drawnPerBucket
  const size = Math.ceil(length / bucketsMax)
  const exact = markNear(candles, moments, drawnMax - bucketsMax)
  const made = {
    time: [] as Array<number>,
    open: [] as Array<number>,
    high: [] as Array<number>,
    low: [] as Array<number>,
    close: [] as Array<number>
  }
  let last = -1
  for (let at = 0; at < length; at++) {
    const isNew = at % size === 0 || exact[at] === 1 || exact[at - 1] === 1
    if (isNew) {
      last += 1
      made.time.push(time[at]!)
      made.open.push(open[at]!)
      made.high.push(high[at]!)
      made.low.push(low[at]!)
      made.close.push(close[at]!)
      continue
    }
    made.high[last] = Math.max(made.high[last]!, high[at]!)
    made.low[last] = Math.min(made.low[last]!, low[at]!)
    made.close[last] = close[at]!
  }
  return { length: last + 1, ...made }
}
