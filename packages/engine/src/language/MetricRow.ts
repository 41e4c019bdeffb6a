/**
 * The form of one row of the metric catalogue.
 *
 * @since 0.1.0
 */
import type { Measurement } from "./Measurement.ts"

/** The unit of a metric. @category models @since 0.1.0 */
export type MetricUnit = "fraction" | "ratio" | "quote" | "count" | "candles"

/** One row of the catalogue. @category models @since 0.1.0 */
export interface Metric {
  readonly title: string
  readonly unit: MetricUnit
  readonly better: "higher" | "lower" | "neither"
  readonly formula: string
  readonly measure: (measurement: Measurement) => number
  /** Why there is no number, where `measure` gives none. */
  readonly absent: string
}
