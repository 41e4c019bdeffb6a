/**
 * The runs of a search that went candle by candle, by the reason.
 *
 * All other runs went from event to event. Both ways give the same positions and figures, so that
 * only the time differs.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/**
 * How many runs were simulated candle by candle, by the reason why; all others went from event to
 * event, with the same positions and figures.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PlainRuns = Schema.Array(Schema.Struct({ reason: Schema.String, count: Schema.Int }))

/** How many runs were simulated candle by candle, and why. @category models @since 0.1.0 */
export type PlainRuns = typeof PlainRuns.Type
