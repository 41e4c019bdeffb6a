/**
 * The length of a record before its Sharpe ratio means something.
 *
 * @since 0.1.0
 */
import { normalQuantile } from "../statistics.ts"
import type { SharpeSample } from "./probabilisticSharpe.ts"

/**
 * Periods after which the true Sharpe ratio is above `benchmark` with this confidence, after D.
 * Bailey and M. López de Prado; NaN where the sample's own is not above it.
 *
 * **Details**
 *
 * The inverse of `probabilisticSharpe`: with this count it gives `confidence`.
 *
 * @category metrics
 * @since 0.1.0
 */
export const minimumTrackRecord = (
  { sharpe, skewness, kurtosisRaw }: Omit<SharpeSample, "count">,
  confidence = 0.95,
  benchmark = 0
): number => {
  if (!(sharpe > benchmark)) return Number.NaN
  const spread = 1 - skewness * sharpe + ((kurtosisRaw - 1) / 4) * sharpe * sharpe
  return 1 + spread * (normalQuantile(confidence) / (sharpe - benchmark)) ** 2
}
