/**
 * A condition between the parameters of a search: `fast < slow`.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import type { Fault } from "./Fault.ts"
import { notAmong } from "./notAmong.ts"
import type { ParameterValues } from "./Parameter.ts"
import { pointAt, samplePoint, type SearchSpace } from "./searchSpace.ts"

// With `u`, for the published schemas have no other patterns.
const form = /^\s*([\w.+-]+)\s*(<=|>=|<|>|!=)\s*([\w.+-]+)\s*$/u

/**
 * Two parameters, or a parameter and a number, with `<`, `<=`, `>`, `>=` or `!=` between them.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ParameterConstraint = Schema.String.check(
  Schema.isMaxLength(200),
  Schema.isPattern(form, { expected: 'two parameters, as in "fast < slow"' })
)

interface Parts {
  readonly left: string
  readonly operator: string
  readonly right: string
}

const partsOf = (text: string): Parts => {
  const [, left = "", operator = "", right = ""] = form.exec(text) ?? []
  return { left, operator, right }
}

const isNumber = (text: string): boolean => Number.isFinite(Number(text))

/** The faults of constraints that name no parameter of the space. @category spaces @since 0.1.0 */
export const checkConstraints = (
  { axes }: SearchSpace,
  constraints: ReadonlyArray<string>
): ReadonlyArray<Fault> => {
  const names = axes.map(({ name }) => name)
  return constraints.flatMap((text, index): ReadonlyArray<Fault> => {
    const pointer = `/constraints/${index}`
    const { left, right } = partsOf(text)
    const unknown = [left, right].filter((side) => !isNumber(side) && !names.includes(side))
    if (isNumber(left) && isNumber(right)) {
      return [{ pointer, code: "not_allowed", message: "The constraint names no parameter" }]
    }
    return unknown.map((side) => ({
      pointer,
      code: "unknown_parameter",
      message: notAmong(`parameter "${side}"`, names)
    }))
  })
}

const compare: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
  "!=": (left, right) => left !== right
}

/** Whether a parameter set meets constraints that were checked. @category spaces @since 0.1.0 */
export const meetsConstraints = (
  constraints: ReadonlyArray<string>,
  values: ParameterValues
): boolean =>
  constraints.every((text) => {
    const { left, operator, right } = partsOf(text)
    const valueOf = (side: string) => values[side] ?? Number(side)
    return compare[operator]!(valueOf(left), valueOf(right))
  })

/** Points of a grid that are looked at where constraints leave some of them out. */
const lookedAtMax = 200_000

/** Draws of one trial at most: a set that meets the constraints may be rare. */
const drawsMax = 200

/**
 * Up to `count` sets of a grid that meet the constraints: all of them, or an even walk through them.
 *
 * @category spaces
 * @since 0.1.0
 */
export const gridPoints = (
  space: SearchSpace,
  count: number,
  constraints: ReadonlyArray<string> = []
): ReadonlyArray<ParameterValues> => {
  const size = space.size ?? 0
  const walk = (total: number, length: number) =>
    Array.from({ length }, (_, index) => Math.floor((index * total) / length))
  if (constraints.length === 0) {
    return walk(size, Math.min(size, count)).map((index) => pointAt(space, index))
  }
  const met = walk(size, Math.min(size, lookedAtMax))
    .map((index) => pointAt(space, index))
    .filter((values) => meetsConstraints(constraints, values))
  return walk(met.length, Math.min(met.length, count)).map((index) => met[index]!)
}

/**
 * One drawn set for each of `count` numbers, without those for which none was drawn that meets the
 * constraints.
 *
 * @category spaces
 * @since 0.1.0
 */
export const drawnPoints = (
  space: SearchSpace,
  count: number,
  nextOf: (index: number) => () => number,
  constraints: ReadonlyArray<string> = []
): ReadonlyArray<ParameterValues> => {
  const points: Array<ParameterValues> = []
  for (let index = 0; index < count; index++) {
    const next = nextOf(index)
    for (let draw = 0; draw < drawsMax; draw++) {
      const values = samplePoint(space, next)
      if (!meetsConstraints(constraints, values)) continue
      points.push(values)
      break
    }
  }
  return points
}
