/**
 * Sharpe ratios of the sums of returns and of their squares.
 *
 * @since 0.1.0
 */
import { drownedShare } from "./kernels/account.ts"
import { isSpread } from "../kernel/statistics.ts"

/** The Sharpe ratio of so many returns, NaN where they do not vary. */
export const sharpeOf = (
  sum: number,
  squares: number,
  count: number,
  periodsPerYear: number
): number => {
  if (count < 2) return Number.NaN
  const average = sum / count
  const deviation = Math.sqrt(Math.max(0, squares - sum * average) / (count - 1))
  return isSpread(deviation, average)
    ? (average / deviation) * Math.sqrt(periodsPerYear)
    : Number.NaN
}

/**
 * Whether so little is left of the squares without the average, or there is so little of them, that
 * the rounding of returns would show.
 */
export const hardlyDiffer = (sum: number, squares: number, count: number): boolean =>
  count > 1 &&
  (Math.abs(squares - sum * (sum / count)) < 1e-6 * squares ||
    (squares > 0 && squares < 1e-16 * count))

/**
 * Whether squares of returns are so small beside the squares of a whole tile that rounding would
 * show in them. They are differences of the tile's sums. They may be no number then.
 */
export const isDrowned = (squares: number, ofTile: number): boolean =>
  !(squares >= drownedShare * ofTile)
