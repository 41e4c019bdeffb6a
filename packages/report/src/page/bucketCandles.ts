/**
 * Fewer candles that look the same from afar.
 *
 * @since 0.1.0
 */

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

/**
 * The candles themselves, or a fifth as many buckets as may be drawn: the first's open, the highest
 * high, the lowest low, the last's close. Several markets share what may be drawn.
 *
 * @category conversions
 * @since 0.1.0
 */
export const bucketCandles = (candles: PlainCandles, drawnMax = candlesDrawnMax): PlainCandles => {
  const { close, high, length, low, open, time } = candles
  if (length <= drawnMax) return candles
  const size = Math.ceil(length / (drawnMax / drawnPerBucket))
  const count = Math.ceil(length / size)
  const made = {
    length: count,
    time: new Float64Array(count),
    open: new Float64Array(count),
    high: new Float64Array(count).fill(-Infinity),
    low: new Float64Array(count).fill(Infinity),
    close: new Float64Array(count)
  }
  for (let at = 0; at < length; at++) {
    const bucket = Math.floor(at / size)
    if (at % size === 0) {
      made.time[bucket] = time[at]!
      made.open[bucket] = open[at]!
    }
    made.high[bucket] = Math.max(made.high[bucket]!, high[at]!)
    made.low[bucket] = Math.min(made.low[bucket]!, low[at]!)
    made.close[bucket] = close[at]!
  }
  return made
}
