/**
 * The curves of a simulation: its equity and its positions at each time.
 *
 * @since 0.1.0
 */

/** Numbers at each time of a simulation. @category models @since 0.1.0 */
export interface Curves {
  /** Equity. */
  readonly equity: Float64Array
  /** Notional of all positions. */
  readonly notional: Float64Array
  /** 1 where a position was held, if only for a part of the candle, else 0. */
  readonly held: Uint8Array
}

/** Room for the curves of so many times, which may be given. @category constructors @since 0.1.0 */
export const curvesFor = (count: number, given: Curves = makeCurves(count)): Curves => ({
  equity: given.equity.subarray(0, count),
  notional: given.notional.subarray(0, count).fill(0),
  held: given.held.subarray(0, count).fill(0)
})

/** Room for the curves of so many times. @category constructors @since 0.1.0 */
export const makeCurves = (count: number): Curves => ({
  equity: new Float64Array(count),
  notional: new Float64Array(count),
  held: new Uint8Array(count)
})
