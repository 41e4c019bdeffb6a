/**
 * The operations on candles: an account's own, and those that all accounts share.
 *
 * Each names its scopes and its arguments.
 *
 * @since 0.1.0
 */
import { Fault, Market, type Timeframe } from "@candlewick/engine"
import { type CandleColumns, columnNames } from "@candlewick/engine/kernel"
import { Schema, Struct } from "effect"
import type { DataQuality } from "../Backtest.ts"
import { type CandleSeries, SeriesKey } from "../Candle.ts"
import {
  type CandlePreview,
  CandleReading,
  type ImportedSeries,
  ImportSymbol,
  OnConflict,
  readOptionFields,
  type SeriesFindings
} from "../CandleReading.ts"
import { type MarketRevision, NamedRevision, Owner } from "../Market.ts"
import { body, given, operation } from "./Operation.ts"

/** Candles of an import, and the facts about them. @category models @since 0.1.0 */
export interface CandleImport {
  readonly key: SeriesKey
  readonly columns: CandleColumns
  readonly source?: string | undefined
  readonly synthetic?: boolean | undefined
  readonly market?: Partial<Market> | undefined
  /** Which of two candles of one time counts; without it, such candles are refused. */
  readonly on_conflict?: OnConflict | undefined
  /** How the file was read that the candles come from. */
  readonly reading?: CandleReading | undefined
}

/**
 * The way to read a file of candles. The reader finds out each field that is absent.
 *
 * @category schemas
 */
export const ReadOptions = Schema.Struct({
  symbol: ImportSymbol,
  timeframe: Schema.optionalKey(SeriesKey.fields.timeframe),
  ...readOptionFields
})

/** How a file of candles is to be read. @category models @since 0.1.0 */
export type ReadOptions = typeof ReadOptions.Type

/** A file of candles, packed or not, and how it is to be read. @category models @since 0.1.0 */
export interface CandleFileImport extends ReadOptions {
  readonly bytes: Uint8Array | string
  readonly source?: string | undefined
  readonly synthetic?: boolean | undefined
}

/** Candles of one market, ready for a run. @category models @since 0.1.0 */
export interface Dataset {
  /** The revision of the market that the run goes by. */
  readonly market: MarketRevision
  readonly columns: CandleColumns
  readonly quality: DataQuality
}

/** The candles from a time on, and before another. @category models @since 0.1.0 */
export interface CandleRange {
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** Which candles are to be loaded, and whose. @category models @since 0.1.0 */
export interface CandleLoad extends CandleRange {
  /** The account's own or the shared ones; whichever count for it without one. */
  readonly owner?: Owner | undefined
}

const isColumns = (value: unknown): value is CandleColumns => {
  if (typeof value !== "object" || value === null) return false
  const columns = value as Partial<CandleColumns>
  return columnNames.every((name) => {
    const column = columns[name]
    return column instanceof Float64Array && column.length === columns.length
  })
}

const columns = Schema.declare(isColumns, {
  expected: "columns of candles, one Float64Array of the same length for each field"
})

const importFields = {
  key: SeriesKey,
  columns,
  source: Schema.optional(Schema.String),
  synthetic: Schema.optional(Schema.Boolean),
  market: Schema.optional(Market.mapFields(Struct.map(Schema.optionalKey))),
  on_conflict: Schema.optional(OnConflict),
  reading: Schema.optional(CandleReading)
}

const fileFields = {
  ...ReadOptions.fields,
  bytes: Schema.Union([Schema.Uint8Array, Schema.String]),
  source: Schema.optional(Schema.String),
  synthetic: Schema.optional(Schema.Boolean)
}

const series = given("key", SeriesKey)
const rangeFields = { from: Schema.optional(Schema.Finite), to: Schema.optional(Schema.Finite) }
const range = given("range", Schema.optional(Schema.Struct(rangeFields)))
const load = given(
  "range",
  Schema.optional(Schema.Struct({ ...rangeFields, owner: Schema.optional(Owner) }))
)

/** The operations on candles. @category tables @since 0.1.0 */
export const candleOperations = {
  /**
   * Checks candles and keeps them, merged with those that are there. Fails with
   * `validation_failed`, a fault for each bad row (at most 100), and keeps nothing then. A kept
   * candle that differs is such a fault, unless `on_conflict` says which of the two counts. A last
   * candle that is not over is held back. Warns where the account's own candles stand before shared
   * ones.
   */
  import: operation<(request: CandleImport) => ImportedSeries>()({
    scopes: ["market:write"],
    takes: [body(Schema.Struct(importFields))]
  }),
  /** The same for a file, as exchanges, charts and libraries write it, plain or packed. */
  importFile: operation<(file: CandleFileImport) => ImportedSeries>()({
    scopes: ["market:write"],
    takes: [body(Schema.Struct(fileFields))]
  }),
  /** The answer of a preview of these candles; nothing is kept. */
  preview: operation<(request: CandleImport, faults?: ReadonlyArray<Fault>) => CandlePreview>()({
    scopes: ["market:read"],
    takes: [
      body(Schema.Struct(importFields)),
      given("faults", Schema.UndefinedOr(Schema.Array(Fault)))
    ]
  }),
  /** The same of a file, with how its columns, units, zone and timeframe were read. */
  previewFile: operation<(file: CandleFileImport) => CandlePreview>()({
    scopes: ["market:read"],
    takes: [body(Schema.Struct(fileFields))]
  }),
  /**
   * Removes a series of the account's own. Fails with `not_found` where it has none, and with
   * `in_use` where a bot follows it that is not at rest.
   */
  remove: operation<(key: SeriesKey) => void>()({
    scopes: ["market:write"],
    takes: [series]
  }),
  /**
   * The gaps, outliers and repeats of a stored series: the one that counts for the account, or the
   * owner's. Fails with `not_found`.
   */
  inspect: operation<(key: SeriesKey, owner?: Owner) => SeriesFindings>()({
    scopes: ["market:read"],
    takes: [series, given("owner", Schema.UndefinedOr(Owner))]
  }),
  /**
   * The account's own series and the shared ones, by symbol; the account's own come first of each.
   */
  list: operation<() => ReadonlyArray<CandleSeries>>()({ scopes: ["market:read"], takes: [] }),
  /** A stored series' candles in `[from, to)`; fails with `not_found`. */
  load: operation<(key: SeriesKey, range?: CandleLoad) => CandleColumns>()({
    scopes: ["market:read"],
    takes: [series, load]
  }),
  /**
   * The candles of one symbol and timeframe, stored or resampled from the longest finer series
   * that divides it; fails with `no_market_data`. An account that has candles of a symbol gets
   * those alone, else the shared ones. The market is its newest revision or the one that is named.
   */
  dataset: operation<(key: SeriesKey, range?: CandleRange, revision?: NamedRevision) => Dataset>()({
    scopes: ["market:read"],
    takes: [series, range, given("revision", Schema.UndefinedOr(NamedRevision))]
  }),
  /**
   * The candles of a generation without symbols: the longest stored series of the timeframe.
   * Without one, the longest finer series is resampled, and without any, a seeded synthetic series
   * is made. Series of fewer than `candleCountMin` candles are passed over; 1 by default.
   */
  defaultDataset: operation<(timeframe: Timeframe, candleCountMin?: number) => Dataset>()({
    scopes: ["market:read"],
    takes: [
      given("timeframe", SeriesKey.fields.timeframe),
      given("candleCountMin", Schema.UndefinedOr(Schema.Int))
    ]
  })
}
