/**
 * Reasons that several metrics share.
 *
 * @since 0.1.0
 */

/** Why there is no number. @category tables @since 0.1.0 */
export const absent = {
  noCandles: "there are no candles",
  noPositions: "no position was closed",
  tooFewReturns: "there are fewer than two return periods"
} as const
