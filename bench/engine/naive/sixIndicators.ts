/**
 * Row 6 with the naive columns.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import type { SixIndicators } from "../Engine.ts"
import type { SixColumns } from "../sixColumns.ts"
import { naiveAtr, naiveBollinger, naiveEma, naiveMacd, naiveRsi, naiveSma } from "./columns.ts"

/** The six indicators of the table, one after the other, into these columns. */
export const naiveSixIndicators = (
  { close, high, low }: CandleColumns,
  into: SixColumns
): SixIndicators => {
  naiveSma(close, 20, into.sma)
  naiveEma(close, 20, into.ema)
  naiveRsi(close, 14, into.rsi)
  naiveMacd(close, 12, 26, 9, into)
  naiveBollinger(close, 20, 2, into)
  naiveAtr(high, low, close, 14, into.atr)
  return into
}
