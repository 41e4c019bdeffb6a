/**
 * The part of the time, and of the money, that was in the market.
 *
 * @since 0.1.0
 */

// Loops stand by themselves. V8 compiles a loop while it runs, before it has seen the code that
// follows. With code behind the loop, V8 would throw the compiled code away at each call.

const countHeld = (held: ArrayLike<number>): number => {
  let count = 0
  for (let index = 0; index < held.length; index++) if (held[index]! > 0) count++
  return count
}

const sumShares = (notional: ArrayLike<number>, equity: ArrayLike<number>): number => {
  let sum = 0
  for (let index = 0; index < notional.length; index++) {
    if (equity[index]! > 0) sum += notional[index]! / equity[index]!
  }
  return sum
}

/**
 * Share of candles with a position, of which each has a number above 0.
 *
 * @category metrics
 * @since 0.1.0
 */
export const exposureTime = (held: ArrayLike<number>): number => countHeld(held) / held.length

/** Mean of notional over equity. @category metrics @since 0.1.0 */
export const exposure = (notional: ArrayLike<number>, equity: ArrayLike<number>): number =>
  sumShares(notional, equity) / notional.length
