/**
 * Rows 3 and 4: they buy after a deep fall (RSI 14 below a level, close under the lower Bollinger
 * band of 20). They leave on strength, with stop and target in multiples of the ATR 14.
 */
import type { StrategyDefinition } from "@candlewick/core"
import type { Run } from "../Engine.ts"

/** The level below which the RSI buys, stop and target in average true ranges. */
export interface ReversalValues {
  readonly level: number
  readonly stop: number
  readonly target: number
}

/** The level above which the RSI sells. */
export const reversalExitLevel = 70

const rsi = { type: "rsi", period: 14 } as const

/**
 * A candle in which a position ends does not open another, hence the cooldown of one candle. So it
 * is in the prototype and in the Python libraries that it was checked against.
 */
const definition: StrategyDefinition = {
  format: 1,
  symbols: ["BENCH/USD"],
  timeframe: "1m",
  parameters: {
    level: { kind: "float", default: 30, min: 1, max: 60 },
    stop: { kind: "float", default: 2, min: 0.1, max: 50 },
    target: { kind: "float", default: 3, min: 0.1, max: 50 }
  },
  long: {
    enter: {
      type: "all",
      rules: [
        { type: "below", left: rsi, right: { type: "constant", value: { parameter: "level" } } },
        {
          type: "below",
          left: { type: "price", field: "close" },
          right: { type: "bollinger", period: 20, deviations: 2, output: "lower" }
        }
      ]
    },
    exit: {
      type: "above",
      left: rsi,
      right: { type: "constant", value: reversalExitLevel }
    }
  },
  exits: {
    stop_loss: { type: "atr", period: 14, multiple: { parameter: "stop" } },
    take_profit: { type: "atr", period: 14, multiple: { parameter: "target" } }
  },
  reentry: { cooldown: 1 }
}

/** The reversal with these values. */
export const reversalRun = (values: ReversalValues): Run & { readonly values: ReversalValues } => ({
  definition,
  values: { ...values }
})

/** Ten levels, ten stops and ten targets, each with each. */
export const reversalGrid = (): ReadonlyArray<ReversalValues> => {
  const ten = Array.from({ length: 10 }, (_, index) => index)
  return ten.flatMap((level) =>
    ten.flatMap((stop) =>
      ten.map((target) => ({
        level: 21 + 1.5 * level,
        stop: 1 + 0.5 * stop,
        target: 1 + 0.75 * target
      }))
    )
  )
}
