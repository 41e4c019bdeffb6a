/**
 * The reading of a file of candles, the effect of its import, and the oddities of its candles.
 *
 * A reading names the columns, units and dates as the reader took them, so that a caller can check
 * the guess before candles are kept.
 *
 * @since 0.1.0
 */
import { Fault, MarketSymbol, Timeframe, Timestamp } from "@candlewick/engine"
import { columnNames } from "@candlewick/engine/kernel"
import { Schema } from "effect"
import { boundedText } from "./boundedText.ts"
import { Candle, CandleSeries, Gap } from "./Candle.ts"

/** The units that epoch times count. @category schemas @since 0.1.0 */
export const TimeUnit = Schema.Literals(["s", "ms", "us", "ns"])

/** Which part of a date like `03/04/2024` comes first. @category schemas @since 0.1.0 */
export const DateOrder = Schema.Literals(["day_first", "month_first"])

/** The mark of the fraction in numbers like `75,300`. @category schemas @since 0.1.0 */
export const DecimalMark = Schema.Literals(["point", "comma"])

/**
 * Which of two candles of one time counts where they differ: the one that is kept, or the one that
 * came in. Without either, an import with such a candle is refused.
 *
 * @category schemas
 * @since 0.1.0
 */
export const OnConflict = Schema.Literals(["keep", "replace"])

/** Which of two candles of one time counts. @category models @since 0.1.0 */
export type OnConflict = typeof OnConflict.Type

/** A question that a file leaves open. @category schemas @since 0.1.0 */
export const Ambiguity = Schema.Struct({
  about: Schema.Literals(["time_unit", "date_order", "decimal", "columns"]),
  read_as: Schema.String,
  or: Schema.String,
  /** The option, with the value that chooses the other reading. */
  settle: Schema.String,
  /** Whether nothing speaks for the one reading: an import is refused until the option is named. */
  is_open: Schema.Boolean
})

/** How a file of candles was read. @category schemas @since 0.1.0 */
export const CandleReading = Schema.Struct({
  format: Schema.Literals(["delimited", "json", "parquet", "candle_file"]),
  packing: Schema.Literals(["none", "gzip", "zip"]),
  /** The writer of the file, as far as its columns show. */
  layout: Schema.String,
  has_header: Schema.Boolean,
  /** Which column is which field: by its header, or by its number from 1. */
  columns: Schema.Array(
    Schema.Struct({ field: Schema.Literals(columnNames), column: Schema.String })
  ),
  /** Columns that were passed over. */
  ignored_columns: Schema.Array(Schema.String),
  /** How many rows have a candle. */
  row_count: Schema.Int,
  /** The number of rows without prices, as on holidays. An import passes over them. */
  empty_row_count: Schema.Int,
  time_unit: Schema.NullOr(TimeUnit),
  date_order: Schema.NullOr(DateOrder),
  /** The zone of times that name none; null where there are no such times. */
  zone: Schema.NullOr(Schema.String),
  timeframe: Schema.NullOr(Timeframe),
  /** Whether the timeframe was found by the steps between rows. */
  is_timeframe_found: Schema.Boolean,
  row_order: Schema.Literals(["oldest_first", "newest_first"]),
  /** How many candles of a day or more were moved to the start of their day. */
  moved_to_day_count: Schema.Int,
  ambiguities: Schema.Array(Ambiguity),
  /** Remarks for the reader. */
  notes: Schema.Array(Schema.String)
})

/** How a file of candles was read. @category models @since 0.1.0 */
export type CandleReading = typeof CandleReading.Type

/** The use that an import makes of the rows that came in. @category schemas @since 0.1.0 */
export const ImportOutcome = Schema.Struct({
  /** Candles of times that had none. */
  added_count: Schema.Int,
  /** Candles that are kept already as they are. */
  same_count: Schema.Int,
  /** Candles that are kept with other values: replaced, or left as they were. */
  conflict_count: Schema.Int,
  replaced_count: Schema.Int,
  /** The first of the times at which kept candles have other values, at most 100. */
  conflicts: Schema.Array(Timestamp),
  /** Rows that repeat the row before them. */
  duplicate_count: Schema.Int,
  /** The last candle, where it is not over yet: it is not kept. */
  held_back: Schema.NullOr(Candle)
})

/** The use that an import makes of the rows that came in. @category models @since 0.1.0 */
export type ImportOutcome = typeof ImportOutcome.Type

/** A series after an import. @category schemas @since 0.1.0 */
export const ImportedSeries = Schema.Struct({
  ...CandleSeries.fields,
  imported: ImportOutcome,
  /** How the file was read; null where columns were given. */
  reading: Schema.NullOr(CandleReading),
  /** Where the account's own candles now stand before shared ones that are more. */
  warnings: Schema.Array(Schema.String)
})

