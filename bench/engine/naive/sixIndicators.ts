/**
 * Row 6 with the naive columns.
 */
import type { CandleColumns } from "@candlewick/core/kernel"
import type { SixIndicators } from "../Engine.ts"
import { naiveAtr, naiveBollinger, naiveEma, naiveMacd, naiveRsi, naiveSma } from "./columns.ts"

/** The six indicators of the table, one after the other. */
export const naiveSixIndicators = ({ close, high, low }: CandleColumns): SixIndicators => ({
  sma: naiveSma(close, 20),
  ema: naiveEma(close, 20),
  rsi: naiveRsi(close, 14),
  ...naiveMacd(close, 12, 26, 9),
  ...naiveBollinger(close, 20, 2),
  atr: naiveAtr(high, low, close, 14)
})
