/**
 * Row 5 as a plain loop: five comparisons a candle, of columns that are given. A level is a column
 * too, and what is to be below another is the other one above it.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import type { Figures } from "../Engine.ts"
import type { Condition, ConditionColumn, RandomStrategy } from "../work/randomStrategies.ts"
import {
  naiveAtr,
  naiveBollinger,
  naiveEma,
  naiveMacd,
  naiveRoc,
  naiveRsi,
  naiveSma
} from "./columns.ts"

const minutesPerYear = 525_600

const computeColumn = ({ close }: CandleColumns, column: ConditionColumn): Float64Array => {
  switch (column.kind) {
    case "close":
      return close
    case "macd":
      return naiveMacd(close, 12, 26, 9).macd
    case "macd_signal":
      return naiveMacd(close, 12, 26, 9).signal
    case "sma":
      return naiveSma(close, column.period)
    case "ema":
      return naiveEma(close, column.period)
    case "rsi":
      return naiveRsi(close, column.period)
    case "roc":
      return naiveRoc(close, column.period)
    case "upper":
    case "lower":
      return naiveBollinger(close, column.period, column.deviations)[column.kind]
  }
}

/** A column of the candles, or one that is a level throughout. */
export type ColumnOf = (column: ConditionColumn | "atr" | number) => Float64Array

/** Computes each column once, the first time that it is asked for. */
export const makeConditionColumns = (candles: CandleColumns): ColumnOf => {
  const known = new Map<string, Float64Array>()
  const compute = (column: ConditionColumn | "atr" | number): Float64Array => {
    if (typeof column === "number") return new Float64Array(candles.length).fill(column)
    if (column === "atr") return naiveAtr(candles.high, candles.low, candles.close, 14)
    return computeColumn(candles, column)
  }
  return (column) => {
    const key = JSON.stringify(column)
    const found = known.get(key)
    if (found !== undefined) return found
    const computed = compute(column)
    known.set(key, computed)
    return computed
  }
}

/** The columns of a condition, the one first that is to be above the other. */
const toSides = (
  { left, right, type }: Condition,
  columnOf: ColumnOf
): readonly [Float64Array, Float64Array] =>
  type === "above" ? [columnOf(left), columnOf(right)] : [columnOf(right), columnOf(left)]

/** The four figures of one strategy; entry and exit at once say nothing. */
export const naiveRandomStrategy = (
  { close, high, low, open }: CandleColumns,
  columnOf: ColumnOf,
  strategy: RandomStrategy,
  feeRate: number
): Figures => {
  const [enter0, enter1, enter2] = strategy.enters
  const [leave0, leave1] = strategy.leaves
  const [above0, below0] = toSides(enter0, columnOf)
  const [above1, below1] = toSides(enter1, columnOf)
  const [above2, below2] = toSides(enter2, columnOf)
  const [above3, below3] = toSides(leave0, columnOf)
  const [above4, below4] = toSides(leave1, columnOf)
  const atr = columnOf("atr")
  const count = close.length
  let cash = 1
  let held = 0
  let stop = 0
  let target = 0
  let entryCount = 0
  let before = 1
  let peak = 1
  let deepest = 0
  let sum = 0
  let squares = 0
  for (let index = 0; index < count; index++) {
    const price = close[index]!
    const isEntry =
      above0[index]! > below0[index]! &&
      above1[index]! > below1[index]! &&
      above2[index]! > below2[index]!
    const isExit = above3[index]! > below3[index]! || above4[index]! > below4[index]!
    if (held > 0) {
      let exitPrice = Number.NaN
      if (open[index]! <= stop || open[index]! >= target) exitPrice = open[index]!
      else if (low[index]! <= stop) exitPrice = stop
      else if (high[index]! >= target) exitPrice = target
      else if (isExit && !isEntry) exitPrice = price
      if (!Number.isNaN(exitPrice)) {
        cash = held * exitPrice * (1 - feeRate)
        held = 0
      }
    } else if (isEntry && !isExit && !Number.isNaN(atr[index]!)) {
      held = cash / (price * (1 + feeRate))
      cash = 0
      stop = price - strategy.stop * atr[index]!
      target = price + strategy.target * atr[index]!
      entryCount++
    }
    const equity = cash + held * price
    const change = equity / before - 1
    sum += change
    squares += change * change
    before = equity
    if (equity > peak) peak = equity
    const drawdown = 1 - equity / peak
    if (drawdown > deepest) deepest = drawdown
  }
  const mean = sum / count
  const variance = (squares - sum * mean) / (count - 1)
  const sharpe = (mean / Math.sqrt(variance)) * Math.sqrt(minutesPerYear)
  return Float64Array.of(before - 1, sharpe, deepest, entryCount)
}