/** A series after an import. @category models @since 0.1.0 */
export type ImportedSeries = typeof ImportedSeries.Type

/** A candle that moves much further than the others of its series. @category schemas */
export const Outlier = Schema.Struct({
  at: Timestamp,
  open: Schema.Finite,
  high: Schema.Finite,
  low: Schema.Finite,
  close: Schema.Finite,
  /** The whole move since the close before, as a fraction of the lowest price. */
  move: Schema.Finite,
  /** How many usual moves that is; null where the usual candle does not move. */
  times_usual: Schema.NullOr(Schema.Finite)
})

/** A stretch of candles that equal one another. @category schemas @since 0.1.0 */
export const Repeat = Schema.Struct({
  from: Timestamp,
  to: Timestamp,
  candle_count: Schema.Int
})

/** Findings in candles; of each kind the 100 largest. @category schemas @since 0.1.0 */
export const CandleFindings = Schema.Struct({
  gap_count: Schema.Int,
  missing_count: Schema.Int,
  gaps: Schema.Array(Gap),
  /** The median move of a candle, as a fraction of its lowest price. */
  usual_move: Schema.Finite,
  outlier_count: Schema.Int,
  outliers: Schema.Array(Outlier),
  /** Stretches of five equal candles or more: a feed that stood still. */
  repeat_count: Schema.Int,
  repeats: Schema.Array(Repeat)
})

/** Findings in candles. @category models @since 0.1.0 */
export type CandleFindings = typeof CandleFindings.Type

/** A kept series with its oddities. @category schemas @since 0.1.0 */
export const SeriesFindings = Schema.Struct({
  series: CandleSeries,
  ...CandleFindings.fields
})

/** A kept series with its oddities. @category models @since 0.1.0 */
export type SeriesFindings = typeof SeriesFindings.Type

/** The answer of a preview, of which nothing is kept. @category schemas @since 0.1.0 */
export const CandlePreview = Schema.Struct({
  symbol: MarketSymbol,
  timeframe: Timeframe,
  /** How the file was read; null where columns were given. */
  reading: Schema.NullOr(CandleReading),
  candle_count: Schema.Int,
  /** The first candles as they were read, and the last. */
  first: Schema.Array(Candle),
  last: Schema.Array(Candle),
  /** Findings; null where rows are at fault. */
  findings: Schema.NullOr(CandleFindings),
  /** Null where the import would be refused. */
  would: Schema.NullOr(ImportOutcome),
  /** Why the import would be refused. */
  errors: Schema.Array(Fault)
})

/** The answer of a preview. @category models @since 0.1.0 */
export type CandlePreview = typeof CandlePreview.Type

const fieldColumn = `(?:${columnNames.join("|")}):[^,:]{1,100}`

/**
 * Which column is which field, as `time:date,open:1`: by header, or by number from 1.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ColumnNames = Schema.String.check(
  Schema.isPattern(new RegExp(`^${fieldColumn}(?:,${fieldColumn}){0,5}$`, "u"), {
    expected: "fields with their columns, as time:date,open:2"
  }),
  Schema.isPattern(new RegExp(`^(?!(?:.*,)?(${columnNames.join("|")}):.*,\\1:)`, "u"), {
    expected: "each field once, as time:date,open:2"
  })
)

/** A zone by its IANA name, or as an offset. @category schemas @since 0.1.0 */
export const ZoneName = boundedText(1, 50)

/** The symbol of a market, or the name that its base has without a currency. @category schemas */
export const ImportSymbol = Schema.String.check(
  Schema.isPattern(/^[A-Z0-9._-]{1,20}(?:\/[A-Z0-9._-]{1,20})?$/u, {
    expected: "a symbol as BASE/QUOTE in upper case, or a base with its currency"
  })
)

/** The currency of prices. @category schemas @since 0.1.0 */
export const Currency = Schema.String.check(
  Schema.isPattern(/^[A-Z0-9._-]{1,20}$/u, { expected: "a currency in upper case" })
)

/**
 * The way to read a file. The reader finds out each field that is absent.
 *
 * @category tables
 * @since 0.1.0
 */
export const readOptionFields = {
  /** The currency of the prices, where the symbol names none. */
  currency: Schema.optionalKey(Currency),
  columns: Schema.optionalKey(ColumnNames),
  time_unit: Schema.optionalKey(TimeUnit),
  date_order: Schema.optionalKey(DateOrder),
  decimal: Schema.optionalKey(DecimalMark),
  zone: Schema.optionalKey(ZoneName),
  /** The file of a zip archive that has several. */
  file: Schema.optionalKey(boundedText(1, 200)),
  on_conflict: Schema.optionalKey(OnConflict)
}
