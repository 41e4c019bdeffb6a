/**
 * The lengths of a candle that the product knows, with their aliases and durations.
 *
 * `1M` is a month in this field's world; it is refused rather than read as a minute.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { isMultipleOf, timeframeMs, timeframes } from "./catalogue/timeframes.ts"
import { vocabulary } from "./Vocabulary.ts"

export { isMultipleOf, timeframeMs, timeframes }

/** The length of a candle. @category models @since 0.1.0 */
export type Timeframe = keyof typeof timeframes

/** The names of all timeframes, shortest first. @category tables @since 0.1.0 */
export const timeframeNames = Object.keys(timeframes) as ReadonlyArray<Timeframe>

/** Other spellings of a timeframe that are accepted. @category tables @since 0.1.0 */
export const timeframeAliases = {
  "60m": "1h",
  hourly: "1h",
  daily: "1d",
  weekly: "1w",
  "1D": "1d",
  "3D": "3d",
  "1W": "1w"
} as const satisfies Record<string, Timeframe>

/** A timeframe by its own name. @category schemas @since 0.1.0 */
export const Timeframe = Schema.Literals(timeframeNames)

/** A timeframe by its own name or an alias. @category schemas @since 0.1.0 */
export const TimeframeOrAlias = vocabulary(timeframeNames, timeframeAliases)
