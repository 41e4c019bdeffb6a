/**
 * How long a record has to be before its Sharpe ratio means something.
 *
 * @since 0.1.0
 */
import { normalQuantile } from "../statistics.ts"
import type { SharpeSample } from "./probabilisticSharpe.ts"

/**
 * Periods after which the true Sharpe ratio is above 0 with this confidence, after D. Bailey and M.
 * López de Prado; NaN where the sample's own is not above 0.
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
  confidence = 0.95
): number => {
  if (!(sharpe > 0)) return Number.NaN
  const spread = 1 - skewness * sharpe + ((kurtosisRaw - 1) / 4) * sharpe * sharpe
  return 1 + spread * (normalQuantile(confidence) / sharpe) ** 2
}
