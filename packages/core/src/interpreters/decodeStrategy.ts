/**
 * A strategy from JSON that anyone may have written: a definition that runs, or every fault of it.
 *
 * @since 0.1.0
 */
import { Result, Schema } from "effect"
import type { Fault } from "../domain/Problem.ts"
import type { RiskProfile } from "../domain/RiskProfile.ts"
import { StrategyDefinition } from "../domain/StrategyDefinition.ts"
import { checkStrategy } from "./checkStrategy.ts"
import { strategyDepthMax } from "./settingBounds.ts"

const nestingMax = strategyDepthMax * 2 + 8

/** Whether JSON is nested deeper than any strategy can be, found without recursion. */
const isTooNested = (input: unknown): boolean => {
  let level: ReadonlyArray<unknown> = [input]
  for (let depth = 0; depth <= nestingMax; depth += 1) {
    const next: Array<unknown> = []
    for (const value of level) {
      if (typeof value === "object" && value !== null) next.push(...Object.values(value))
    }
    if (next.length === 0) return false
    level = next
  }
  return true
}

/**
 * The JSON pointer of a path.
 *
 * @category faults
 * @since 0.1.0
 */
export const toPointer = (path: ReadonlyArray<PropertyKey>): string =>
  path.map((token) => `/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

const standard = Schema.toStandardSchemaV1(StrategyDefinition, {
  parseOptions: { errors: "all", onExcessProperty: "error" }
})

const schemaFaults = (input: unknown): ReadonlyArray<Fault> => {
  const result = standard["~standard"].validate(input)
  if (result instanceof Promise || result.issues === undefined) return []
  return result.issues.map((issue) => ({
    pointer: toPointer(
      (issue.path ?? []).map((part) => (typeof part === "object" ? part.key : part))
    ),
    code: "invalid",
    message: issue.message
  }))
}

const formatFault = (input: unknown): Fault | null => {
  if (typeof input !== "object" || input === null || !("format" in input)) return null
  if (input.format === 1) return null
  const message = `This version reads strategies of format 1, not ${JSON.stringify(input.format)}`
  return { pointer: "/format", code: "unknown_format", message }
}

/**
 * Decodes and checks a strategy; a failure lists every fault that could be found.
 *
 * @category decoding
 * @since 0.1.0
 */
export const decodeStrategy = (
  input: unknown,
  risk: Pick<RiskProfile, "is_stop_loss_mandatory"> | null = null
): Result.Result<StrategyDefinition, ReadonlyArray<Fault>> => {
  const unknownFormat = formatFault(input)
  if (unknownFormat !== null) return Result.fail([unknownFormat])
  if (isTooNested(input)) {
    const message = `Expressions may be nested ${strategyDepthMax} deep`
    return Result.fail([{ pointer: "", code: "too_deep", message }])
  }
  const invalid = schemaFaults(input)
  if (invalid.length > 0) return Result.fail(invalid)
  const definition = input as StrategyDefinition
  const faults = checkStrategy(definition, risk)
  return faults.length > 0 ? Result.fail(faults) : Result.succeed(definition)
}
