/**
 * Candles of several markets, cut at one moment.
 *
 * @since 0.1.0
 */
import {
  type CandleColumns,
  indexAt,
  resampleColumns,
  sliceColumns
} from "@candlewick/engine/kernel"
import type { BacktestResult, CodedStrategy } from "@candlewick/engine/research"
import { type StrategyDefinition, type Timeframe, timeframeMs } from "@candlewick/engine"

/** A strategy as rules, or as code beside its definition. @category models @since 0.1.0 */
export type Analyzed = StrategyDefinition | CodedStrategy

/** Candles by market; the first market of the strategy sets the clock. @category models */
export type CandlesByMarket = Readonly<Record<string, CandleColumns>>

/** The parts of the strategy, whether rules or code decide. @category conversions @since 0.1.0 */
export const analyzedDefinition = (strategy: Analyzed): StrategyDefinition =>
  "rules" in strategy ? strategy.definition : strategy

/**
 * Candles of one timeframe, built of candles of an equal or a finer timeframe.
 *
 * @category conversions
 */
export const builtOf = (
  columns: CandleColumns,
  finer: Timeframe,
  timeframe: Timeframe
): CandleColumns =>
  finer === timeframe
    ? columns
    : resampleColumns(columns, timeframeMs(finer), timeframeMs(timeframe))

/** The candles that begin from one time on and before another, in ms. @category conversions */
export const candlesBetween = (
  markets: CandlesByMarket,
  from: number,
  until: number
): CandlesByMarket =>
  Object.fromEntries(
    Object.entries(markets).map(([symbol, columns]) => [
      symbol,
      sliceColumns(columns, indexAt(columns, from), indexAt(columns, until))
    ])
  )

const isNear = (one: number, other: number, tolerance: number): boolean =>
  Math.abs(one - other) <= tolerance * Math.max(Math.abs(one), Math.abs(other))

type Fill = BacktestResult["fills"][number]

const byTime = (fills: ReadonlyArray<Fill>): ReadonlyMap<number, ReadonlyArray<Fill>> =>
  Map.groupBy(fills, ({ time }) => time)

const areAlike = (
  ones: ReadonlyArray<Fill>,
  others: ReadonlyArray<Fill>,
  tolerance: number
): boolean =>
  ones.length === others.length &&
  ones.every((one, at) => {
    const other = others[at]!
    return (
      one.market === other.market &&
      one.side === other.side &&
      one.effect === other.effect &&
      isNear(one.price, other.price, tolerance) &&
      isNear(one.quantity, other.quantity, tolerance)
    )
  })

/**
 * The times in ms, earliest first, at which two runs filled other orders. Another market, side or
 * effect is another order, and so is a price or quantity beyond the relative tolerance.
 *
 * @category comparisons
 * @since 0.1.0
 */
export const timesThatDiffer = (
  one: ReadonlyArray<Fill>,
  other: ReadonlyArray<Fill>,
  tolerance: number
): ReadonlyArray<number> => {
  const [ones, others] = [byTime(one), byTime(other)]
  return [...new Set([...ones.keys(), ...others.keys()])]
    .filter((time) => !areAlike(ones.get(time) ?? [], others.get(time) ?? [], tolerance))
    .toSorted((first, next) => first - next)
}
