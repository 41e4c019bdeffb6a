/**
 * Growth for each unit of time and depth below the peaks.
 *
 * @since 0.1.0
 */

/**
 * Compound annual growth rate over the ulcer index, after P. Martin; NaN without a drawdown.
 *
 * @category metrics
 * @since 0.1.0
 */
export const ulcerPerformanceIndex = (growthRate: number, ulcerIndex: number): number =>
  ulcerIndex > 0 ? growthRate / ulcerIndex : Number.NaN
