/**
 * Open, high, low, close and volume of one market over one timeframe, and the facts about a whole
 * series.
 *
 * A candle is identified by its open time. `SeriesKey` names a series by symbol and timeframe;
 * `OwnedSeriesKey` adds the owner. A `Gap` is a stretch without candles.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { MarketSymbol, Timeframe, Timestamp } from "@candlewick/engine"
import { Owner } from "./Market.ts"

/** One candle; `time` is its open time in epoch milliseconds. @category schemas @since 0.1.0 */
export const Candle = Schema.Struct({
  time: Schema.Int,
  open: Schema.Finite,
  high: Schema.Finite,
  low: Schema.Finite,
  close: Schema.Finite,
  volume: Schema.Finite
})

/** One candle; `time` is its open time in epoch milliseconds. @category models @since 0.1.0 */
export type Candle = typeof Candle.Type

/** The key of a stored series. @category schemas @since 0.1.0 */
export const SeriesKey = Schema.Struct({ symbol: MarketSymbol, timeframe: Timeframe })

/** The key of a stored series. @category models @since 0.1.0 */
export type SeriesKey = typeof SeriesKey.Type

/** The key of a stored series among the series of all owners. @category models @since 0.1.0 */
export interface OwnedSeriesKey extends SeriesKey {
  readonly owner: Owner
}

/**
 * A stretch in which candles are missing, between two that are there.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Gap = Schema.Struct({
  from: Timestamp,
  to: Timestamp,
  missing_count: Schema.Int
})

/** The facts of a stored series of candles. @category schemas @since 0.1.0 */
export const CandleSeries = Schema.Struct({
  owner: Owner,
  symbol: MarketSymbol,
  timeframe: Timeframe,
  candle_count: Schema.Int,
  first_at: Schema.NullOr(Timestamp),
  last_at: Schema.NullOr(Timestamp),
  gap_count: Schema.Int,
  /** The longest gaps, at most 100 of them. */
  gaps: Schema.Array(Gap),
  /** SHA-256 of the columns, in hex: equal series have equal hashes. */
  hash: Schema.String,
  /** Counts from 1, which is meant without it; each import that replaces candles makes the next. */
  revision: Schema.optionalKey(Schema.Int),
  synthetic: Schema.Boolean,
  source: Schema.NullOr(Schema.String),
  updated_at: Timestamp
})

/** The facts of a stored series of candles. @category models @since 0.1.0 */
export type CandleSeries = typeof CandleSeries.Type
