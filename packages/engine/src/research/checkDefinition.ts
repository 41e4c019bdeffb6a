/**
 * Strategies and parameter sets as programs without types may pass them: checked, or refused.
 */
import { Result } from "effect"
import type { ParameterValues } from "../language/Parameter.ts"
import { invalidInput } from "../language/Fault.ts"
import { type Fault } from "../language/Fault.ts"
import type { RiskProfile } from "../language/RiskProfile.ts"
import type { StrategyDefinition } from "../language/StrategyDefinition.ts"
import { noCode } from "../language/checkCode.ts"
import type { CodeByName, CodedStrategy } from "../language/CodeRules.ts"
import { checkStrategy } from "../language/checkStrategy.ts"
import { decodeStrategy } from "../plan/decodeStrategy.ts"
import { checkCoded } from "../plan/define.ts"
import { resolveParameters } from "../language/searchSpace.ts"
import { describeValue } from "../language/withGiven.ts"

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
    if (faults.length > 0) throw invalidInput(faults)
    known.add(definition)
  }
  if (risk === null || !risk.is_stop_loss_mandatory) return
  const faults = checkStrategy(definition, risk)
  if (faults.length > 0) throw invalidInput(faults)
}

const isCandles = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "time" in value && "close" in value

/**
 * Throws where candles are given in place of a strategy. Swapped arguments would else be refused
 * for many missing and many unknown fields.
 */
export const checkNoCandles = (given: unknown): void => {
  if (typeof given !== "object" || given === null || "symbols" in given) return
  if (!isCandles(given) && !Object.values(given).some(isCandles)) return
  const message = "Expected a strategy, got candles; candles come first, then the strategy"
  throw invalidInput([{ pointer: "", code: "wrong_type", message }])
}

/** A strategy as it was given, checked: its definition, and its code by name. */
export const checkGiven = (
  given: StrategyDefinition | CodedStrategy,
  risk: RiskProfile | null = null
): { readonly definition: StrategyDefinition; readonly code: CodeByName } => {
  if (typeof given !== "object" || given === null) {
    const message = `Expected a strategy after the candles, got ${describeValue(given)}`
    throw invalidInput([{ pointer: "", code: "wrong_type", message }])
  }
  if (!("rules" in given)) {
    checkNoCandles(given)
    checkDefinition(given, risk)
    return { definition: given, code: noCode }
  }
  const { definition, rules } = given
  checkCoded(given)
  const faults = risk === null ? [] : checkStrategy(definition, risk)
  if (faults.length > 0) throw invalidInput(faults)
  return { definition, code: new Map([[definition.code ?? "", rules]]) }
}

/** Whether a strategy may enter short. */
export const mayEnterShort = ({ code, short }: StrategyDefinition): boolean =>
  short !== undefined || code !== undefined

/** The value of every parameter of a set that was given at `pointer`; throws every fault of it. */
export const resolveSet = (
  definition: StrategyDefinition,
  set: unknown,
  pointer: string
): ParameterValues => {
  // There the values belong to a strategy.
  const fail = (faults: ReadonlyArray<Fault>) =>
    invalidInput(
      faults.map((fault) => ({ ...fault, pointer: fault.pointer.replace("/parameters", pointer) }))
    )
  if (set === null || (set !== undefined && (typeof set !== "object" || Array.isArray(set)))) {
    const message = `Expected an object with the values of parameters, got ${describeValue(set)}`
    throw invalidInput([{ pointer, code: "wrong_type", message }])
  }
  // Whether its values are numbers is looked at there.
  return Result.getOrElse(resolveParameters(definition, set as ParameterValues), (wrong) => {
    throw fail(wrong)
  })
}
