/**
 * What every rule of a plan says, in two forms that agree to the bit: over columns, and for the
 * next candle.
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
  readonly step: MakeNodeStep
}

const comparing = (make: () => (left: number, right: number) => Truth): RuleOperation => ({
  column: ([left, right], _settings, { length }) => {
    const next = make()
    const column = new Uint8Array(length)
    for (let at = 0; at < length; at += 1) column[at] = next(left![at]!, right![at]!)
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

const grouping = (combine: (left: Truth, right: Truth) => Truth): RuleOperation => ({
  column: ([first, ...others]) => {
    const column = Uint8Array.from(first!)
    for (const other of others) {
      for (let at = 0; at < column.length; at += 1) {
        column[at] = combine(column[at] as Truth, other[at] as Truth)
      }
    }
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
  above: comparing(() => isAbove),
  below: comparing(() => isBelow),
  crosses_above: comparing(crossesAboveStep),
  crosses_below: comparing(crossesBelowStep),
  between,
  rising: following((count) => trendStep(count, 1)),
  falling: following((count) => trendStep(count, -1)),
  true_for: following((count) => {
    const next = trueForStep(count)
    return (truth) => next(truth as Truth)
  }),
  all: grouping(truthAnd),
  any: grouping(truthOr),
  not: following(() => (truth) => truthNot(truth as Truth)),
  hours: clock(isInHours),
  weekdays: clock(isOnWeekday)
} as const satisfies Record<string, RuleOperation>
