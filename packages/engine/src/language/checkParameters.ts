/**
 * Faults of a strategy's parameters, and of the places that use them.
 *
 * A setting that names a parameter must be within its bounds for every value that the parameter may
 * take. No trial of a search can then fail on it.
 *
 * @since 0.1.0
 */
import type { Parameter, Setting } from "./Parameter.ts"
import type { Fault } from "./Fault.ts"
import type { StrategyDefinition } from "./StrategyDefinition.ts"
import type { SettingBounds } from "./settingBounds.ts"
import { notAmong } from "./notAmong.ts"

/** The inputs of a check and its findings so far. @category models @since 0.1.0 */
export interface Checking {
  readonly definition: StrategyDefinition
  readonly faults: Array<Fault>
  nodeCount: number
}

/** Adds one fault to the found ones. @category checks @since 0.1.0 */
export const fault = (checking: Checking, pointer: string, code: string, message: string): void => {
  checking.faults.push({ pointer, code, message })
}

const numberText = (bounds: SettingBounds): string => {
  const kind = bounds.kind === "integer" ? "a whole number" : "a number"
  return bounds.isMinExcluded === true
    ? `${kind} above ${bounds.min} and at most ${bounds.max}`
    : `${kind} from ${bounds.min} to ${bounds.max}`
}

const isWithin = (value: number, bounds: SettingBounds): boolean =>
  (bounds.isMinExcluded === true ? value > bounds.min : value >= bounds.min) && value <= bounds.max

/** The values between which, or among which, a parameter lies. @category checks @since 0.1.0 */
export const extremesOf = (parameter: Parameter): ReadonlyArray<number> =>
  parameter.kind === "choice" ? parameter.options : [parameter.min, parameter.max]

const takesOnlyIntegers = (parameter: Parameter): boolean =>
  parameter.kind === "integer" ||
  (parameter.kind === "choice" && parameter.options.every(Number.isInteger))

/**
 * Checks one setting against its bounds, for every value that it may take.
 *
 * @category checks
 * @since 0.1.0
 */
export const checkSetting = (
  checking: Checking,
  setting: Setting,
  pointer: string,
  bounds: SettingBounds
): void => {
  if (typeof setting === "number") {
    const isKind = bounds.kind === "float" || Number.isInteger(setting)
    if (!isKind) fault(checking, pointer, "not_an_integer", `Expected ${numberText(bounds)}`)
    else if (!isWithin(setting, bounds)) {
      fault(checking, pointer, "out_of_bounds", `Expected ${numberText(bounds)}`)
    }
    return
  }
  const parameters = checking.definition.parameters
  const parameter = Object.hasOwn(parameters, setting.parameter)
    ? parameters[setting.parameter]
    : undefined
  if (parameter === undefined) {
    const message = notAmong(`parameter "${setting.parameter}"`, Object.keys(parameters))
    fault(checking, `${pointer}/parameter`, "unknown_parameter", message)
    return
  }
  const place = `Parameter "${setting.parameter}" is used where ${numberText(bounds)} is expected`
  if (bounds.kind === "integer" && !takesOnlyIntegers(parameter)) {
    fault(checking, pointer, "not_an_integer", place)
  } else if (!extremesOf(parameter).every((value) => isWithin(value, bounds))) {
    fault(checking, pointer, "out_of_bounds", place)
  }
}

const checkChoice = (
  checking: Checking,
  parameter: Extract<Parameter, { kind: "choice" }>,
  pointer: string
): void => {
  if (new Set(parameter.options).size !== parameter.options.length) {
    fault(checking, `${pointer}/options`, "duplicate", "An option is there twice")
  }
  if (!parameter.options.includes(parameter.default)) {
    fault(checking, `${pointer}/default`, "out_of_bounds", "The default is not one of the options")
  }
}

const checkRange = (
  checking: Checking,
  parameter: Exclude<Parameter, { kind: "choice" }>,
  pointer: string
): void => {
  if (parameter.min > parameter.max) {
    fault(checking, `${pointer}/min`, "out_of_bounds", "The minimum is above the maximum")
  } else if (parameter.default < parameter.min || parameter.default > parameter.max) {
    const message = `The default is not from ${parameter.min} to ${parameter.max}`
    fault(checking, `${pointer}/default`, "out_of_bounds", message)
  }
  if (parameter.kind === "integer" || parameter.log !== true) return
  if (parameter.min <= 0) {
    const message = "A parameter on a logarithmic scale is above zero"
    fault(checking, `${pointer}/min`, "out_of_bounds", message)
  }
  if (parameter.step !== undefined) {
    const message = "A parameter has a step or a logarithmic scale, not both"
    fault(checking, `${pointer}/step`, "contradiction", message)
  }
}

/**
 * Checks that every parameter's bounds agree with each other and with its default.
 *
 * @category checks
 * @since 0.1.0
 */
export const checkParameters = (checking: Checking): void => {
  for (const [name, parameter] of Object.entries(checking.definition.parameters)) {
    const pointer = `/parameters/${name}`
    if (parameter.kind === "choice") checkChoice(checking, parameter, pointer)
    else checkRange(checking, parameter, pointer)
  }
}
