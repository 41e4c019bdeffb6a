/**
 * Averages that follow their input, four stretches of a column side by side.
 *
 * @since 0.1.0
 */
import { type ArrayTiles, stretchCount, vectorTile } from "./arrayTiles.ts"

/** Candles from which on stretches pay. @category indicators @since 0.1.0 */
export const stretchesMin = 8 * vectorTile

/** Goes on over the tile that is laid out. */
export interface FollowTile {
  (count: number, apart: number): void
}

const isFinished = (states: Float64Array, count: number): boolean => {
  for (let nth = 0; nth < count; nth++) if (!Number.isFinite(states[nth]!)) return false
  return true
}

/**
 * Follows a column from the states before `start` to its end. Returns false where a value on the
 * way is no finite number; the written values are then of no use.
 *
 * **Details**
 *
 * The true state at the beginning of a stretch is known only when the one before it has ended, so
 * each begins with any. Averages forget: the difference between two that follow the same values
 * shrinks until rounding makes them equal. From there on they are the same to the bit. So once the
 * stretch before has ended, a stretch is followed again from its beginning. This ends where its
 * states at the end of a tile equal the first pass's. All after them are right.
 *
 * @category indicators
 * @since 0.1.0
 */
export const followStretches = (
  arrays: ArrayTiles,
  start: number,
  end: number,
  initial: ReadonlyArray<number>,
  follow: FollowTile
): boolean => {
  const { states } = arrays
  const width = initial.length * stretchCount
  const tiles = Math.floor((end - start) / stretchCount / vectorTile)
  const stretch = tiles * vectorTile
  const seen = new Float64Array(width * tiles)

  const step = (from: number, count: number, apart: number): boolean => {
    follow(count, arrays.lay(from, count, apart, 1))
    arrays.keep(from, count, apart)
    return isFinished(states, width)
  }
  /** All stretches go on from the states of one. */
  const goOnFrom = (from: Float64Array, nth: number): void => {
    for (let at = 0; at < width; at += stretchCount) {
      states.fill(from[at + nth]!, at, at + stretchCount)
    }
  }

  initial.forEach((state, nth) => {
    states.fill(state, nth * stretchCount, (nth + 1) * stretchCount)
  })
  for (let tile = 0; tile < tiles; tile++) {
    if (!step(start + tile * vectorTile, vectorTile, stretch)) return false
    for (let nth = 0; nth < width; nth++) seen[tile * width + nth] = states[nth]!
  }
  const last = seen.subarray((tiles - 1) * width)
  goOnFrom(last, 0)
  for (let nth = 1; nth < stretchCount; nth++) {
    const isSeenAt = (tile: number): boolean => {
      for (let at = 0; at < width; at += stretchCount) {
        if (!Object.is(states[at]!, seen[tile * width + at + nth])) return false
      }
      return true
    }
    let tile = 0
    let isJoined = false
    for (; tile < tiles && !isJoined; tile++) {
      if (!step(start + nth * stretch + tile * vectorTile, vectorTile, 0)) return false
      isJoined = isSeenAt(tile)
    }
    if (isJoined) goOnFrom(last, nth)
  }
  for (let from = start + stretchCount * stretch; from < end; from += vectorTile) {
    if (!step(from, Math.min(vectorTile, end - from), 0)) return false
  }
  return true
}
