/**
 * The certainty of a Sharpe ratio, and the part of it that is luck of the best of many.
 *
 * After D. Bailey and M. López de Prado; kurtosis is raw (3 for a normal distribution) and Sharpe
 * ratios are for one period, not annualised.
 *
 * @since 0.1.0
 */
import { normalCdf, normalQuantile } from "../statistics.ts"

/** The moments of a sample of returns. @category models @since 0.1.0 */
export interface SharpeSample {
  readonly sharpe: number
  readonly count: number
  readonly skewness: number
  readonly kurtosisRaw: number
}

/** Probability that the true Sharpe ratio is above `benchmark`. @category metrics @since 0.1.0 */
export const probabilisticSharpe = (sample: SharpeSample, benchmark: number): number => {
  const { sharpe, count, skewness, kurtosisRaw } = sample
  const spread = 1 - skewness * sharpe + ((kurtosisRaw - 1) / 4) * sharpe * sharpe
  return normalCdf(((sharpe - benchmark) * Math.sqrt(count - 1)) / Math.sqrt(spread))
}

/**
 * The largest of `count` independent standard normal draws, as expected.
 *
 * @category metrics
 * @since 0.1.0
 */
export const expectedMaximum = (count: number): number => {
  const euler = 0.5772156649015329
  return (
    (1 - euler) * normalQuantile(1 - 1 / count) + euler * normalQuantile(1 - 1 / (count * Math.E))
  )
}

/**
 * Probabilistic Sharpe ratio against the best of `trials` worthless ones.
 *
 * @category metrics
 * @since 0.1.0
 */
export const deflatedSharpe = (
  sample: SharpeSample,
  trials: number,
  varianceOfTrials: number
): number => probabilisticSharpe(sample, Math.sqrt(varianceOfTrials) * expectedMaximum(trials))
