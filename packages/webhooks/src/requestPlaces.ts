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
  readonly begin: (id: string, nowMs: number) => void
  readonly end: (id: string) => void
}

/**
 * Places for as many requests as are said, and for as many again that are slow: under way for so
 * long already.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeRequestPlaces = (countMax: number, slowAfterMs: number): RequestPlaces => {
  /** By when they began, the earliest first. */
  const begunAtMs = new Map<string, number>()
  return {
    free: (nowMs) => {
      let slowCount = 0
      for (const atMs of begunAtMs.values()) {
        if (slowCount >= countMax || atMs > nowMs - slowAfterMs) break
        slowCount++
      }
      return countMax + slowCount - begunAtMs.size
    },
    nextSlowAt: (nowMs) => {
      for (const atMs of begunAtMs.values()) {
        if (atMs > nowMs - slowAfterMs) return atMs + slowAfterMs
      }
      return Number.POSITIVE_INFINITY
    },
    begin: (id, nowMs) => {
      begunAtMs.set(id, nowMs)
    },
    end: (id) => {
      begunAtMs.delete(id)
    }
  }
}
