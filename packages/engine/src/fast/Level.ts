/**
 * A price level of a run, as the kernels are given it.
 *
 * @since 0.1.0
 */
import { noLevel } from "../match/matcherCodes.ts"

/** A fraction of the price, or a multiple of a column, as a distance or as the level itself. */
export interface Level {
  /** The meaning of the value: `match/matcherCodes.ts` has the numbers. */
  readonly kind: number
  readonly value: number
  readonly column: number
}

/** Whether a level is given. */
export const isGiven = ({ kind }: Level): boolean => kind !== noLevel

/** Where the candles that touch a run's levels are, or 0 where it looks for them itself. */
export interface LevelTouches {
  readonly stop: number
  readonly target: number
}
