/**
 * Whether the engine and a loop say the same: figures, trades, and equity at each day's end.
 */
import type { BacktestResult } from "@candlewick/engine/research"
import { compareFigures, compareTrades, type Comparison } from "../compare.ts"
import type { Figures, Trades } from "../Engine.ts"
import { dayEndOf, type LoopResult } from "./LoopResult.ts"

/** How far apart figures and equity may be, as a part of the loop's value, or of 1 below that. */
export const equityTolerance = 1e-9

/** The part of a sweep's result that a loop knows too. */
export interface SweptFigures {
  readonly totalReturn: Float64Array
  readonly sharpe: Float64Array
  readonly maxDrawdown: Float64Array
  readonly positionCount: Float64Array
}

/** Four figures a set, as the benchmark has them. */
export const toFigures = (swept: SweptFigures): Figures =>
  Float64Array.from(
    Array.from(swept.totalReturn).flatMap((total, set) => [
      total,
      swept.sharpe[set]!,
      swept.maxDrawdown[set]!,
      swept.positionCount[set]!
    ])
  )

/** Four figures of each loop, one after the other. */
export const figuresOf = (results: ReadonlyArray<LoopResult>): Figures =>
  Float64Array.from(results.flatMap(({ figures }) => Array.from(figures)))

/** Values in their order: how far apart they are at most. */
export const compareEquity = (
  of: string,
  ours: ArrayLike<number>,
  loop: ArrayLike<number>
): Comparison => {
  let largest = ours.length === loop.length ? 0 : Infinity
  for (let index = 0; index < ours.length && largest < Infinity; index++) {
    const apart = Math.abs(ours[index]! - loop[index]!) / Math.max(1, Math.abs(loop[index]!))
    // NaN is as far apart as can be.
    largest = apart >= 0 ? Math.max(largest, apart) : Infinity
  }
  return {
    of: `${of}: equity at ${ours.length} times`,
    largest,
    tolerance: equityTolerance,
    isEqual: largest <= equityTolerance
  }
}

/** Closed positions of a backtest on candles without gaps that are `candleMs` long. */
const tradesOf = ({ positions, time }: BacktestResult, candleMs: number): Trades => {
  const indexOf = (at: number): number => Math.round((at - time[0]!) / candleMs)
  return {
    entryIndex: positions.entryTime.map(indexOf),
    exitIndex: positions.exitTime.map(indexOf),
    entryPrice: positions.entryPrice,
    exitPrice: positions.exitPrice
  }
}

const equityByDay = ({ equity, time }: BacktestResult): ReadonlyArray<number> =>
  Array.from(equity).filter(
    (_, index) => index + 1 === time.length || time[index + 1]! >= dayEndOf(time[index]!)
  )

/** Trades and equity of one backtest against those of the loop. */
export const compareBacktest = (
  found: BacktestResult,
  loop: LoopResult,
  candleMs: number
): ReadonlyArray<Comparison> => [
  compareTrades("naive", tradesOf(found, candleMs), loop.trades),
  compareEquity("naive", equityByDay(found), loop.days)
]

/** Figures of all sets of a sweep against those of the loop. */
export const compareSweep = (found: SweptFigures, loops: ReadonlyArray<LoopResult>): Comparison =>
  compareFigures("naive", toFigures(found), figuresOf(loops), { tolerance: equityTolerance })
