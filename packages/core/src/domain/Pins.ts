/**
 * The rules, market terms and candles of a run or a bot.
 *
 * A pin names what a result was computed from: the version of the strategy, the revision of each
 * market, and a hash of the candles. A later change of these never changes a pin.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { MarketSymbol, Timeframe, Timestamp } from "@candlewick/engine"
import { JudgedStretch } from "./JudgedStretch.ts"
import { MarketPin, Owner } from "./Market.ts"
import { ReplacedCandles } from "./ReplacedCandles.ts"

/**
 * The number of a strategy's version: the `version` that its record had.
 *
 * @category schemas
 * @since 0.1.0
 */
export const VersionNumber = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** Which candles of a market a run or a bot had. @category schemas @since 0.1.0 */
export const CandlePin = Schema.Struct({
  symbol: MarketSymbol,
  timeframe: Timeframe,
  /** SHA-256 of the candles, in hex. */
  hash: Schema.String,
  /** The owner of the series that they come from; absent in pins of earlier versions. */
  owner: Schema.optionalKey(Owner),
  /** The revision of that series. */
  revision: Schema.optionalKey(Schema.Int),
  /** The timeframe of that series, where they were built from shorter candles; null elsewhere. */
  resampled_from: Schema.optionalKey(Schema.NullOr(Timeframe)),
  candle_count: Schema.Int,
  first_at: Timestamp,
  last_at: Timestamp
})

/** Which candles of a market a run or a bot had. @category models @since 0.1.0 */
export type CandlePin = typeof CandlePin.Type

/** The candles by their facts. @category models @since 0.1.0 */
export const candlePinOf = ({
  candle_count,
  first_at,
  hash,
  last_at,
  owner,
  resampled_from,
  revision,
  symbol,
  timeframe
}: CandlePin): CandlePin => ({
  symbol,
  timeframe,
  hash,
  ...(owner !== undefined && { owner }),
  ...(revision !== undefined && { revision }),
  ...(resampled_from !== undefined && { resampled_from }),
  candle_count,
  first_at,
  last_at
})

/** Which version of a strategy it is; absent in records of before there were versions. */
const versionFields = {
  /** The version of the strategy. */
  strategy_version: Schema.optionalKey(VersionNumber),
  /** The hash of the rules of that version. */
  definition_hash: Schema.optionalKey(Schema.String)
}

/**
 * The markets and candles that a run went by, in its record; they are there once the run has loaded
 * them.
 *
 * @category schemas
 * @since 0.1.0
 */
export const runPinFields = {
  ...versionFields,
  markets: Schema.optionalKey(Schema.Array(MarketPin)),
  candles: Schema.optionalKey(Schema.Array(CandlePin)),
  /** Which stretches it has judged, and how often that was done before. */
  judged_stretches: Schema.optionalKey(Schema.Array(JudgedStretch)),
  /** Its candles that were replaced since, present only where one run is read. */
  replaced_candles: Schema.optionalKey(Schema.Array(ReplacedCandles))
}

/**
 * The rules that a bot trades by since it was made, changed or last started from its rest, in its
 * record. It also has the candles that there were when the bot got its account.
 *
 * @category schemas
 * @since 0.1.0
 */
export const botPinFields = {
  ...versionFields,
  candles: Schema.optionalKey(Schema.Array(CandlePin))
}
