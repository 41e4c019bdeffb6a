/**
 * The meaning of every rule of a plan, in two forms that agree to the bit: over columns, and for
 * the next candle.
 *
 * @since 0.1.0
 */
import { hourOf, weekdayOf } from "../kernel/calendar.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import {
  crossesAboveStep,
  crossesBelowStep,
  isAbove,
  isBelow,
  isBetween,
  ruleFalse,
  ruleTrue,
  ruleUndefined,
  trendStep,
  trueForStep,
  truthAnd,
  truthNot,
  truthOr
} from "../kernel/comparisons.ts"
import type { Truth } from "../kernel/comparisons.ts"
import type { MakeNodeStep } from "./seriesOperations.ts"

/** A rule in both forms; groups take rules, the others series. @category models @since 0.1.0 */
export interface RuleOperation {
  readonly column: (
    inputs: ReadonlyArray<Float64Array | Uint8Array>,
    settings: ReadonlyArray<number>,
    columns: CandleColumns
  ) => Uint8Array
  /** The column where the right series of the two is a constant. */
  readonly against?: (left: Float64Array, right: number) => Uint8Array
  readonly step: MakeNodeStep
}

type Compare = (left: ArrayLike<number>, right: ArrayLike<number>, into: Uint8Array) => void

// Each loop is written out: a function that is called for each candle takes longer than the rule.

const fillAbove: Compare = (left, right, into) => {
  for (let at = 0; at < into.length; at += 1) {
    const one = left[at]!
    const other = right[at]!
    into[at] = one > other ? ruleTrue : one <= other ? ruleFalse : ruleUndefined
  }
}

const fillCrossesAbove: Compare = (left, right, into) => {
  let before: number = ruleUndefined
  for (let at = 0; at < into.length; at += 1) {
    const one = left[at]!
    const other = right[at]!
    const now = one > other ? ruleTrue : one <= other ? ruleFalse : ruleUndefined
    // True where the last was false; either is undefined where its second bit is set.
    into[at] = (before | now) > 1 ? ruleUndefined : now & (before ^ 1)
    before = now
  }
}

const turned =
  (fill: Compare): Compare =>
  (left, right, into) =>
    fill(right, left, into)

const aboveConstant = (left: Float64Array, right: number): Uint8Array => {
  const column = new Uint8Array(left.length)
  for (let at = 0; at < column.length; at += 1) {
    const value = left[at]!
    column[at] = value > right ? ruleTrue : value <= right ? ruleFalse : ruleUndefined
  }
  return column
}

const belowConstant = (left: Float64Array, right: number): Uint8Array => {
  const column = new Uint8Array(left.length)
  for (let at = 0; at < column.length; at += 1) {
    const value = left[at]!
    column[at] = value < right ? ruleTrue : value >= right ? ruleFalse : ruleUndefined
  }
  return column
}

const comparing = (
  make: () => (left: number, right: number) => Truth,
  fill: Compare
): RuleOperation => ({
  column: ([left, right], _settings, { length }) => {
    const column = new Uint8Array(length)
    fill(left!, right!, column)
    return column
  },
  step: ([left, right], _settings, values) => {
    const next = make()
    const [leftSlot, rightSlot] = [left!, right!]
    return () => next(values[leftSlot]!, values[rightSlot]!)
  }
})

const between: RuleOperation = {
  column: ([of, low, high], _settings, { length }) => {
    const column = new Uint8Array(length)
    for (let at = 0; at < length; at += 1) column[at] = isBetween(of![at]!, low![at]!, high![at]!)
    return column
  },
  step: ([of, low, high], _settings, values) => {
    const [ofSlot, lowSlot, highSlot] = [of!, low!, high!]
    return () => isBetween(values[ofSlot]!, values[lowSlot]!, values[highSlot]!)
  }
}

/** A rule that remembers one input: a trend of a series, or how long another rule has held. */
const following = (make: (count: number) => (value: number) => Truth): RuleOperation => ({
  column: ([of], [count], { length }) => {
    const next = make(count!)
    const column = new Uint8Array(length)
    for (let at = 0; at < length; at += 1) column[at] = next(of![at]!)
    return column
  },
  step: ([slot], [count], values) => {
    const from = slot!
    const next = make(count!)
    return () => next(values[from]!)
  }
})

type Combine = (into: Uint8Array, other: ArrayLike<number>) => void

const combineAll: Combine = (into, other) => {
  for (let at = 0; at < into.length; at += 1) {
    // As truthAnd without branches: 4 of two undefined is undefined.
    const both = into[at]! * other[at]!
    into[at] = both - ((both >> 2) << 1)
  }
}

const combineAny: Combine = (into, other) => {
  for (let at = 0; at < into.length; at += 1) {
    // As truthOr without branches: 3 of true and undefined is true.
    const either = into[at]! | other[at]!
    into[at] = either - ((either & (either >> 1)) << 1)
  }
}

const grouping = (
  combine: (left: Truth, right: Truth) => Truth,
  combineColumns: Combine
): RuleOperation => ({
  column: ([first, ...others]) => {
    const column = new Uint8Array(first!)
    for (const other of others) combineColumns(column, other)
    return column
  },
  step: ([first, ...others], _settings, values) => {
    const from = first!
    return () => {
      let truth = values[from] as Truth
      for (let index = 0; index < others.length; index += 1) {
        truth = combine(truth, values[others[index]!] as Truth)
      }
      return truth
    }
  }
})

const clock = (
  make: (settings: ReadonlyArray<number>) => (time: number) => Truth
): RuleOperation => ({
  column: (_inputs, settings, { time }) => {
    const tell = make(settings)
    return Uint8Array.from(time, tell)
  },
  step: (_slots, settings) => {
    const tell = make(settings)
    return ({ time }) => tell(time)
  }
})

const isInHours = ([from, to]: ReadonlyArray<number>): ((time: number) => Truth) => {
  const first = from!
  const end = to!
  return (time) => {
    const hour = hourOf(time)
    const holds = first < end ? hour >= first && hour < end : hour >= first || hour < end
    return holds ? ruleTrue : ruleFalse
  }
}

const isOnWeekday = (days: ReadonlyArray<number>): ((time: number) => Truth) => {
  const holds = Array.from({ length: 7 }, (_, day) => (days.includes(day) ? ruleTrue : ruleFalse))
  return (time) => holds[weekdayOf(time)]!
}

/**
 * Every rule by its type.
 *
 * @category tables
 * @since 0.1.0
 */
export const ruleOperations = {
  above: { ...comparing(() => isAbove, fillAbove), against: aboveConstant },
  below: { ...comparing(() => isBelow, turned(fillAbove)), against: belowConstant },
  crosses_above: comparing(crossesAboveStep, fillCrossesAbove),
  crosses_below: comparing(crossesBelowStep, turned(fillCrossesAbove)),
  between,
  rising: following((count) => trendStep(count, 1)),
  falling: following((count) => trendStep(count, -1)),
  true_for: following((count) => {
    const next = trueForStep(count)
    return (truth) => next(truth as Truth)
  }),
  all: grouping(truthAnd, combineAll),
  any: grouping(truthOr, combineAny),
  not: following(() => (truth) => truthNot(truth as Truth)),
  hours: clock(isInHours),
  weekdays: clock(isOnWeekday)
} as const satisfies Record<string, RuleOperation>
