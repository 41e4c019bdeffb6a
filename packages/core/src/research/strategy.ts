/**
 * A strategy written in code, checked where it is written.
 *
 * @since 0.1.0
 */
import { invalid } from "../domain/Problem.ts"
import type { StrategyDefinition } from "../domain/StrategyDefinition.ts"
import { strategy as build, type StrategyParts } from "../interpreters/buildStrategy.ts"
import { checkDefinition } from "./checkDefinition.ts"

/**
 * A whole strategy in the current format.
 *
 * **Details**
 *
 * Throws a `Problem` whose `errors` name each node that is wrong.
 *
 * @category strategies
 * @since 0.1.0
 */
export const strategy = (parts: StrategyParts): StrategyDefinition => {
  const given: unknown = parts
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    const message = "Expected an object: symbols, a timeframe, and rules for long, short or both"
    throw invalid([{ pointer: "", code: "wrong_type", message }])
  }
  const definition = build(parts)
  checkDefinition(definition)
  return definition
}
