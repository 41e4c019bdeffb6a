/**
 * An instant as text, and the way between that text and epoch milliseconds.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/** Whether the date and the time of day exist; a parser would roll 30 February over to March. */
const isInCalendar = (text: string): boolean => {
  const epochMs = Date.parse(text)
  return (
    !Number.isNaN(epochMs) && new Date(epochMs).toISOString().slice(0, 10) === text.slice(0, 10)
  )
}

/**
 * An instant as ISO 8601 text in UTC with milliseconds, as `2026-01-15T09:30:00.000Z`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Timestamp = Schema.String.check(
  Schema.isPattern(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z$/u, {
    expected: "an ISO 8601 date-time in UTC, as 2026-01-15T09:30:00.000Z"
  }),
  Schema.makeFilter(isInCalendar, { expected: "a date and time that the calendar has" })
)

/**
 * Writes epoch milliseconds as a `Timestamp`.
 *
 * @category models
 * @since 0.1.0
 */
export const toTimestamp = (epochMs: number): string => new Date(epochMs).toISOString()

/**
 * Reads a `Timestamp` as epoch milliseconds.
 *
 * @category models
 * @since 0.1.0
 */
export const fromTimestamp = (timestamp: string): number => Date.parse(timestamp)

/**
 * Whether a range of timestamps, its end excluded, has no instant in it.
 *
 * @category models
 * @since 0.1.0
 */
export const isEmptyRange = (range: {
  readonly from?: string | undefined
  readonly to?: string | undefined
}): boolean =>
  range.from !== undefined &&
  range.to !== undefined &&
  fromTimestamp(range.from) >= fromTimestamp(range.to)
