/**
 * Turns the written times of a table into epoch milliseconds.
 *
 * Numbers may have one of several units, dates may begin with day or month, and clocks may lack a
 * zone. Each is read in the way that spaces the rows by one timeframe. Where two ways do, the
 * fault names which option settles it.
 *
 * @since 0.1.0
 */
import { dayMs } from "../calendar.ts"
import { bucketStart } from "../resample.ts"
import { dateMs, noOffset, packedMs, timeKinds, unpackDate } from "./readTime.ts"
import { utcClock, type ZoneClock } from "./zoneClock.ts"

/** Units of epoch times, by how many milliseconds each has. @category tables @since 0.1.0 */
export const timeUnits = { ms: 1, s: 1_000, us: 1e-3, ns: 1e-6 } as const

/** A unit of epoch times. @category models @since 0.1.0 */
export type TableTimeUnit = keyof typeof timeUnits

/** The first part of a date like `03/04/2024`. @category models @since 0.1.0 */
export type TableDateOrder = "day_first" | "month_first"

/** A question that the table leaves open, and the option that answers it. @category models */
export interface TableAmbiguity {
  readonly about: "time_unit" | "date_order" | "decimal" | "columns"
  readonly read_as: string
  readonly or: string
  /** The option with the value that chooses the other reading. */
  readonly settle: string
  /** Whether nothing speaks for the one reading, so that an import must state it. */
  readonly isOpen: boolean
}

/** The times of a table as they were read. @category models @since 0.1.0 */
export interface RawTimes {
  readonly length: number
  readonly value: Float64Array
  readonly kind: Uint8Array
  /** The minutes by which the clock of each is ahead of UTC, or `noOffset`. */
  readonly offset: Int16Array
}

/** The reading of times. @category models @since 0.1.0 */
export interface TimesReading {
  readonly unit: TableTimeUnit | null
  readonly dateOrder: TableDateOrder | null
  /** Whether some times name neither a zone nor an offset, and count no unit. */
  readonly isLocal: boolean
  readonly timeframeMs: number | null
  /** How far apart rows usually lie; null where no timeframe is as long. */
  readonly stepMs: number | null
  /** Whether rows usually lie as far apart as a candle of some timeframe lasts. */
  readonly isStepKnown: boolean
  readonly ambiguities: ReadonlyArray<TableAmbiguity>
}

/** The facts known of the times before they are looked at. @category models @since 0.1.0 */
export interface TimesGiven {
  readonly timeframeMs: number | undefined
  readonly timeframesMs: ReadonlyArray<number>
  readonly unit: TableTimeUnit | undefined
  readonly dateOrder: TableDateOrder | undefined
}

const rowsLooked = 20_000
const units = Object.keys(timeUnits) as ReadonlyArray<TableTimeUnit>
const firstYearMs = dateMs(1980, 1, 1)
const lastYearMs = dateMs(2100, 1, 1)

/** The most frequent distance of neighbours; NaN where all are equal. */
const usualStep = (times: ReadonlyArray<number>): number => {
  const counts = new Map<number, number>()
  let usual = Number.NaN
  let most = 0
  for (let index = 1; index < times.length; index++) {
    const step = Math.abs(times[index]! - times[index - 1]!)
    if (!(step > 0)) continue
    const count = (counts.get(step) ?? 0) + 1
    counts.set(step, count)
    if (count > most || (count === most && step < usual)) {
      most = count
      usual = step
    }
  }
  return usual
}

/** The fit of times: the usual step first, then the years, then the starts of candles. */
const fitOf = (times: ReadonlyArray<number>, given: TimesGiven): number => {
  const step = Math.round(usualStep(times))
  const wanted = given.timeframeMs
  const isStep = wanted === undefined ? given.timeframesMs.includes(step) : step === wanted
  const areYears = times.every((time) => time >= firstYearMs && time < lastYearMs)
  const lengthMs = wanted ?? (isStep ? step : dayMs)
  const areStarts = times.every((time) => bucketStart(time, lengthMs) === time)
  return (isStep ? 4 : 0) + (areYears ? 2 : 0) + (areStarts ? 1 : 0)
}

const hasOffset = ({ offset }: RawTimes, row: number): boolean => offset[row] !== noOffset

/** Whether some clock names no offset; most tables show it without a look at each row. */
const hasLocal = (raw: RawTimes): boolean => {
  const { kind, offset } = raw
  const hasClock = kind.includes(timeKinds.local) || kind.includes(timeKinds.packed)
  if (!hasClock || !offset.includes(noOffset)) return false
  return kind.some((one, row) => one >= timeKinds.local && !hasOffset(raw, row))
}

const looked = (
  { kind, length, value }: RawTimes,
  wanted: number,
  toMs: (value: number) => number
): ReadonlyArray<number> => {
  const times: Array<number> = []
  for (let row = 0; row < length && times.length < rowsLooked; row++) {
    if (kind[row] === wanted) times.push(toMs(value[row]!))
  }
  return times
}

interface Choice<A> {
  readonly value: A
  readonly rival: A | null
}

