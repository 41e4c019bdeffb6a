/**
 * Candles that look like mistakes: they move much further than the others of their series, or they
 * repeat one another.
 *
 * Nothing is repaired.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "./columns.ts"

/** A candle that moves much further than others. @category models @since 0.1.0 */
export interface CandleOutlier {
  readonly index: number
  /** The whole move since the close before, as a fraction of the lowest price. */
  readonly move: number
  /** The same in usual moves. */
  readonly timesUsual: number
}

/** A stretch of candles that equal one another. @category models @since 0.1.0 */
export interface CandleRepeat {
  readonly from: number
  readonly to: number
  readonly count: number
}

/** The findings of a look at candles. @category models @since 0.1.0 */
export interface OutlierFindings {
  readonly usualMove: number
  readonly outlierCount: number
  /** The candles that move furthest, in the order of time. */
  readonly outliers: ReadonlyArray<CandleOutlier>
  readonly repeatCount: number
  /** The longest stretches, in the order of time. */
  readonly repeats: ReadonlyArray<CandleRepeat>
}

/** Moves of so many usual ones are outliers. @category tables @since 0.1.0 */
export const outlierTimesUsual = 20
/** Moves below this fraction are none. @category tables @since 0.1.0 */
export const outlierMoveMin = 0.02
/** So many equal candles in a row are a stretch. @category tables @since 0.1.0 */
export const repeatCountMin = 5

const rowsPerTurn = 16_384
const sampleMax = 20_000

/** The move of a candle since the close before it, as a fraction of the lowest price. */
const moveAt = ({ close, high, low }: CandleColumns, index: number): number => {
  const before = index === 0 ? close[0]! : close[index - 1]!
  const lowest = Math.min(low[index]!, before)
  return (Math.max(high[index]!, before) - lowest) / lowest
}

/** The median of moves, of a sample that describes a long series well. */
const usualMoveOf = (columns: CandleColumns): number => {
  const stride = Math.max(1, Math.ceil(columns.length / sampleMax))
  const moves = new Float64Array(Math.ceil(columns.length / stride))
  for (let at = 0; at < moves.length; at++) moves[at] = moveAt(columns, at * stride)
  moves.sort()
  return moves.length === 0 ? 0 : moves[moves.length >> 1]!
}

const isSame = ({ close, high, low, open, volume }: CandleColumns, index: number): boolean =>
  close[index] === close[index - 1] &&
  open[index] === open[index - 1] &&
  high[index] === high[index - 1] &&
  low[index] === low[index - 1] &&
  volume[index] === volume[index - 1]

/** The largest things of many. */
const makeLargest = <A>(max: number, sizeOf: (value: A) => number) => {
  let kept: Array<A> = []
  let count = 0
  const cut = () => {
    kept = kept.toSorted((one, other) => sizeOf(other) - sizeOf(one)).slice(0, max)
  }
  return {
    add: (value: A) => {
      count++
      kept.push(value)
      if (kept.length >= 4 * max) cut()
    },
    take: () => {
      cut()
      return { count, kept }
    }
  }
}

/**
 * Looks through sound candles for outliers and repeats, some candles at a time.
 *
 * **Details**
 *
 * An outlier moves 20 times as far as is usual, and 2 % at least, from the close before to its high
 * and low. A repeat is a stretch of five equal candles or more: a feed that stood still. At most
 * `listMax` of each are listed, the largest ones.
 *
 * @category models
 * @since 0.1.0
 */
export function* findOutliers(
  columns: CandleColumns,
  listMax: number
): Generator<void, OutlierFindings> {
  const usualMove = usualMoveOf(columns)
  const moveMin = Math.max(outlierMoveMin, outlierTimesUsual * usualMove)
  const outliers = makeLargest<CandleOutlier>(listMax, ({ move }) => move)
  const repeats = makeLargest<CandleRepeat>(listMax, ({ count }) => count)
  let start = 0
  for (let index = 0; index <= columns.length; index++) {
    if (index > 0 && (index === columns.length || !isSame(columns, index))) {
      const count = index - start
      if (count >= repeatCountMin) repeats.add({ from: start, to: index - 1, count })
      start = index
    }
    if (index === columns.length) break
    const move = moveAt(columns, index)
    if (move >= moveMin) {
      outliers.add({ index, move, timesUsual: usualMove === 0 ? Infinity : move / usualMove })
    }
    if (index % rowsPerTurn === rowsPerTurn - 1) yield
  }
  const far = outliers.take()
  const still = repeats.take()
  return {
    usualMove,
    outlierCount: far.count,
    outliers: far.kept.toSorted((one, other) => one.index - other.index),
    repeatCount: still.count,
    repeats: still.kept.toSorted((one, other) => one.from - other.from)
  }
}
