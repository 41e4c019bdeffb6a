/**
 * The place of a log line on the market's clock: a line's own time is the wall's.
 *
 * @since 0.1.0
 */
import { toTimestamp } from "@candlewick/engine"

/** The newest candle that was worked off, as a field of a log line. */
export const atCandle = ({ cursor }: { readonly cursor: number | null }) =>
  cursor === null ? {} : { candle_time: toTimestamp(cursor) }
