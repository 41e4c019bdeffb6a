/**
 * Sums over an equity curve, as several metrics need them.
 *
 * @since 0.1.0
 */
import { type EquitySums, sumEquity } from "../../kernel/metrics/equitySums.ts"
import type { Measurement } from "../Measurement.ts"

const known = new WeakMap<Measurement, EquitySums>()

/** The sums, added up when they are first asked for. @category measuring @since 0.1.0 */
export const sumsOf = (measurement: Measurement): EquitySums => {
  const found = known.get(measurement)
  if (found !== undefined) return found
  const sums = sumEquity(measurement.equityStart, measurement.equity)
  known.set(measurement, sums)
  return sums
}
