/**
 * The days of the week, without the schemas of rules: engines that load no schema read it.
 *
 * @since 0.1.0
 */

/** The days of the week, Monday first. @category tables @since 0.1.0 */
export const weekdays = [
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday"
] as const

/** A day of the week. @category models @since 0.1.0 */
export type Weekday = (typeof weekdays)[number]
