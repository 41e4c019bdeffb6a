/**
 * A strategy of crossing averages with three parameters, for benchmarks that search.
 */
import type { StrategyDefinition, Timeframe } from "@candlewick/core"

/** Crossing averages on one market. */
export const crossing = (symbol: string, timeframe: Timeframe): StrategyDefinition => ({
  format: 1,
  symbols: [symbol],
  timeframe,
  parameters: {
    fast: { kind: "integer", default: 10, min: 2, max: 60 },
    slow: { kind: "integer", default: 40, min: 20, max: 200 },
    stop: { kind: "float", default: 2, min: 1, max: 6 }
  },
  long: {
    enter: {
      type: "crosses_above",
      left: { type: "ema", period: { parameter: "fast" } },
      right: { type: "ema", period: { parameter: "slow" } }
    },
    exit: {
      type: "crosses_below",
      left: { type: "ema", period: { parameter: "fast" } },
      right: { type: "ema", period: { parameter: "slow" } }
    }
  },
  exits: { stop_loss: { type: "atr", period: 14, multiple: { parameter: "stop" } } },
  sizing: { type: "risk_per_trade", fraction: 0.01 }
})
