/**
 * The strategy that a new file begins with.
 *
 * @since 0.1.0
 */
import type { Schema } from "effect"

const average = (parameter: string) => ({
  type: "ema",
  period: { parameter }
})

/** Two averages that cross, with a stop loss. @category tables @since 0.1.0 */
export const starterOf = (symbol: string, timeframe: string): Schema.Json => ({
  format: 1,
  symbols: [symbol],
  timeframe,
  parameters: {
    fast: { kind: "integer", default: 12, min: 5, max: 30, step: 1 },
    slow: { kind: "integer", default: 40, min: 35, max: 120, step: 5 }
  },
  long: {
    enter: { type: "crosses_above", left: average("fast"), right: average("slow") },
    exit: { type: "crosses_below", left: average("fast"), right: average("slow") }
  },
  exits: { stop_loss: { type: "fraction", value: 0.1 } }
})
