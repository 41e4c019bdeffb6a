/**
 * The reading of a file of candles and the effect of its import, as lines of a name and a value.
 *
 * @since 0.1.0
 */
import type { CandleReading, ImportOutcome } from "@candlewick/core/domain"
import { importNames, withFlags } from "./candleFile.ts"

type Rows = ReadonlyArray<readonly [name: string, value: unknown]>

const epochUnits = { s: "seconds", ms: "milliseconds", us: "microseconds", ns: "nanoseconds" }
const dateOrders = { day_first: "the day first", month_first: "the month first" }

const timesOf = ({ date_order: order, time_unit: unit, zone }: CandleReading): string =>
  [
    ...(unit === null ? [] : [`epoch ${epochUnits[unit]}`]),
    ...(order === null ? [] : [dateOrders[order]]),
    ...(zone === null ? [] : [`by the clock of ${zone}`])
  ].join(", ") || "each with its zone"

/** How a file was read. @category conversions @since 0.1.0 */
export const readingRows = (reading: CandleReading): Rows => {
  const { ambiguities, columns, empty_row_count: emptyCount, ignored_columns: ignored } = reading
  const { is_timeframe_found: isFound, moved_to_day_count: movedCount } = reading
  return [
    ["layout", `${reading.layout}${reading.packing === "none" ? "" : `, in ${reading.packing}`}`],
    ["columns", columns.map(({ column, field }) => `${field} is ${column}`).join(", ")],
    ...(ignored.length === 0 ? [] : [["passed over", ignored.join(", ")] as const]),
    ["times", timesOf(reading)],
    ["timeframe", `${reading.timeframe ?? "-"}, ${isFound ? "by the steps" : "as said"}`],
    ["rows", reading.row_order === "newest_first" ? "the newest first" : "the oldest first"],
    ...(emptyCount === 0 ? [] : [["empty rows", emptyCount] as const]),
    ...(movedCount === 0 ? [] : [["moved to their day", movedCount] as const]),
    ...ambiguities.map(
      ({ or, read_as, settle }) =>
        ["open", `${read_as} or ${or}: ${withFlags(settle, importNames)}`] as const
    )
  ]
}

/** The outcome of an import, as rows. @category conversions @since 0.1.0 */
export const outcomeRows = (outcome: ImportOutcome): Rows => [
  ["added", outcome.added_count],
  ["same", outcome.same_count],
  ["in conflict", outcome.conflict_count],
  ["replaced", outcome.replaced_count],
  ["duplicates", outcome.duplicate_count],
  ["held back", outcome.held_back === null ? "none" : "the last candle, which is not over"]
]
