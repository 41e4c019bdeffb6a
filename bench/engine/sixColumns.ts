/**
 * The ten columns of row 6, for who writes them.
 */
import type { SixIndicators } from "./Engine.ts"

/** A column to write into for each output. */
export type SixColumns = { readonly [Name in keyof SixIndicators]: Float64Array }

/** New columns; whoever is given them writes every value, NaN while warming up. */
export const makeSixColumns = (length: number): SixColumns => ({
  sma: new Float64Array(length),
  ema: new Float64Array(length),
  rsi: new Float64Array(length),
  macd: new Float64Array(length),
  signal: new Float64Array(length),
  histogram: new Float64Array(length),
  upper: new Float64Array(length),
  middle: new Float64Array(length),
  lower: new Float64Array(length),
  atr: new Float64Array(length)
})
