/**
 * Candles that were replaced after a run or a bot had gone by them.
 *
 * An import that replaces makes the next revision of its series, and the candles of before are not
 * kept. So a result on them stays readable, and can't be repeated.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { MarketSymbol, Timeframe } from "@candlewick/engine"

/** Candles that were replaced since they were pinned. @category schemas @since 0.1.0 */
export const ReplacedCandles = Schema.Struct({
  symbol: MarketSymbol,
  timeframe: Timeframe,
  /** The revision that was pinned. */
  revision: Schema.Int,
  /** The revision that is kept now; null where the series was removed. */
  newest_revision: Schema.NullOr(Schema.Int),
  sentence: Schema.String
})

/** Candles that were replaced since they were pinned. @category models @since 0.1.0 */
export type ReplacedCandles = typeof ReplacedCandles.Type