/** The value that fits best, and the next that fits as well. */
const best = <A>(values: ReadonlyArray<A>, fit: (value: A) => number): Choice<A> => {
  const ranked = values.map((value) => ({ value, fit: fit(value) }))
  const top = ranked.reduce((one, other) => (other.fit > one.fit ? other : one))
  const rival = ranked.find((one) => one !== top && one.fit === top.fit)
  return { value: top.value, rival: rival?.value ?? null }
}

const unitOf = (raw: RawTimes, given: TimesGiven): Choice<TableTimeUnit> | null => {
  const numbers = looked(raw, timeKinds.epoch, (value) => value)
  if (numbers.length === 0) return null
  if (given.unit !== undefined) return { value: given.unit, rival: null }
  if (numbers.every((value) => value === 0)) return { value: "ms", rival: null }
  return best(units, (unit) =>
    fitOf(
      numbers.map((value) => value * timeUnits[unit]),
      given
    )
  )
}

/** The order of a date whose other order names no month; one such date speaks for all. */
export const orderOfDate = (packed: number): TableDateOrder | null => {
  const { first, second } = unpackDate(packed)
  return first > 12 ? "day_first" : second > 12 ? "month_first" : null
}

const orderOf = (raw: RawTimes, given: TimesGiven): Choice<TableDateOrder> | null => {
  const packed = looked(raw, timeKinds.packed, (value) => value)
  if (packed.length === 0) return null
  if (given.dateOrder !== undefined) return { value: given.dateOrder, rival: null }
  return best(["day_first", "month_first"] as const, (order) =>
    fitOf(
      packed.map((value) => packedMs(value, order === "day_first")),
      given
    )
  )
}

const otherThan = (about: "time_unit" | "date_order", choice: Choice<string> | null) =>
  choice === null || choice.rival === null
    ? []
    : [
        {
          about,
          read_as: choice.value,
          or: choice.rival,
          settle: `${about}=${choice.rival}`,
          isOpen: about === "date_order"
        }
      ]

/**
 * Decides how times are read, from a look at their beginning.
 *
 * @category models
 * @since 0.1.0
 */
export const decideTimes = (raw: RawTimes, given: TimesGiven): TimesReading => {
  const unit = unitOf(raw, given)
  const order = orderOf(raw, given)
  const isDayFirst = order?.value === "day_first"
  const toMs = (row: number): number => {
    const value = raw.value[row]!
    if (raw.kind[row] === timeKinds.epoch) return value * timeUnits[unit?.value ?? "ms"]
    const local = raw.kind[row] === timeKinds.packed ? packedMs(value, isDayFirst) : value
    return hasOffset(raw, row) ? local - raw.offset[row]! * 60_000 : local
  }
  const times = Array.from({ length: Math.min(raw.length, rowsLooked) }, (_, row) => toMs(row))
  const step = Math.round(usualStep(times))
  const isLocal = hasLocal(raw)
  const isStepKnown = given.timeframesMs.includes(step)
  return {
    unit: unit?.value ?? null,
    dateOrder: order?.value ?? null,
    isLocal,
    timeframeMs: given.timeframeMs ?? (isStepKnown ? step : null),
    stepMs: isStepKnown ? step : null,
    isStepKnown,
    ambiguities: [...otherThan("time_unit", unit), ...otherThan("date_order", order)]
  }
}

/** The number of times that are turned before others may go on. */
const rowsPerTurn = 8_192

/**
 * Turns times into epoch milliseconds in place, some rows at a time; NaN where there is no such
 * time.
 *
 * **Details**
 *
 * A candle of a day or more that begins within a day is moved to the day's start. The clock is that
 * of `zone`, or of the candle's own offset without one. Exchanges stamp such candles with the
 * opening of a session. The result says how many.
 *
 * @category models
 * @since 0.1.0
 */
export function* turnTimes(
  raw: RawTimes,
  { dateOrder, timeframeMs, unit }: TimesReading,
  zone: ZoneClock | null
): Generator<void, { readonly movedCount: number }> {
  const { kind, length, offset, value } = raw
  const scale = timeUnits[unit ?? "ms"]
  const isDayFirst = dateOrder === "day_first"
  const isDaily = timeframeMs !== null && timeframeMs >= dayMs
  const clock = zone ?? utcClock
  let movedCount = 0
  let before = -Infinity
  const turn = (row: number): number => {
    const found = value[row]!
    if (kind[row] === timeKinds.none) return Number.NaN
    const isEpoch = kind[row] === timeKinds.epoch
    // Of finer units than milliseconds nothing is left in the opening time of a candle.
    if (isEpoch && !isDaily) return Math.round(found * scale * 1e3) / 1e3
    const local = kind[row] === timeKinds.packed ? packedMs(found, isDayFirst) : found
    const isZoned = !isEpoch && !hasOffset(raw, row)
    const instant = isEpoch ? found * scale : local - offset[row]! * 60_000
    if (!isDaily) return isZoned ? clock.toInstant(local, before) : instant
    const isOwnDay = isZoned || (!isEpoch && zone === null)
    const day = isOwnDay ? local : clock.toLocal(instant)
    const start = bucketStart(day, dayMs)
    if (start !== day) movedCount++
    return start
  }
  for (let row = 0; row < length; row++) {
    const time = turn(row)
    value[row] = time
    if (time > before) before = time
    if (row % rowsPerTurn === rowsPerTurn - 1) yield
  }
  return { movedCount }
}
