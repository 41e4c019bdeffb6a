/**
 * Hours, days and weeks of UTC, before 1970 as after it.
 *
 * @since 0.1.0
 */

/** A minute in milliseconds. @category models @since 0.1.0 */
export const minuteMs = 60_000

/** An hour in milliseconds. @category models @since 0.1.0 */
export const hourMs = 60 * minuteMs

/** A day in milliseconds. @category models @since 0.1.0 */
export const dayMs = 24 * hourMs

/** The remainder of a division that rounds down: never below 0, as `%` is before 1970. */
const leftOver = (count: number, of: number): number => count - Math.floor(count / of) * of

/** The hour of a time, 0 to 23. @category models @since 0.1.0 */
export const hourOf = (time: number): number => leftOver(Math.floor(time / hourMs), 24)

/** The weekday of a time, 0 for Monday to 6 for Sunday. @category models @since 0.1.0 */
export const weekdayOf = (time: number): number =>
  // 1970-01-01 was a Thursday, which is day 3 from Monday.
  leftOver(Math.floor(time / dayMs) + 3, 7)

/** Days since 1970-01-01. @category models @since 0.1.0 */
export const dayOf = (time: number): number => Math.floor(time / dayMs)
