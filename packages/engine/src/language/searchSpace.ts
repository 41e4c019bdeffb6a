/**
 * A strategy for the optimiser: its parameter sets, their names, and the way to draw them.
 *
 * A grid names every set by an index, so that a search over it is a range of whole numbers. A
 * continuous axis has no size, and can only be drawn from.
 *
 * @since 0.1.0
 */
import { Result } from "effect"
import type { ParameterRange } from "./ParameterRange.ts"
import type { Parameter, ParameterValues } from "./Parameter.ts"
import type { Fault } from "./Fault.ts"
import type { StrategyDefinition } from "./StrategyDefinition.ts"
import { checkStrategy } from "./checkStrategy.ts"
import { notAmong } from "./notAmong.ts"
import { valueFault } from "./valueFault.ts"

/** One parameter as an optimization varies it. @category models @since 0.1.0 */
export interface SearchAxis {
  readonly name: string
  readonly kind: Parameter["kind"]
  readonly min: number
  readonly max: number
  readonly step: number | null
  readonly isLogarithmic: boolean
  /** The values of a choice, in the order of the definition. */
  readonly options: ReadonlyArray<number> | null
  /** The number of values, or null where the axis is continuous. */
  readonly count: number | null
}

/** All parameter sets of a strategy. @category models @since 0.1.0 */
export interface SearchSpace {
  readonly axes: ReadonlyArray<SearchAxis>
  /** The number of sets, or null where an axis is continuous. */
  readonly size: number | null
}

/** The default of every parameter of a strategy. @category parameters @since 0.1.0 */
export const defaultValues = (
  definition: Pick<StrategyDefinition, "parameters">
): ParameterValues =>
  Object.fromEntries(
    Object.entries(definition.parameters).map(([name, parameter]) => [name, parameter.default])
  )

/**
 * The value of every parameter: the overrides where there are any, else the defaults.
 *
 * @category parameters
 * @since 0.1.0
 */
export const resolveParameters = (
  definition: Pick<StrategyDefinition, "parameters">,
  overrides: ParameterValues = {}
): Result.Result<ParameterValues, ReadonlyArray<Fault>> => {
  const faults: Array<Fault> = []
  const known = definition.parameters
  for (const [name, value] of Object.entries(overrides)) {
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined
    const found =
      parameter === undefined
        ? { pointer: `/parameters/${name}`, ...unknownParameter(name, known) }
        : valueFault(name, parameter, value)
    if (found !== null) faults.push(found)
  }
  return faults.length > 0
    ? Result.fail(faults)
    : Result.succeed({ ...defaultValues(definition), ...overrides })
}

/**
 * The same strategy with other defaults, as promoting a trial makes it.
 *
 * @category parameters
 * @since 0.1.0
 */
export const withDefaults = (
  definition: StrategyDefinition,
  values: ParameterValues
): StrategyDefinition => ({
  ...definition,
  parameters: Object.fromEntries(
    Object.entries(definition.parameters).map(([name, parameter]) => [
      name,
      { ...parameter, default: values[name] ?? parameter.default }
    ])
  )
})

/** Steps from `min` that stay at or below `max`, forgiving the rounding of decimal steps. */
const stepCount = (min: number, max: number, step: number): number =>
  Math.floor((max - min) / step + 1e-9) + 1

const toAxis = (name: string, parameter: Parameter): SearchAxis => {
  if (parameter.kind === "choice") {
    const { options } = parameter
    return {
      name,
      kind: "choice",
      min: Math.min(...options),
      max: Math.max(...options),
      step: null,
      isLogarithmic: false,
      options,
      count: options.length
    }
  }
  const { kind, min, max } = parameter
  const step = parameter.step ?? (kind === "integer" ? 1 : null)
  return {
    name,
    kind,
    min,
    max,
    step,
    isLogarithmic: kind === "float" && parameter.log === true,
    options: null,
    count: min === max ? 1 : step === null ? null : stepCount(min, max, step)
  }
}

const sizeOf = (axes: ReadonlyArray<SearchAxis>): number | null =>
  axes.reduce<number | null>(
    (size, axis) => (size === null || axis.count === null ? null : size * axis.count),
    1
  )

/**
 * The search space of a strategy, with one axis for each of its parameters in their order.
 *
 * @category spaces
 * @since 0.1.0
 */
export const searchSpace = (definition: Pick<StrategyDefinition, "parameters">): SearchSpace => {
  const axes = Object.entries(definition.parameters).map(([name, row]) => toAxis(name, row))
  return { axes, size: sizeOf(axes) }
}

const unknownParameter = (name: string, known: object): Omit<Fault, "pointer"> => ({
  code: "unknown_parameter",
  message: notAmong(`parameter "${name}"`, Object.keys(known))
})

