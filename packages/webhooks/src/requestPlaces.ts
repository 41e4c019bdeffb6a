/**
 * How many requests a sender may begin: those that hang take no places from those that don't.
 *
 * @since 0.1.0
 */

/** The requests under way of one sender. @category models @since 0.1.0 */
export interface RequestPlaces {
  /** How many more may begin now. */
  readonly free: (nowMs: number) => number
  /** When a request that is under way becomes slow, or infinity. */
  readonly nextSlowAt: (nowMs: number) => number
  /** Takes a place; the returned function gives it back. */
  readonly begin: (nowMs: number) => () => void
}

/**
 * The number of slow requests for each place. They only wait, so many of them cost less than
 * letting a few accounts take all places.
 */
const slowPerPlace = 4

/** How many requests may be under way at once unless another number is said. @since 0.1.0 */
export const requestCountDefault = 256

/** How many requests may be under way at once, slow ones included. @since 0.1.0 */
export const requestCountMax = (countMax: number): number => (1 + slowPerPlace) * countMax

/**
 * Places for as many requests as are said, and for more that are slow: under way for so long
 * already.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeRequestPlaces = (countMax: number, slowAfterMs: number): RequestPlaces => {
  const slowMax = requestCountMax(countMax) - countMax
  /** When each began, the earliest first. */
  const underWay = new Set<{ readonly atMs: number }>()
  return {
    free: (nowMs) => {
      let slowCount = 0
      for (const { atMs } of underWay) {
        if (slowCount >= slowMax || atMs > nowMs - slowAfterMs) break
        slowCount++
      }
      return countMax + slowCount - underWay.size
    },
    nextSlowAt: (nowMs) => {
      for (const { atMs } of underWay) {
        if (atMs > nowMs - slowAfterMs) return atMs + slowAfterMs
      }
      return Number.POSITIVE_INFINITY
    },
    begin: (nowMs) => {
      const request = { atMs: nowMs }
      underWay.add(request)
      return () => void underWay.delete(request)
    }
  }
}
