/**
 * The failures of a source of candles.
 *
 * `NoSuchSeries` is final until candles are imported. After `SourceUnavailable` the same call may
 * succeed later.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/** There are no candles of this market and timeframe. @category errors @since 0.1.0 */
export class NoSuchSeries extends Schema.TaggedError<NoSuchSeries>()("NoSuchSeries", {
  symbol: Schema.String,
  timeframe: Schema.String
}) {}

/** The source can't be reached. @category errors @since 0.1.0 */
export class SourceUnavailable extends Schema.TaggedError<SourceUnavailable>()(
  "SourceUnavailable",
  { cause: Schema.String }
) {}

/** A failure of a source of candles, with its reason. @category errors @since 0.1.0 */
export class MarketDataError extends Schema.TaggedError<MarketDataError>()("MarketDataError", {
  reason: Schema.Union([NoSuchSeries, SourceUnavailable])
}) {
  /** Whether trying again later may help. */
  get isRetryable(): boolean {
    return this.reason._tag === "SourceUnavailable"
  }
}
