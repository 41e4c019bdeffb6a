/**
 * A stretch of candles on which a run has judged a strategy, and the number of earlier runs there.
 *
 * A search of many strategies on one stretch finds one that did well by luck. So each result says
 * how many runs came before it.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { MarketSymbol, Timeframe, Timestamp } from "@candlewick/engine"

/** A stretch of candles in the record of the run that judged it. @category schemas @since 0.1.0 */
export const JudgedStretch = Schema.Struct({
  symbol: MarketSymbol,
  timeframe: Timeframe,
  from: Timestamp,
  to: Timestamp,
  /** The number of earlier runs of the account that judged at least half of the stretch. */
  earlier_count: Schema.Int,
  sentence: Schema.String
})

/** A stretch of candles in the record of the run that judged it. @category models @since 0.1.0 */
export type JudgedStretch = typeof JudgedStretch.Type

/** The sentence about earlier judgements, for people. @category conversions @since 0.1.0 */
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
