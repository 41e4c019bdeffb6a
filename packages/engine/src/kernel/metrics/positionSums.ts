/**
 * The sums that metrics need of closed positions, added up as positions close.
 *
 * A thousand positions take no more memory than one.
 *
 * @since 0.1.0
 */
import type { RoundTrip } from "../ledger.ts"

/** Results added up in their order; plain data. @category models @since 0.1.0 */
export interface ResultSums {
  count: number
  sum: number
  /** Largest and smallest; 0 where there is none. */
  best: number
  worst: number
  /** Of those above 0. */
  winCount: number
  gains: number
  /** Of those below 0; the sum is itself not above 0. */
  lossCount: number
  losses: number
  winStreak: number
  lossStreak: number
  longestWinStreak: number
  longestLossStreak: number
  /** The number since the last one above 0. */
  unwonCount: number
  /** Mean and squared deviations from it, one result at a time after B. P. Welford. */
  mean: number
  squares: number
}

/** Closed positions added up; plain data. @category models @since 0.1.0 */
export interface PositionSums {
  /** Results after fees, in quote currency. */
  readonly pnls: ResultSums
  /** The same as fractions of the notional at entry. */
  readonly returns: ResultSums
  /** Candles held, of all positions. */
  heldCount: number
}

/** The part of a closed position that is added up. @category models @since 0.1.0 */
export type ClosedResult = Pick<RoundTrip, "pnl" | "returnRate" | "entryIndex" | "exitIndex">

const makeResultSums = (): ResultSums => ({
  count: 0,
  sum: 0,
  best: 0,
  worst: 0,
  winCount: 0,
  gains: 0,
  lossCount: 0,
  losses: 0,
  winStreak: 0,
  lossStreak: 0,
  longestWinStreak: 0,
  longestLossStreak: 0,
  unwonCount: 0,
  mean: 0,
  squares: 0
})

const addResult = (sums: ResultSums, result: number): void => {
  const isFirst = sums.count === 0
  sums.count++
  sums.sum += result
  if (isFirst || result > sums.best) sums.best = result
  if (isFirst || result < sums.worst) sums.worst = result
  if (result > 0) {
    sums.winCount++
    sums.gains += result
  } else if (result < 0) {
    sums.lossCount++
    sums.losses += result
  }
  sums.winStreak = result > 0 ? sums.winStreak + 1 : 0
  sums.lossStreak = result < 0 ? sums.lossStreak + 1 : 0
  sums.longestWinStreak = Math.max(sums.longestWinStreak, sums.winStreak)
  sums.longestLossStreak = Math.max(sums.longestLossStreak, sums.lossStreak)
  sums.unwonCount = result > 0 ? 0 : sums.unwonCount + 1
  const change = result - sums.mean
  sums.mean += change / sums.count
  sums.squares += change * (result - sums.mean)
}

/** Adds results up, in their order. @category metrics @since 0.1.0 */
export const sumResults = (results: ArrayLike<number>): ResultSums => {
  const sums = makeResultSums()
  for (let index = 0; index < results.length; index++) addResult(sums, results[index]!)
  return sums
}

/** The sums of no position. @category metrics @since 0.1.0 */
export const makePositionSums = (): PositionSums => ({
  pnls: makeResultSums(),
  returns: makeResultSums(),
  heldCount: 0
})

/** Adds a position, closed after those before. @category metrics @since 0.1.0 */
export const addPosition = (sums: PositionSums, closed: ClosedResult): void => {
  addResult(sums.pnls, closed.pnl)
  addResult(sums.returns, closed.returnRate)
  sums.heldCount += closed.exitIndex - closed.entryIndex
}

/** Adds positions up, in the order of their closing. @category metrics @since 0.1.0 */
export const sumPositions = (closed: ReadonlyArray<ClosedResult>): PositionSums => {
  const sums = makePositionSums()
  for (const one of closed) addPosition(sums, one)
  return sums
}
