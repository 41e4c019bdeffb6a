/**
 * The length of candles, without the schemas of timeframes: engines that load no schema read it.
 *
 * @since 0.1.0
 */

import { dayMs as day, hourMs as hour, minuteMs as minute } from "../../kernel/calendar.ts"

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

/** The length of a candle of this timeframe, in milliseconds. @category models @since 0.1.0 */
export const timeframeMs = (timeframe: keyof typeof timeframes): number => timeframes[timeframe]

/**
 * Whether candles of `coarse` can be built from candles of `fine`.
 *
 * @category models
 * @since 0.1.0
 */
export const isMultipleOf = (
  coarse: keyof typeof timeframes,
  fine: keyof typeof timeframes
): boolean => timeframes[coarse] >= timeframes[fine] && timeframes[coarse] % timeframes[fine] === 0
