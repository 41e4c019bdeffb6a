/**
 * Faults that say which type there is not, and which there are, where a schema only knows that a
 * value is no series or no rule.
 *
 * @since 0.1.0
 */
import { indicators } from "../domain/Indicator.ts"
import type { Fault } from "../domain/Problem.ts"
import { ruleOperations } from "./ruleOperations.ts"
import { seriesOperations } from "./seriesOperations.ts"

/** What a schema says of a value whose type it does not know, and the types that it knows. */
const knownTypes = new Map<string, { readonly noun: string; readonly types: string }>([
  ["Expected Rule", { noun: "rule", types: Object.keys(ruleOperations).join(", ") }],
  [
    "Expected Series",
    {
      noun: "series",
      types: [...Object.keys(seriesOperations), "timeframe", ...Object.keys(indicators)].join(", ")
    }
  ]
])

const valueAt = (input: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (value, token) =>
        typeof value === "object" && value !== null
          ? (value as Readonly<Record<string, unknown>>)[token]
          : undefined,
      input
    )

/** The fault with the type that was found and those that there are, where that is its matter. */
export const withTypes =
  (input: unknown) =>
  (fault: Fault): Fault => {
    const known = knownTypes.get(fault.message)
    if (known === undefined) return fault
    const { noun, types } = known
    const value = valueAt(input, fault.pointer)
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
    const type = isObject && "type" in value ? value.type : undefined
    const found =
      typeof type === "string"
        ? `There is no ${noun} of type "${type}"`
        : `Expected a ${noun}, an object with a type`
    return { ...fault, message: `${found}; the types are ${types}` }
  }
