/**
 * Times as programs hold them.
 *
 * @since 0.1.0
 */
import { isoTimeMs } from "../language/isoTime.ts"

/**
 * When a candle opened: epoch milliseconds, a date, or ISO 8601 text, which is UTC where it names
 * no offset.
 *
 * @category models
 * @since 0.1.0
 */
export type CandleTime = number | string | Date

/** Epoch milliseconds; NaN where it is no time. */
export const toMs = (time: unknown): number => {
  if (typeof time === "number") return time
  if (time instanceof Date) return time.getTime()
  return typeof time === "string" ? isoTimeMs(time) : Number.NaN
}
