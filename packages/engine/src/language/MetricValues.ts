/**
 * Metrics as they are written down: by name, null where a metric is undefined.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/** A number, or null with the reason why there is none. @category schemas @since 0.1.0 */
export const MetricValues = Schema.Record(Schema.String, Schema.NullOr(Schema.Finite))

/** Metrics by name; null where undefined. @category models @since 0.1.0 */
export type MetricValues = typeof MetricValues.Type
