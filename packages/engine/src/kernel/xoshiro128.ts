/**
 * The generator beneath every random number: xoshiro128** 1.1 by D. Blackman and S. Vigna.
 *
 * @since 0.1.0
 */

/**
 * Makes a stream of whole numbers in [0, 2^32) from a state, of which one word must not be zero.
 *
 * @category models
 * @since 0.1.0
 */
export const xoshiro128 = (state: readonly [number, number, number, number]): (() => number) => {
  let [a, b, c, d] = state
  return () => {
    const product = Math.imul(b, 5)
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = (d << 11) | (d >>> 21)
    return result
  }
}
