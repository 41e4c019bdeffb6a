/**
 * The time of a candle as files write it: a number, a date, or a date with a time of day.
 *
 * A cell alone does not show the unit of its number, which part of `03/04/2024` is the month, or
 * the zone of its clock. So a cell becomes a number and the kind of that number, and the column as
 * a whole decides the rest.
 *
 * @since 0.1.0
 */
import { dayMs } from "../calendar.ts"

/** The meaning of a cell's number. @category tables @since 0.1.0 */
export const timeKinds = {
  /** No time. */
  none: 0,
  /** A count of some unit since 1970. */
  epoch: 1,
  /** Milliseconds since 1970 by the clock of the cell's offset, or of the table's zone. */
  local: 2,
  /** A date whose day and month may be swapped, with its time of day: see `unpackDate`. */
  packed: 3
} as const

/** The offset of a cell that names none. @category tables @since 0.1.0 */
export const noOffset = -32_768

/** A cell that was read; the caller owns it, so that a million rows share one. @category models */
export interface ReadCell {
  kind: number
  value: number
  /** The minutes by which the clock of the cell is ahead of UTC, or `noOffset`. */
  offset: number
}

const epochPattern = /^-?\d{1,19}(?:\.\d+)?$/
const offsetPattern = /:\d{2}(?:\.\d+)? ?(?:Z|UTC|GMT|(?:UTC|GMT)?([+-])(\d{2}):?(\d{2}))$/
const clock = String.raw`(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*([AaPp][Mm])?`
const yearFirst = new RegExp(
  String.raw`^(\d{4})[-./](\d{1,2})[-./](\d{1,2})(?:(?:[T ]|,\s?)${clock})?$`
)
const yearLast = new RegExp(
  String.raw`^(\d{1,2})[-./](\d{1,2})[-./](\d{4})(?:(?:[T ]|,\s?)${clock})?$`
)
const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ")
const monthFirst = new RegExp(
  String.raw`^([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})(?:(?:[T ]|,\s?)${clock})?$`
)
const monthSecond = new RegExp(
  String.raw`^(\d{1,2})[- ]([A-Za-z]{3,9})\.?[- ](\d{4})(?:(?:[T ]|,\s?)${clock})?$`
)
const compact = /^((?:19|20)\d{2})(\d{2})(\d{2})(?:[T ]?(\d{2}):?(\d{2}):?(\d{2})?)?$/

/** Removes the offset from the end of a time. */
const withoutOffset = (end: string): string =>
  end.replace(/ ?(?:Z|UTC|GMT|(?:UTC|GMT)?[+-]\d{2}:?\d{2})$/, "")

const perDate = 10_000

/** Milliseconds of a time of day: 0 without one, NaN where it is impossible. */
const clockMs = (parts: ReadonlyArray<string | undefined>): number => {
  const [hour, minute = "0", second = "0", fraction = "0", half] = parts
  if (hour === undefined) return 0
  let hours = Number(hour)
  if (half !== undefined) {
    if (hours < 1 || hours > 12) return Number.NaN
    hours = (hours % 12) + (half.toLowerCase() === "pm" ? 12 : 0)
  }
  if (hours > 24 || Number(minute) > 59 || Number(second) > 59) return Number.NaN
  const ms = Math.floor(Number(`0.${fraction}`) * 1_000)
  const all = ((hours * 60 + Number(minute)) * 60 + Number(second)) * 1_000 + ms
  return all <= dayMs ? all : Number.NaN
}

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const daysOf = (year: number, month: number): number => {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && isLeap ? 29 : monthDays[month - 1]!
}

/** Milliseconds of a date since 1970; NaN where there is no such day. */
export const dateMs = (year: number, month: number, day: number): number => {
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return Number.NaN
  // Years that begin in March have the leap day at their end.
  const since = month > 2 ? year : year - 1
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  const leapDays = Math.floor(since / 4) - Math.floor(since / 100) + Math.floor(since / 400)
  return (365 * since + leapDays + dayOfYear - 719_468) * dayMs
}

/** Milliseconds of a date whose month is a word. */
const namedMonthMs = (text: string): number => {
  const first = monthFirst.exec(text)
  const parts = first ?? monthSecond.exec(text)
  if (parts === null) return Number.NaN
  const [, one = "", other = "", year] = parts
  const [name, day] = first === null ? [other, one] : [one, other]
  const month = months.indexOf(name.slice(0, 3).toLowerCase()) + 1
  return dateMs(Number(year), month, Number(day)) + clockMs(parts.slice(4))
}

const none = (into: ReadCell): void => {
  into.kind = timeKinds.none
  into.value = Number.NaN
}

const found = (into: ReadCell, kind: number, value: number): void => {
  if (!Number.isFinite(value)) return none(into)
  into.kind = kind
  into.value = value
}

const readDated = (text: string, into: ReadCell): void => {
  const year = yearFirst.exec(text) ?? compact.exec(text)
  if (year !== null) {
    const date = dateMs(Number(year[1]), Number(year[2]), Number(year[3]))
    return found(into, timeKinds.local, date + clockMs(year.slice(4)))
  }
  const last = yearLast.exec(text)
  if (last === null) return found(into, timeKinds.local, namedMonthMs(text))
  const [, first, second, yearOf] = last
  const one = Number(first)
  const other = Number(second)
  if (one < 1 || other < 1 || one > 31 || other > 31 || (one > 12 && other > 12)) return none(into)
  const date = (Number(yearOf) * 100 + one) * 100 + other
  const ms = clockMs(last.slice(4))
  // Two numbers in one: the date, and the time of day in it.
  found(into, timeKinds.packed, date * perDate * perDate + ms)
}

/** The parts of a packed date. @category conversions @since 0.1.0 */
export const unpackDate = (packed: number) => {
  const date = Math.floor(packed / (perDate * perDate))
  return {
    year: Math.floor(date / 10_000),
    first: Math.floor(date / 100) % 100,
    second: date % 100,
    clockMs: packed - date * perDate * perDate
  }
}

/** Milliseconds of a packed date; NaN where there is no such day. @category conversions */
export const packedMs = (packed: number, isDayFirst: boolean): number => {
  const { clockMs: ms, first, second, year } = unpackDate(packed)
  return dateMs(year, isDayFirst ? second : first, isDayFirst ? first : second) + ms
}

/**
 * Reads the time of a cell.
 *
 * @category conversions
 * @since 0.1.0
 */
export const readTime = (cell: unknown, into: ReadCell): void => {
  into.offset = noOffset
  if (typeof cell === "number") return found(into, timeKinds.epoch, cell)
  if (typeof cell !== "string") return none(into)
  const text = cell.trim()
  if (epochPattern.test(text)) {
    // Eight and fourteen digits that are a date are none but that.
    const isDate = (text.length === 8 || text.length === 14) && compact.test(text)
    if (isDate) readDated(text, into)
    if (isDate && into.kind !== timeKinds.none) return
    return found(into, timeKinds.epoch, Number(text))
  }
  readDated(text.replace(offsetPattern, withoutOffset), into)
  const offset = into.kind === timeKinds.none ? null : offsetPattern.exec(text)
  if (offset === null) return
  const [, sign, hours = "0", minutes = "0"] = offset
  const ahead = Number(hours) * 60 + Number(minutes)
  into.offset = sign === "-" ? -ahead : ahead
}
