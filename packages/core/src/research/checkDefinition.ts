/**
 * Strategies and parameter sets as programs without types may pass them: checked, or refused.
 */
import { Result } from "effect"
import type { ParameterValues } from "../domain/Parameter.ts"
import { type Fault, invalid } from "../domain/Problem.ts"
import type { RiskProfile } from "../domain/RiskProfile.ts"
import type { StrategyDefinition } from "../domain/StrategyDefinition.ts"
import { checkStrategy } from "../interpreters/checkStrategy.ts"
import { decodeStrategy } from "../interpreters/decodeStrategy.ts"
import { resolveParameters } from "../interpreters/searchSpace.ts"

/** Definitions are values: one that was found good stays good. */
const known = new WeakSet<StrategyDefinition>()

/** Throws every fault of a strategy; a definition is looked at once. */
export const checkDefinition = (
  definition: StrategyDefinition,
  risk: RiskProfile | null = null
): void => {
  if (!known.has(definition)) {
    const faults = Result.match(decodeStrategy(definition), {
      onFailure: (found) => found,
      onSuccess: () => []
    })
    if (faults.length > 0) throw invalid(faults)
    known.add(definition)
  }
  if (risk === null || !risk.is_stop_loss_mandatory) return
  const faults = checkStrategy(definition, risk)
  if (faults.length > 0) throw invalid(faults)
}

/** The value of every parameter; throws faults whose pointers begin with `pointer`. */
export const resolveSet = (
  definition: StrategyDefinition,
  set: ParameterValues | undefined,
  pointer: string
): ParameterValues => {
  const fail = (faults: ReadonlyArray<Fault>) =>
    invalid(faults.map((fault) => ({ ...fault, pointer: `${pointer}${fault.pointer}` })))
  if (set === null || (set !== undefined && (typeof set !== "object" || Array.isArray(set)))) {
    const message = "Expected an object with the values of parameters"
    throw fail([{ pointer: "/parameters", code: "wrong_type", message }])
  }
  return Result.getOrElse(resolveParameters(definition, set), (wrong) => {
    throw fail(wrong)
  })
}
