/**
 * Columns of a sweep's loops: each period once for all sets of a call.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import { naiveAtr, naiveEma } from "../naive/columns.ts"

/** Columns by their period. */
export interface LoopColumns {
  readonly ema: (period: number) => Float64Array
  readonly atr: (period: number) => Float64Array
}

const onceEach = (compute: (period: number) => Float64Array) => {
  const known = new Map<number, Float64Array>()
  return (period: number): Float64Array => {
    const found = known.get(period)
    if (found !== undefined) return found
    const column = compute(period)
    known.set(period, column)
    return column
  }
}

/** Computes a column the first time that it is asked for. */
export const makeLoopColumns = ({ close, high, low }: CandleColumns): LoopColumns => ({
  ema: onceEach((period) => naiveEma(close, period)),
  atr: onceEach((period) => naiveAtr(high, low, close, period))
})
