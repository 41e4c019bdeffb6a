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

/** The open time of the candle that a fill falls into. */
export const candleOfFill = (
  clock: MarketData["Service"]["clock"],
  session: Pick<BotSession, "cursor" | "live"> & {
    readonly definition: Pick<BotSession["definition"], "timeframe">
  },
  { time }: Pick<MatchFill, "time">
): number => {
  // Books on paper fill in candles, and a venue at times of its own.
  if (session.live === null) return time
  const length = timeframeMs(session.definition.timeframe)
  if (clock === "live") return bucketStart(time, length)
  // A venue to rehearse at has another clock than the recording.
  return session.cursor === null ? time : session.cursor + length
}
