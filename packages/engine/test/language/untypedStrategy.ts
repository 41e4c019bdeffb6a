/**
 * Strategies as programs without types may give them, whatever is wrong with them.
 */
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"

export const close = { type: "price", field: "close" }

export const enter = { type: "above", left: close, right: { type: "sma", period: 20 } }

/** A sound strategy with changes. */
export const whole = (changes: object = {}): StrategyDefinition =>
  ({
    format: 1,
    symbols: ["BTC/USD"],
    timeframe: "1h",
    parameters: {},
    long: { enter },
    ...changes
  }) as unknown as StrategyDefinition

/** One that enters by a rule. */
export const entering = (rule: object, changes: object = {}): StrategyDefinition =>
  whole({ long: { enter: rule }, ...changes })

export const above = (left: object, right: object = { type: "constant", value: 1 }): object => ({
  type: "above",
  left,
  right
})
