/**
 * A stretch of candles that a run has judged a strategy on, and how often that was done before.
 *
 * A search of many strategies on one stretch finds one that did well there by luck. So each result
 * says how many came before it.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { MarketSymbol, Timeframe, Timestamp } from "@candlewick/engine"

/** A stretch that a run has judged, for its record. @category schemas @since 0.1.0 */
export const JudgedStretch = Schema.Struct({
  symbol: MarketSymbol,
  timeframe: Timeframe,
  from: Timestamp,
  to: Timestamp,
  /** How many earlier runs of the account have judged at least half of the stretch. */
  earlier_count: Schema.Int,
  sentence: Schema.String
})

/** A stretch that a run has judged, for its record. @category models @since 0.1.0 */
export type JudgedStretch = typeof JudgedStretch.Type

/** The count of earlier judgements in words. @category conversions @since 0.1.0 */
export const sentenceOfJudged = ({
  earlier_count: count,
  symbol,
  timeframe
}: Pick<JudgedStretch, "earlier_count" | "symbol" | "timeframe">): string => {
  const stretch = `This stretch of ${symbol} ${timeframe}`
  if (count === 0) return `${stretch} has not been judged before.`
  const times = count === 1 ? "once" : `${count} times`
  return `${stretch} has been judged ${times} before; a good result here is weaker evidence each time.`
}
