/**
 * Checks candles for faults and gaps.
 *
 * Nothing is repaired or filled.
 *
 * @since 0.1.0
 */
import { type CandleColumns, makeColumns, sliceColumns } from "./columns.ts"
import { bucketStart } from "./resample.ts"

/** One fault; `row` counts from 0. @category models @since 0.1.0 */
export interface CandleFault {
  readonly row: number
  readonly code:
    | "not_finite"
    | "not_positive"
    | "high_too_low"
    | "low_too_high"
    | "negative_volume"
    | "not_aligned"
    | "out_of_order"
    | "duplicate_differs"
  readonly message: string
}

/**
 * A stretch of missing candles: from the open time of the first to that of the last.
 *
 * @category models
 * @since 0.1.0
 */
export interface CandleGap {
  readonly from: number
  readonly to: number
  readonly missingCount: number
}

const faultOf = (columns: CandleColumns, row: number, timeframeMs: number): CandleFault | null => {
  const time = columns.time[row]!
  const open = columns.open[row]!
  const high = columns.high[row]!
  const low = columns.low[row]!
  const close = columns.close[row]!
  const volume = columns.volume[row]!
  const fault = (code: CandleFault["code"], message: string): CandleFault => ({
    row,
    code,
    message
  })
  // A finite sum has finite parts. A sum of finite parts may overflow, so that they are asked then.
  const areFinite =
    Number.isFinite(time + open + high + low + close + volume) ||
    [time, open, high, low, close, volume].every(Number.isFinite)
  if (!areFinite) {
    return fault("not_finite", "every field must be a finite number")
  }
  if (!(low > 0)) return fault("not_positive", `prices must be above 0, and low is ${low}`)
  if (high < Math.max(open, close, low)) {
    return fault("high_too_low", `high ${high} is below the open, the close or the low`)
  }
  if (low > Math.min(open, close)) {
    return fault("low_too_high", `low ${low} is above the open or the close`)
  }
  if (volume < 0) return fault("negative_volume", `volume ${volume} is below 0`)
  if (bucketStart(time, timeframeMs) !== time) {
    return fault("not_aligned", `time ${time} is not the start of a candle of this timeframe`)
  }
  return null
}

const isSameCandle = (columns: CandleColumns, one: number, other: number): boolean =>
  columns.open[one] === columns.open[other] &&
  columns.high[one] === columns.high[other] &&
  columns.low[one] === columns.low[other] &&
  columns.close[one] === columns.close[other] &&
  columns.volume[one] === columns.volume[other]

/** The findings of a check. @category models @since 0.1.0 */
export interface CheckedCandles {
  readonly faults: ReadonlyArray<CandleFault>
  readonly columns: CandleColumns
  readonly duplicateCount: number
}

/**
 * A check that is carried out a stretch at a time.
 *
 * **When to use**
 *
 * On a thread that has other things to do between two stretches of a long series; `checkCandles`
 * checks all of it at once.
 *
 * **Details**
 *
 * `advance` checks so many rows more and says whether that were the last, or enough faults were
 * found. `result` is the result of the rows so far.
 *
 * @category models
 * @since 0.1.0
 */
export const beginCheck = (columns: CandleColumns, timeframeMs: number, faultsMax = 100) => {
  const faults: Array<CandleFault> = []
  const clean = makeColumns(columns.length)
  let count = 0
  let duplicateCount = 0
  let before = -1
  let next = 0

  const faultAt = (row: number): CandleFault | null => {
    const fault = faultOf(columns, row, timeframeMs)
    if (fault !== null || before < 0) return fault
    const sinceMs = columns.time[row]! - columns.time[before]!
    if (sinceMs > 0) return null
    if (sinceMs < 0) {
      return { row, code: "out_of_order", message: "times must rise from row to row" }
    }
    if (isSameCandle(columns, row, before)) return null
    const message = `row ${before} has the same time and other values`
    return { row, code: "duplicate_differs", message }
  }

  const keep = (row: number): void => {
    clean.time[count] = columns.time[row]!
    clean.open[count] = columns.open[row]!
    clean.high[count] = columns.high[row]!
    clean.low[count] = columns.low[row]!
    clean.close[count] = columns.close[row]!
    clean.volume[count] = columns.volume[row]!
    count++
  }

  const advance = (rowCount: number): boolean => {
    const end = Math.min(columns.length, next + rowCount)
    for (; next < end && faults.length < faultsMax; next++) {
      const fault = faultAt(next)
      if (fault !== null) {
        faults.push(fault)
      } else if (before >= 0 && columns.time[next] === columns.time[before]) {
        duplicateCount++
      } else {
        before = next
        keep(next)
      }
    }
    return next === columns.length || faults.length === faultsMax
  }

  const result = (): CheckedCandles => ({
    faults,
    columns: sliceColumns(clean, 0, count),
    duplicateCount
  })
  return { advance, result }
}

/**
 * Checks candles and returns the clean ones, with duplicates that agree taken out.
 *
 * **Details**
 *
 * At most `faultsMax` faults are listed. Where there is one, the columns must not be used.
 *
 * @category models
 * @since 0.1.0
 */
export const checkCandles = (
  columns: CandleColumns,
  timeframeMs: number,
  faultsMax = 100
): CheckedCandles => {
  const check = beginCheck(columns, timeframeMs, faultsMax)
  check.advance(columns.length)
  return check.result()
}

/** Where candles are missing between the first and the last. @category models @since 0.1.0 */
export const findGaps = (columns: CandleColumns, timeframeMs: number): ReadonlyArray<CandleGap> => {
  const gaps: Array<CandleGap> = []
  for (let index = 1; index < columns.length; index++) {
    const before = columns.time[index - 1]!
    if (columns.time[index]! - before < 1.5 * timeframeMs) continue
    const missingCount = Math.round((columns.time[index]! - before) / timeframeMs) - 1
    if (missingCount > 0) {
      gaps.push({
        from: before + timeframeMs,
        to: columns.time[index]! - timeframeMs,
        missingCount
      })
    }
  }
  return gaps
}
