/**
 * Results are equal before anything is timed. Each comparison says what was compared, how far apart
 * it was at most, and how far it may be.
 */
import type { Figures, SixIndicators, Trades } from "./Engine.ts"

/** One comparison. */
export interface Comparison {
  readonly of: string
  readonly largest: number
  readonly tolerance: number
  readonly isEqual: boolean
}

/**
 * Returns, Sharpe ratios and drawdowns of the same fills may differ in the last bit, by the order
 * of a million additions. The number of trades may not differ at all.
 */
export const figuresTolerance = 1e-9

/** Relative difference; absolute below one, where a return or ratio near nought has no size. */
const apart = (one: number, other: number): number =>
  Object.is(one, other) ? 0 : Math.abs(one - other) / Math.max(1, Math.abs(other))

const toComparison = (of: string, largest: number, tolerance: number): Comparison => ({
  of,
  largest,
  tolerance,
  isEqual: largest <= tolerance
})

/** Whether two engines say the same of the same runs; Sharpe ratios only where both have them. */
export const compareFigures = (
  of: string,
  ours: Figures,
  other: Figures,
  { hasSharpe = true, tolerance = figuresTolerance } = {}
): Comparison => {
  if (ours.length !== other.length) return toComparison(of, Infinity, tolerance)
  let largest = 0
  for (let index = 0; index < ours.length; index++) {
    if (index % 4 === 1 && !hasSharpe) continue
    const isCount = index % 4 === 3
    const difference = apart(ours[index]!, other[index]!)
    const counted = isCount && ours[index] !== other[index] ? Infinity : difference
    // NaN is as far apart as can be.
    largest = counted >= 0 ? Math.max(largest, counted) : Infinity
  }
  const figures = hasSharpe ? "figures" : "figures without Sharpe ratio"
  return toComparison(`${of}: ${figures} of ${ours.length / 4} runs`, largest, tolerance)
}

/** Whether two lists hold the same trades: candles exactly, prices within rounding. */
export const compareTrades = (of: string, ours: Trades, other: Trades): Comparison => {
  const { length } = ours.entryIndex
  let largest = length === other.entryIndex.length ? 0 : Infinity
  for (let index = 0; index < length && largest < Infinity; index++) {
    const isSameCandles =
      ours.entryIndex[index] === other.entryIndex[index] &&
      ours.exitIndex[index] === other.exitIndex[index]
    largest = isSameCandles
      ? Math.max(
          largest,
          apart(ours.entryPrice[index]!, other.entryPrice[index]!),
          apart(ours.exitPrice[index]!, other.exitPrice[index]!)
        )
      : Infinity
  }
  return toComparison(`${of}: ${length} trades`, largest, 1e-12)
}

/** Candles after which every way of seeding an average has been forgotten. */
const seedForgottenAfter = 1_000

const columnApart = (ours: ArrayLike<number>, other: ArrayLike<number>): number => {
  if (ours.length !== other.length) return Infinity
  let size = 0
  let largest = 0
  for (let index = seedForgottenAfter; index < ours.length; index++) {
    size += Math.abs(ours[index]!)
    const difference = Math.abs(ours[index]! - other[index]!)
    largest = difference >= 0 ? Math.max(largest, difference) : Infinity
  }
  return largest / (size / (ours.length - seedForgottenAfter))
}

/** Whether two libraries compute the same columns, as a part of each column's mean size. */
export const compareIndicators = (
  of: string,
  ours: SixIndicators,
  other: SixIndicators,
  tolerance: number
): Comparison => {
  const names = Object.keys(ours) as ReadonlyArray<keyof SixIndicators>
  const largest = names.reduce(
    (most, name) => Math.max(most, columnApart(ours[name], other[name])),
    0
  )
  return toComparison(`${of}: ${names.length} columns`, largest, tolerance)
}

/** Whether bots decide alike; `tolerance` is the part of decisions that may differ. */
export const compareDecisions = (
  of: string,
  ours: Uint8Array,
  other: Uint8Array,
  tolerance: number
): Comparison => {
  let differing = ours.length === other.length ? 0 : Infinity
  for (let index = 0; index < ours.length; index++) {
    if (ours[index] !== other[index]) differing++
  }
  return toComparison(
    `${of}: ${ours.length} decisions`,
    differing / Math.max(1, ours.length),
    tolerance
  )
}
