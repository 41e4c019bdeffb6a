/**
 * Whether the code that a definition names is there, and reads the parameters that it has.
 *
 * @since 0.1.0
 */
import type { Fault } from "./Fault.ts"
import type { StrategyDefinition } from "./StrategyDefinition.ts"
import type { CodeByName } from "./CodeRules.ts"

/** No code at all. @category models @since 0.1.0 */
export const noCode: CodeByName = new Map()

/**
 * Finds the faults between a definition and the code that a host has.
 *
 * @category checks
 * @since 0.1.0
 */
export const checkCode = (
  { code, parameters }: Pick<StrategyDefinition, "code" | "parameters">,
  byName: CodeByName
): ReadonlyArray<Fault> => {
  if (code === undefined) return []
  const rules = byName.get(code)
  if (rules === undefined) {
    const names = [...byName.keys()].join(", ")
    const there = names === "" ? "none" : names
    const message = `This host has no code named "${code}"; there is ${there}`
    return [{ pointer: "/code", code: "unknown_code", message }]
  }
  const missing = Object.keys(rules.parameters).filter((name) => !Object.hasOwn(parameters, name))
  return missing.map((name) => ({
    pointer: `/parameters/${name}`,
    code: "missing_parameter",
    message: `The code "${code}" reads the parameter "${name}"`
  }))
}
