/**
 * A strategy written in code, checked where it is written.
 *
 * The result is plain data, the strategy format. `define` is for rules that the format can't say.
 * A faulty strategy is never returned.
 *
 * **Example** (A period of nothing)
 *
 * ```ts
 * import { crossesAbove, InvalidInput, sma, strategy } from "@candlewick/engine/research"
 *
 * try {
 *   const long = { enter: crossesAbove(sma(0), sma(30)) }
 *   strategy({ symbols: ["BTC/USD"], timeframe: "1d", long })
 * } catch (error) {
 *   if (error instanceof InvalidInput) console.log(error.errors[0]?.pointer)
 * }
 * ```
 *
 * ```text output
 * /long/enter/left/period
 * ```
 *
 * @since 0.1.0
 */
import { invalidInput } from "../language/Fault.ts"
import { buildStrategy as build } from "../language/buildStrategy.ts"
import { checkDefinition } from "./checkDefinition.ts"

/**
 * A whole strategy in the current format.
 *
 * **Details**
 *
 * A part that uses parameters is a function of them, so that a name that is not declared does not
 * compile. Throws an `InvalidInput` whose `errors` name each node that is wrong.
 *
 * **Example** (A stop that a search may move)
 *
 * ```ts
 * import { atrMultiple, crossesAbove, float, integer, sma, strategy } from
 * "@candlewick/engine/research"
 *
 * const rules = strategy({
 *   symbols: ["BTC/USD"],
 *   timeframe: "1d",
 *   parameters: { fast: integer(10, 2, 50), stop: float(2, 1, 6) },
 *   long: ({ fast }) => ({ enter: crossesAbove(sma(fast), sma(200)) }),
 *   exits: ({ stop }) => ({ stop_loss: atrMultiple(stop) })
 * })
 * ```
 *
 * @category strategies
 * @since 0.1.0
 */
export const strategy: typeof build = (parts) => {
  const given: unknown = parts
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    const message = "Expected an object: symbols, a timeframe, and rules for long, short or both"
    throw invalidInput([{ pointer: "", code: "wrong_type", message }])
  }
  const definition = build(parts)
  checkDefinition(definition)
  return definition
}
