/**
 * Row 5 as a plain loop: conditions are looked up candle by candle in columns that are given.
 */
import type { CandleColumns } from "@candlewick/core/kernel"
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

/** Computes each column once, the first time that it is asked for. */
export const makeConditionColumns = (
  candles: CandleColumns
): ((column: ConditionColumn | "atr") => Float64Array) => {
  const known = new Map<string, Float64Array>()
  return (column) => {
    const key = JSON.stringify(column)
    const found = known.get(key)
    if (found !== undefined) return found
    const computed =
      column === "atr"
        ? naiveAtr(candles.high, candles.low, candles.close, 14)
        : computeColumn(candles, column)
    known.set(key, computed)
    return computed
  }
}

interface Check {
  readonly left: Float64Array
  readonly right: Float64Array | number
  readonly isAbove: boolean
}

const holds = ({ isAbove, left, right }: Check, index: number): boolean => {
  const other = typeof right === "number" ? right : right[index]!
  return isAbove ? left[index]! > other : left[index]! < other
}

/** The four figures of one strategy; entry and exit at once say nothing. */
export const naiveRandomStrategy = (
  { close, high, low, open }: CandleColumns,
  columnOf: (column: ConditionColumn | "atr") => Float64Array,
  strategy: RandomStrategy,
  feeRate: number
): Figures => {
  const toCheck = ({ left, right, type }: Condition): Check => ({
    left: columnOf(left),
    right: typeof right === "number" ? right : columnOf(right),
    isAbove: type === "above"
  })
  const enters = strategy.enters.map(toCheck)
  const leaves = strategy.leaves.map(toCheck)
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
    const isEntry = enters.every((check) => holds(check, index))
    const isExit = leaves.some((check) => holds(check, index))
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
