/**
 * Statistics of a sample: moments, quantiles and the normal distribution.
 *
 * Metrics and the checks of the verdict are made of them. They take columns of numbers, and never
 * sort or change their argument. A statistic of nothing is NaN.
 *
 * **Example** (The middle and the spread of returns)
 *
 * ```ts
 * import { quantile, variance } from "@candlewick/engine/kernel"
 *
 * const returns = [0.01, -0.02, 0.03, 0.01]
 * console.log(quantile(returns, 0.5), variance(returns).toFixed(6))
 * ```
 *
 * ```text output
 * 0.01 0.000425
 * ```
 *
 * @since 0.1.0
 */

/** Mean; NaN of nothing. @category metrics @since 0.1.0 */
export const arithmeticMean = (values: ArrayLike<number>): number => {
  let sum = 0
  for (let index = 0; index < values.length; index++) sum += values[index]!
  return sum / values.length
}

const centralMoment = (values: ArrayLike<number>, power: number): number => {
  const center = arithmeticMean(values)
  let sum = 0
  for (let index = 0; index < values.length; index++) sum += (values[index]! - center) ** power
  return sum / values.length
}

/** Variance with `ddof` degrees of freedom taken off. @category metrics @since 0.1.0 */
export const variance = (values: ArrayLike<number>, ddof = 1): number =>
  (centralMoment(values, 2) * values.length) / (values.length - ddof)

/** Standard deviation with `ddof` degrees of freedom taken off. @category metrics @since 0.1.0 */
export const standardDeviation = (values: ArrayLike<number>, ddof = 1): number =>
  Math.sqrt(variance(values, ddof))

/**
 * Covariance of two series of one length, with `ddof` degrees of freedom taken off.
 *
 * @category metrics
 * @since 0.1.0
 */
export const covariance = (left: ArrayLike<number>, right: ArrayLike<number>, ddof = 1): number => {
  const leftMean = arithmeticMean(left)
  const rightMean = arithmeticMean(right)
  let sum = 0
  for (let index = 0; index < left.length; index++) {
    sum += (left[index]! - leftMean) * (right[index]! - rightMean)
  }
  return sum / (left.length - ddof)
}

/**
 * Whether a deviation is more than the rounding of values around this mean, so that a division by
 * it makes sense. Values that are all equal may deviate by some last bits from their mean.
 *
 * @category metrics
 * @since 0.1.0
 */
export const isSpread = (deviation: number, average: number): boolean =>
  deviation > Math.max(1e-15, 1e-12 * Math.abs(average))

/** Skewness of the sample as a population. @category metrics @since 0.1.0 */
export const skewness = (values: ArrayLike<number>): number =>
  centralMoment(values, 3) / centralMoment(values, 2) ** 1.5

/** Raw kurtosis, 3 for a normal distribution. @category metrics @since 0.1.0 */
export const kurtosisRaw = (values: ArrayLike<number>): number =>
  centralMoment(values, 4) / centralMoment(values, 2) ** 2

/**
 * The value below which the fraction `rank` lies, interpolated; NaN of nothing.
 *
 * @category metrics
 * @since 0.1.0
 */
export const quantile = (values: ArrayLike<number>, rank: number): number => {
  if (values.length === 0) return Number.NaN
  const sorted = Float64Array.from(values).sort()
  const place = rank * (sorted.length - 1)
  const below = Math.floor(place)
  const low = sorted[below]!
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!
  return low + (place - below) * (high - low)
}

/**
 * Probability that a standard normal variable is below `z`.
 *
 * **Details**
 *
 * Series near zero, continued fraction in the tails: within 1e-14 everywhere.
 *
 * @category metrics
 * @since 0.1.0
 */
export const normalCdf = (z: number): number => {
  const x = Math.abs(z)
  if (x > 38) return z > 0 ? 1 : 0
  const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)
  let tail: number
  if (x < 3.5) {
    let term = x
    let sum = x
    for (let n = 1; term > sum * 1e-17; n++) {
      term *= (x * x) / (2 * n + 1)
      sum += term
    }
    tail = 0.5 - density * sum
  } else {
    let fraction = x
    for (let n = 120; n >= 1; n--) fraction = x + n / fraction
    tail = density / fraction
  }
  return z > 0 ? 1 - tail : tail
}

/**
 * The inverse of `normalCdf`, by Newton's method from a rational first guess.
 *
 * @category metrics
 * @since 0.1.0
 */
export const normalQuantile = (probability: number): number => {
  if (!(probability > 0 && probability < 1)) {
    return probability === 0 ? -Infinity : probability === 1 ? Infinity : Number.NaN
  }
  // Near 1 the distribution function has no bits left; the mirror image below a half has.
  if (probability > 0.5) return -normalQuantile(1 - probability)
  const t = Math.sqrt(-2 * Math.log(probability))
  let z =
    (2.515517 + 0.802853 * t + 0.010328 * t * t) /
      (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t ** 3) -
    t
  for (let round = 0; round < 4; round++) {
    const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)
    z -= (normalCdf(z) - probability) / density
  }
  return z
}
