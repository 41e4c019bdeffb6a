/**
 * The values of every series of a plan, in two forms that agree to the bit: over columns, and for
 * the next candle.
 *
 * Undefined is NaN; so is a quotient by zero.
 *
 * @since 0.1.0
 */
import type { PriceField } from "../language/Rule.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import {
  highestStep,
  lowestStep,
  meanStep,
  percentileStep,
  shiftStep,
  stdevStep,
  toRollingColumn
} from "../kernel/rolling.ts"
import type { RollingStep } from "../kernel/rolling.ts"
import { highestColumn, lowestColumn, meanColumn, stdevColumn } from "../kernel/rollingColumns.ts"
import type { StepCandle } from "./candleLanes.ts"

/** The value of a node at the next candle. @category models @since 0.1.0 */
export type NodeStep = (candle: StepCandle) => number

/** Makes a step that reads its inputs from `values` at `slots`. @category models @since 0.1.0 */
export type MakeNodeStep = (
  slots: ReadonlyArray<number>,
  settings: ReadonlyArray<number>,
  values: Float64Array,
  name: string
) => NodeStep

/** A series in both forms. @category models @since 0.1.0 */
export interface SeriesOperation {
  readonly column: (
    inputs: ReadonlyArray<Float64Array>,
    settings: ReadonlyArray<number>,
    columns: CandleColumns,
    name: string
  ) => Float64Array
  readonly step: MakeNodeStep
  /** The value at a candle, where it depends on the two inputs at that candle alone. */
  readonly point?: (left: number, right: number) => number
}

/** The numbers of a candle: its prices, and the time of its open. */
type CandleField = PriceField | "time"

const fieldIn: Readonly<Record<CandleField, (candle: StepCandle) => number>> = {
  time: (candle) => candle.time,
  open: (candle) => candle.open,
  high: (candle) => candle.high,
  low: (candle) => candle.low,
  close: (candle) => candle.close,
  volume: (candle) => candle.volume,
  hl2: ({ high, low }) => (high + low) / 2,
  hlc3: ({ high, low, close }) => (high + low + close) / 3,
  ohlc4: ({ open, high, low, close }) => (open + high + low + close) / 4
}

const fieldColumn = (columns: CandleColumns, field: CandleField): Float64Array => {
  const { open, high, low, close, length } = columns
  if (field !== "hl2" && field !== "hlc3" && field !== "ohlc4") return columns[field]
  const column = new Float64Array(length)
  switch (field) {
    case "hl2":
      for (let at = 0; at < length; at += 1) column[at] = (high[at]! + low[at]!) / 2
      return column
    case "hlc3":
      for (let at = 0; at < length; at += 1) column[at] = (high[at]! + low[at]! + close[at]!) / 3
      return column
    case "ohlc4":
      for (let at = 0; at < length; at += 1) {
        column[at] = (open[at]! + high[at]! + low[at]! + close[at]!) / 4
      }
      return column
  }
}

const price: SeriesOperation = {
  column: (_inputs, _settings, columns, field) => fieldColumn(columns, field as CandleField),
  step: (_slots, _settings, _values, field) => fieldIn[field as CandleField]
}

const constant: SeriesOperation = {
  column: (_inputs, [value], columns) => new Float64Array(columns.length).fill(value!),
  step:
    (_slots, [value]) =>
    () =>
      value!
}

const pairwise = (combine: (left: number, right: number) => number): SeriesOperation => ({
  column: ([left, right], _settings, columns) => {
    const column = new Float64Array(columns.length)
    for (let at = 0; at < column.length; at += 1) column[at] = combine(left![at]!, right![at]!)
    return column
  },
  step: ([left, right], _settings, values) => {
    const [leftSlot, rightSlot] = [left!, right!]
    return () => combine(values[leftSlot]!, values[rightSlot]!)
  },
  point: combine
})

const abs: SeriesOperation = {
  column: ([of]) => of!.map(Math.abs),
  step: ([slot], _settings, values) => {
    const from = slot!
    return () => Math.abs(values[from]!)
  }
}

const rolling = (
  make: (settings: ReadonlyArray<number>) => RollingStep,
  column?: (source: Float64Array, period: number) => Float64Array
): SeriesOperation => ({
  column: ([of], settings) =>
    column === undefined ? toRollingColumn(make(settings), of!) : column(of!, settings[0]!),
  step: ([slot], settings, values) => {
    const from = slot!
    const next = make(settings)
    return () => next(values[from]!)
  }
})

const quotient = (left: number, right: number): number => (right === 0 ? Number.NaN : left / right)

/**
 * Every series that is neither an indicator nor of another timeframe.
 *
 * @category tables
 * @since 0.1.0
 */
export const seriesOperations = {
  price,
  constant,
  add: pairwise((left, right) => left + right),
  sub: pairwise((left, right) => left - right),
  mul: pairwise((left, right) => left * right),
  div: pairwise(quotient),
  min: pairwise(Math.min),
  max: pairwise(Math.max),
  abs,
  shift: rolling(([by]) => shiftStep(by!)),
  highest: rolling(([period]) => highestStep(period!), highestColumn),
  lowest: rolling(([period]) => lowestStep(period!), lowestColumn),
  mean: rolling(([period]) => meanStep(period!), meanColumn),
  stdev: rolling(([period]) => stdevStep(period!), stdevColumn),
  percentile: rolling(([period, rank]) => percentileStep(period!, rank!))
} as const satisfies Record<string, SeriesOperation>