const rangeFault = (parameter: Parameter, range: ParameterRange): Omit<Fault, "pointer"> | null => {
  if (range.min > range.max) {
    return { code: "out_of_bounds", message: "The minimum is above the maximum" }
  }
  const numbers =
    range.step === undefined ? [range.min, range.max] : [range.min, range.max, range.step]
  if (parameter.kind === "integer" && !numbers.every(Number.isInteger)) {
    return { code: "not_an_integer", message: `Parameter "${range.name}" is a whole number` }
  }
  const isEmptyChoice =
    parameter.kind === "choice" &&
    !parameter.options.some((option) => option >= range.min && option <= range.max)
  return isEmptyChoice ? { code: "out_of_bounds", message: "No option is in this range" } : null
}

const withRange = (parameter: Parameter, range: ParameterRange): Parameter => {
  const { min, max } = range
  if (parameter.kind === "choice") {
    const options = parameter.options.filter((option) => option >= min && option <= max)
    const [first, ...rest] = options
    return first === undefined
      ? parameter
      : { ...parameter, default: first, options: [first, ...rest] }
  }
  const value = Math.min(Math.max(parameter.default, min), max)
  const { step: _, ...bounds } = { ...parameter, min, max, default: value }
  const step =
    range.step ?? (parameter.kind === "float" && parameter.log ? undefined : parameter.step)
  return step === undefined ? bounds : { ...bounds, step }
}

/**
 * The search space of a strategy with the bounds of some parameters changed, or the faults of the
 * ranges.
 *
 * **Details**
 *
 * A range may widen a parameter as long as every place that uses it accepts the new bounds.
 *
 * @category spaces
 * @since 0.1.0
 */
export const narrowSpace = (
  definition: StrategyDefinition,
  ranges: ReadonlyArray<ParameterRange>
): Result.Result<SearchSpace, ReadonlyArray<Fault>> => {
  const faults: Array<Fault> = []
  const parameters: Record<string, Parameter> = { ...definition.parameters }
  const named = new Map<string, number>()
  for (const [index, range] of ranges.entries()) {
    const pointer = `/parameters/${index}`
    const parameter = Object.hasOwn(parameters, range.name) ? parameters[range.name] : undefined
    const found = named.has(range.name)
      ? { code: "duplicate", message: `Parameter "${range.name}" is there twice` }
      : parameter === undefined
        ? unknownParameter(range.name, parameters)
        : rangeFault(parameter, range)
    named.set(range.name, index)
    if (found !== null) faults.push({ pointer, ...found })
    else if (parameter !== undefined) parameters[range.name] = withRange(parameter, range)
  }
  if (faults.length > 0) return Result.fail(faults)
  const changed = checkStrategy({ ...definition, parameters })
  for (const found of changed) faults.push({ ...found, pointer: "/parameters" })
  return faults.length > 0 ? Result.fail(faults) : Result.succeed(searchSpace({ parameters }))
}

/** A decimal step leaves the last digits of a sum wrong; 12 significant digits are right. */
const rounded = (value: number): number => Number(value.toPrecision(12))

/** The value at a place on an axis, from 0. @category spaces @since 0.1.0 */
export const valueAt = (axis: SearchAxis, index: number): number =>
  axis.options !== null
    ? (axis.options[index] ?? Number.NaN)
    : Math.min(axis.max, Math.max(axis.min, rounded(axis.min + index * (axis.step ?? 0))))

/**
 * The parameter set with this index, from 0 to `size - 1`; the last parameter changes fastest.
 *
 * @category spaces
 * @since 0.1.0
 */
export const pointAt = (space: SearchSpace, index: number): ParameterValues => {
  const values: Array<readonly [string, number]> = []
  let rest = index
  for (const axis of space.axes.toReversed()) {
    const count = axis.count ?? 1
    values.push([axis.name, valueAt(axis, rest % count)])
    rest = Math.floor(rest / count)
  }
  return Object.fromEntries(values.toReversed())
}

const drawFrom = (axis: SearchAxis, next: () => number): number => {
  const share = next()
  if (axis.count !== null)
    return valueAt(axis, Math.min(axis.count - 1, Math.floor(share * axis.count)))
  const value = axis.isLogarithmic
    ? Math.exp(Math.log(axis.min) + share * (Math.log(axis.max) - Math.log(axis.min)))
    : axis.min + share * (axis.max - axis.min)
  return Math.min(axis.max, Math.max(axis.min, value))
}

/**
 * Draws one parameter set; `next` gives numbers from 0 up to, but without, 1.
 *
 * @category spaces
 * @since 0.1.0
 */
export const samplePoint = (space: SearchSpace, next: () => number): ParameterValues =>
  Object.fromEntries(space.axes.map((axis) => [axis.name, drawFrom(axis, next)]))

/** The space as ranges, as a report states it. @category spaces @since 0.1.0 */
export const toRanges = (space: SearchSpace): ReadonlyArray<ParameterRange> =>
  space.axes.map(({ name, min, max, step }) =>
    step === null ? { name, min, max } : { name, min, max, step }
  )
