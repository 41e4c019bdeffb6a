/**
 * A strategy from JSON that anyone may have written: a definition that runs, or every fault of it.
 *
 * @since 0.1.0
 */
import { Result, Schema } from "effect"
import type { Fault } from "../language/Fault.ts"
import type { RiskProfile } from "../language/RiskProfile.ts"
import { StrategyDefinition } from "../language/StrategyDefinition.ts"
import { checkCode, noCode } from "../language/checkCode.ts"
import type { CodeByName } from "../language/CodeRules.ts"
import { checkStrategy } from "../language/checkStrategy.ts"
import { strategyDepthMax, strategyNodeCountMax } from "../language/settingBounds.ts"
import { toFaults } from "../language/toFaults.ts"
import { withGiven } from "../language/withGiven.ts"
import { withTypes } from "./withTypes.ts"

const nestingMax = strategyDepthMax * 2 + 16
const valueCountMax = 100 * strategyNodeCountMax

/**
 * The reason why JSON is too deep or too large for a strategy, found without recursion, or null.
 */
const shapeFault = (input: unknown): Fault | null => {
  let level: ReadonlyArray<unknown> = [input]
  let valueCount = 0
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > nestingMax) {
      const message = `Expressions may be nested ${strategyDepthMax} deep`
      return { pointer: "", code: "too_deep", message }
    }
    const next: Array<unknown> = []
    for (const value of level) {
      if (typeof value !== "object" || value === null) continue
      for (const part of Object.values(value)) next.push(part)
      if (valueCount + next.length > valueCountMax) {
        const message = `A strategy may have ${strategyNodeCountMax} series and rules`
        return { pointer: "", code: "too_many_nodes", message }
      }
    }
    valueCount += next.length
    level = next
  }
  return null
}

const decode = Schema.decodeUnknownResult(StrategyDefinition, {
  errors: "all",
  onExcessProperty: "error"
})

const schemaFaults = (input: unknown): ReadonlyArray<Fault> =>
  Result.match(decode(input), {
    onFailure: ({ issue }) => toFaults(issue).map(withTypes(input)).map(withGiven(input)),
    onSuccess: () => []
  })

const formatFault = (input: unknown): Fault | null => {
  if (typeof input !== "object" || input === null || !("format" in input)) return null
  if (input.format === 1) return null
  const message = `This version reads strategies of format 1, not ${JSON.stringify(input.format)}`
  return { pointer: "/format", code: "unknown_format", message }
}

/**
 * Decodes and checks a strategy; a failure lists every fault that could be found. One whose rules
 * are code is refused unless it is among the `code` that the host has.
 *
 * @category decoding
 * @since 0.1.0
 */
export const decodeStrategy = (
  input: unknown,
  risk: Pick<RiskProfile, "is_stop_loss_mandatory"> | null = null,
  code: CodeByName = noCode
): Result.Result<StrategyDefinition, ReadonlyArray<Fault>> => {
  const unknownFormat = formatFault(input)
  if (unknownFormat !== null) return Result.fail([unknownFormat])
  const misshapen = shapeFault(input)
  if (misshapen !== null) return Result.fail([misshapen])
  const invalid = schemaFaults(input)
  if (invalid.length > 0) return Result.fail(invalid)
  const definition = input as StrategyDefinition
  const faults = [...checkStrategy(definition, risk), ...checkCode(definition, code)]
  return faults.length > 0 ? Result.fail(faults) : Result.succeed(definition)
}
