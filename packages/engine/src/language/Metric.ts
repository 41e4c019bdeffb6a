/**
 * The metric catalogue: for each metric its name on the wire, title, unit, better direction,
 * formula and kernel.
 *
 * Reports, objectives and the documentation are derived from these rows. A metric that the sample
 * can't support is null with a reason, never NaN, Infinity or a made-up number. A new metric is one
 * row in `catalogue/` and one file in `kernel/metrics/`.
 *
 * @since 0.1.0
 */
import { absent as reason } from "./catalogue/absent.ts"
import { benchmarkMetrics } from "./catalogue/benchmarkMetrics.ts"
import { drawdownMetrics } from "./catalogue/drawdownMetrics.ts"
import { positionMetrics } from "./catalogue/positionMetrics.ts"
import { returnMetrics } from "./catalogue/returnMetrics.ts"
import type { Measurement } from "./Measurement.ts"
import type { Objective } from "./Objective.ts"
import type { Metric } from "./MetricRow.ts"
import type { MetricValues } from "./MetricValues.ts"

/**
 * Every metric by its name on the wire.
 *
 * @category tables
 * @since 0.1.0
 */
export const metrics = {
  ...returnMetrics,
  ...drawdownMetrics,
  ...positionMetrics,
  ...benchmarkMetrics
} as const satisfies Record<Objective, Metric> & Record<string, Metric>

/** The name of a metric. @category models @since 0.1.0 */
export type MetricName = keyof typeof metrics

/** The names of all metrics. @category tables @since 0.1.0 */
export const metricNames = Object.keys(metrics) as ReadonlyArray<MetricName>

/** Every metric of the catalogue; one without a value is null. @category models @since 0.1.0 */
export type EveryMetric = { readonly [Name in MetricName]: number | null }

/** Metrics by name, and why some are null. @category models @since 0.1.0 */
export interface MeasuredMetrics {
  readonly metrics: EveryMetric
  readonly reasons: Readonly<Record<string, string>>
}

const measureThese = <Name extends MetricName>(
  names: ReadonlyArray<Name>,
  measurement: Measurement
): Pick<MeasuredMetrics, "reasons"> & { readonly metrics: Pick<EveryMetric, Name> } => {
  const values: Partial<Record<MetricName, number | null>> = {}
  const reasons: Record<string, string> = {}
  for (const name of names) {
    const { measure, absent }: Metric = metrics[name]
    const value = measurement.time.length === 0 ? Number.NaN : measure(measurement)
    if (Number.isFinite(value)) values[name] = value
    else {
      values[name] = null
      reasons[name] = measurement.time.length === 0 ? reason.noCandles : absent
    }
  }
  // Each of the names has been given its value.
  return { metrics: values as Pick<EveryMetric, Name>, reasons }
}

/**
 * Measures every metric; one that is not a finite number is null with its reason.
 *
 * @category measuring
 * @since 0.1.0
 */
export const measureAll = (measurement: Measurement): MeasuredMetrics =>
  measureThese(metricNames, measurement)

const benchmarkNames = Object.keys(benchmarkMetrics) as ReadonlyArray<keyof typeof benchmarkMetrics>

/**
 * Completes metrics that were measured without a benchmark with those that need one from
 * `measurement`.
 *
 * **When to use**
 *
 * Where the benchmark is known only after all else was measured.
 *
 * @category measuring
 * @since 0.1.0
 */
export const measureAgainst = (
  measured: MeasuredMetrics,
  measurement: Measurement
): MeasuredMetrics => {
  const against = measureThese(benchmarkNames, measurement)
  const reasons = Object.entries(measured.reasons).filter(([name]) => !(name in against.metrics))
  return {
    metrics: { ...measured.metrics, ...against.metrics },
    reasons: { ...Object.fromEntries(reasons), ...against.reasons }
  }
}

/**
 * Measures one metric; null where it is not a finite number.
 *
 * **When to use**
 *
 * In a search, where only the objective of each trial matters.
 *
 * @category measuring
 * @since 0.1.0
 */
export const measureOne = (name: MetricName, measurement: Measurement): number | null => {
  const value = measurement.time.length === 0 ? Number.NaN : metrics[name].measure(measurement)
  return Number.isFinite(value) ? value : null
}

/**
 * The worth of an objective's value, higher always better; null is worse than every number.
 *
 * @category objectives
 * @since 0.1.0
 */
export const scoreOf = (objective: Objective, value: number | null | undefined): number =>
  value === null || value === undefined
    ? Number.NEGATIVE_INFINITY
    : metrics[objective].better === "lower"
      ? -value
      : value

/**
 * The worth of these metrics for an objective, higher always better; a null metric is worse than
 * every number.
 *
 * @category objectives
 * @since 0.1.0
 */
export const objectiveScore = (objective: Objective, values: MetricValues): number =>
  scoreOf(objective, values[objective])
