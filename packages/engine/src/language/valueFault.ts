/**
 * Whether a value is one that a parameter may take.
 *
 * @since 0.1.0
 */
import type { Parameter } from "./Parameter.ts"
import type { Fault } from "./Fault.ts"

/** The fault of a parameter's value, or null. @category parameters @since 0.1.0 */
export const valueFault = (name: string, parameter: Parameter, value: number): Fault | null => {
  const pointer = `/parameters/${name}`
  if (parameter.kind === "choice") {
    if (parameter.options.includes(value)) return null
    const message = `Expected one of ${parameter.options.join(", ")}`
    return { pointer, code: "out_of_bounds", message }
  }
  if (parameter.kind === "integer" && !Number.isInteger(value)) {
    return { pointer, code: "not_an_integer", message: "Expected a whole number" }
  }
  const isInside = value >= parameter.min && value <= parameter.max
  // Text that looks like a number compares as one.
  if (Number.isFinite(value) && isInside) return null
  const message = `Expected a number from ${parameter.min} to ${parameter.max}`
  return { pointer, code: "out_of_bounds", message }
}
