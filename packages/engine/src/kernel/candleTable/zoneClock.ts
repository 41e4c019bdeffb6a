/**
 * Turns the clock of a zone into epoch milliseconds.
 *
 * @since 0.1.0
 */
import { dayMs } from "../calendar.ts"
import { dateMs } from "./readTime.ts"

/** Turns the clock of a zone into epoch milliseconds. @category models @since 0.1.0 */
export interface ZoneClock {
  /** Epoch milliseconds of a local time; of an hour that comes twice, the one after `before`. */
  readonly toInstant: (localMs: number, before: number) => number
  /** The local time of an instant, as milliseconds since 1970 by that clock. */
  readonly toLocal: (instantMs: number) => number
}

/** The clock of UTC. @category tables @since 0.1.0 */
export const utcClock: ZoneClock = {
  toInstant: (localMs) => localMs,
  toLocal: (instantMs) => instantMs
}

const fixed = /^([+-])(\d{2}):?(\d{2})$/

const fixedClock = (offsetMs: number): ZoneClock => ({
  toInstant: (localMs) => localMs - offsetMs,
  toLocal: (instantMs) => instantMs + offsetMs
})

const namedClock = (zone: string): ZoneClock => {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric"
  })
  const readOffset = (instantMs: number): number => {
    const parts: Record<string, number> = {}
    for (const { type, value } of format.formatToParts(instantMs)) parts[type] = Number(value)
    const { day = 1, hour = 0, minute = 0, month = 1, second = 0, year = 1970 } = parts
    const local = dateMs(year, month, day) + ((hour * 60 + minute) * 60 + second) * 1_000
    return local - Math.floor(instantMs / 1_000) * 1_000
  }
  // To ask the calendar takes microseconds, and a day mostly has one offset.
  const daily = new Map<number, number>()
  const offsetAtDay = (day: number): number => {
    const known = daily.get(day)
    if (known !== undefined) return known
    const offset = readOffset(day * dayMs)
    daily.set(day, offset)
    return offset
  }
  const offsetAt = (instantMs: number): number => {
    const day = Math.floor(instantMs / dayMs)
    const offset = offsetAtDay(day)
    return offset === offsetAtDay(day + 1) ? offset : readOffset(instantMs)
  }
  return {
    toLocal: (instantMs) => instantMs + offsetAt(instantMs),
    toInstant: (localMs, before) => {
      const earlier = localMs - offsetAt(localMs - dayMs / 2)
      const later = localMs - offsetAt(localMs + dayMs / 2)
      const fits = [Math.min(earlier, later), Math.max(earlier, later)].filter(
        (instant) => instant + offsetAt(instant) === localMs
      )
      // A clock that is set forward skips the hour; a time inside of it has the offset before.
      if (fits.length === 0) return earlier
      return fits.find((instant) => instant > before) ?? fits[0]!
    }
  }
}

/**
 * The clock of a zone, by its IANA name or as an offset like `+02:00`; null where there is none.
 *
 * @category constructors
 * @since 0.1.0
 */
export const zoneClock = (zone: string): ZoneClock | null => {
  if (zone === "UTC" || zone === "Z") return utcClock
  const [, sign, hours, minutes] = fixed.exec(zone) ?? []
  if (sign !== undefined) {
    const offset = (Number(hours) * 60 + Number(minutes)) * 60_000
    return Number(hours) > 18 || Number(minutes) > 59
      ? null
      : fixedClock(sign === "-" ? -offset : offset)
  }
  try {
    return namedClock(zone)
  } catch {
    return null
  }
}
