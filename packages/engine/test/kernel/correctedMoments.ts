import { kurtosisRaw, skewness } from "../../src/kernel/statistics.ts"

/** Skewness corrected for bias, as other software has it; ours is that of the population. */
export const correctedSkewness = (values: ArrayLike<number>): number => {
  const count = values.length
  return (skewness(values) * Math.sqrt(count * (count - 1))) / (count - 2)
}

/** Kurtosis in excess of 3 corrected for bias; ours is raw and that of the population. */
export const correctedExcess = (values: ArrayLike<number>): number => {
  const count = values.length
  const excess = kurtosisRaw(values) - 3
  return ((count - 1) / ((count - 2) * (count - 3))) * ((count + 1) * excess + 6)
}
