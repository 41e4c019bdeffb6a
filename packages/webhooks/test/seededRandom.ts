/**
 * Random numbers that are the same in every run, for properties that need raw bytes.
 *
 * @since 0.1.0
 */

/** Draws numbers in [0, 1) and whole numbers below a bound. */
export interface SeededRandom {
  readonly next: () => number
  readonly below: (bound: number) => number
  readonly bytes: (length: number) => Uint8Array
}

/** Makes a mulberry32 generator. */
export const makeSeededRandom = (seed: number): SeededRandom => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (bound: number) => Math.floor(next() * bound)
  return { next, below, bytes: (length) => Uint8Array.from({ length }, () => below(256)) }
}
