/**
 * The place of a log line, and of a fill, on the market's clock: a line's own time is the wall's.
 *
 * @since 0.1.0
 */
import { timeframeMs, toTimestamp } from "@candlewick/engine"
import { bucketStart, type MatchFill } from "@candlewick/engine/kernel"
import type { MarketData } from "../../ports/MarketData.ts"
import type { BotSession } from "./botSession.ts"

/** The newest candle that was processed, as a field of a log line. */
export const atCandle = ({ cursor }: { readonly cursor: number | null }) =>
  cursor === null ? {} : { candle_time: toTimestamp(cursor) }

/**
 * The open time of the candle that a fill falls into. A venue whose clock is behind dates a fill
 * before the close that decided its order: it counts after that.
 */
export const candleOfFill = (
  clock: MarketData["Service"]["clock"],
  session: Pick<BotSession, "cursor" | "live"> & {
    readonly definition: Pick<BotSession["definition"], "timeframe">
  },
  { time }: Pick<MatchFill, "time">,
  /** The candle by which the fill's order was decided; null where that is unknown. */
  decidedAt: number | null = null
): number => {
  // Books on paper fill in candles, and a venue at times of its own.
  if (session.live === null) return time
  const length = timeframeMs(session.definition.timeframe)
  if (clock === "live") {
    return Math.max(bucketStart(time, length), decidedAt === null ? -Infinity : decidedAt + length)
  }
  // A venue to rehearse at has another clock than the recording.
  return session.cursor === null ? time : session.cursor + length
}
