/**
 * The lengths of a candle that the product knows, with their aliases and durations.
 *
 * `1M` is a month in this field's world; it is refused rather than read as a minute.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { vocabulary } from "./Vocabulary.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/**
 * Every timeframe with its duration in milliseconds, shortest first.
 *
 * @category tables
 * @since 0.1.0
 */
export const timeframes = {
  "1m": minute,
  "3m": 3 * minute,
  "5m": 5 * minute,
  "15m": 15 * minute,
  "30m": 30 * minute,
  "1h": hour,
  "2h": 2 * hour,
  "4h": 4 * hour,
  "6h": 6 * hour,
  "8h": 8 * hour,
  "12h": 12 * hour,
  "1d": day,
  "3d": 3 * day,
  "1w": 7 * day
} as const

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

/** How long a candle of this timeframe lasts, in milliseconds. @category models @since 0.1.0 */
export const timeframeMs = (timeframe: Timeframe): number => timeframes[timeframe]

/**
 * Whether candles of `coarse` can be built from candles of `fine`.
 *
 * @category models
 * @since 0.1.0
 */
export const isMultipleOf = (coarse: Timeframe, fine: Timeframe): boolean =>
  timeframes[coarse] >= timeframes[fine] && timeframes[coarse] % timeframes[fine] === 0
