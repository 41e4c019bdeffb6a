/**
 * Lanes whose value is a truth: the rules of `kernel/comparisons.ts`.
 *
 * @since 0.1.0
 */
import { ruleOperations } from "../../interpreters/ruleOperations.ts"
import { ruleTrue } from "../../kernel/comparisons.ts"
import type { LaneKernel } from "./LaneGroup.ts"

/** It does not hold. @category models @since 0.1.0 */
export const laneFalse = 0
/** It can't be told yet. @category models @since 0.1.0 */
export const laneUndefined = 1
/** It holds. @category models @since 0.1.0 */
export const laneTrue = 3

const opposite = Uint8Array.of(laneTrue, laneUndefined, laneUndefined, laneFalse)

const never: LaneKernel = ({ to }, { truths }) => {
  for (const slot of to) truths[slot] = laneFalse
  return () => undefined
}

const above: LaneKernel = ({ count, from: [lefts, rights], to }, { truths, values }) => {
  const left = lefts!
  const right = rights!
  return () => {
    for (let lane = 0; lane < count; lane++) {
      const one = values[left[lane]!]!
      const other = values[right[lane]!]!
      truths[to[lane]!] = one > other ? laneTrue : one <= other ? laneFalse : laneUndefined
    }
  }
}

const crossesAbove: LaneKernel = ({ count, from: [lefts, rights], to }, memory) => {
  const { keep, truths, values } = memory
  const left = lefts!
  const right = rights!
  const before = keep(new Uint8Array(count).fill(laneUndefined))
  return () => {
    for (let lane = 0; lane < count; lane++) {
      const one = values[left[lane]!]!
      const other = values[right[lane]!]!
      const now = one > other ? laneTrue : one <= other ? laneFalse : laneUndefined
      const was = before[lane]!
      before[lane] = now
      truths[to[lane]!] =
        was === laneUndefined || now === laneUndefined ? laneUndefined : opposite[was]! & now
    }
  }
}

const between: LaneKernel = ({ count, from: [of, lows, highs], to }, { truths, values }) => {
  const [slots, low, high] = [of!, lows!, highs!]
  return () => {
    for (let lane = 0; lane < count; lane++) {
      const value = values[slots[lane]!]!
      const least = values[low[lane]!]!
      const most = values[high[lane]!]!
      const isUnknown = Number.isNaN(value) || Number.isNaN(least) || Number.isNaN(most)
      const holds = value >= least && value <= most
      truths[to[lane]!] = isUnknown ? laneUndefined : holds ? laneTrue : laneFalse
    }
  }
}

const trend =
  (sign: 1 | -1): LaneKernel =>
  ({ count, from: [inputs], settings, to }, { keep, truths, values }) => {
    const slots = inputs!
    const wanted = settings[0]!
    const before = keep(new Float64Array(count).fill(Number.NaN))
    const runs = keep(new Int32Array(count))
    const known = keep(new Int32Array(count))
    return () => {
      for (let lane = 0; lane < count; lane++) {
        const value = values[slots[lane]!]!
        const change = (value - before[lane]!) * sign
        before[lane] = value
        if (Number.isNaN(change)) {
          runs[lane] = 0
          known[lane] = 0
          truths[to[lane]!] = laneUndefined
          continue
        }
        const least = wanted[lane]!
        const seen = Math.min(known[lane]! + 1, least)
        const run = change > 0 ? Math.min(runs[lane]! + 1, least) : 0
        known[lane] = seen
        runs[lane] = run
        truths[to[lane]!] = seen < least ? laneUndefined : run === least ? laneTrue : laneFalse
      }
    }
  }

const trueFor: LaneKernel = ({ count, from: [inputs], settings, to }, { keep, truths }) => {
  const slots = inputs!
  const wanted = settings[0]!
  const runs = keep(new Int32Array(count))
  const known = keep(new Int32Array(count))
  return () => {
    for (let lane = 0; lane < count; lane++) {
      const truth = truths[slots[lane]!]!
      if (truth === laneUndefined) {
        runs[lane] = 0
        known[lane] = 0
        truths[to[lane]!] = laneUndefined
        continue
      }
      const least = wanted[lane]!
      const seen = Math.min(known[lane]! + 1, least)
      const run = truth === laneTrue ? Math.min(runs[lane]! + 1, least) : 0
      known[lane] = seen
      runs[lane] = run
      truths[to[lane]!] = seen < least ? laneUndefined : run === least ? laneTrue : laneFalse
    }
  }
}

const not: LaneKernel = ({ count, from: [inputs], to }, { truths }) => {
  const slots = inputs!
  return () => {
    for (let lane = 0; lane < count; lane++) truths[to[lane]!] = opposite[truths[slots[lane]!]!]!
  }
}

/** Takes the inputs two and two, so that a lane is written once for every two of them. */
const all: LaneKernel = ({ count, from, to }, { truths }) => {
  const pairs = from.flatMap((slots, nth) =>
    nth % 2 === 0 ? [[slots, from[nth + 1] ?? slots] as const] : []
  )
  return () => {
    pairs.forEach(([one, other], nth) => {
      for (let lane = 0; lane < count; lane++) {
        const truth = truths[one[lane]!]! & truths[other[lane]!]!
        const slot = to[lane]!
        truths[slot] = nth === 0 ? truth : truths[slot]! & truth
      }
    })
  }
}

const any: LaneKernel = ({ count, from, to }, { truths }) => {
  return () => {
    from.forEach((slots, nth) => {
      for (let lane = 0; lane < count; lane++) {
        const slot = to[lane]!
        const truth = truths[slots[lane]!]!
        truths[slot] = nth === 0 ? truth : truths[slot]! | truth
      }
    })
  }
}

const clock =
  (kind: "hours" | "weekdays"): LaneKernel =>
  ({ settings, to }, { truths, values }) => {
    const tells = Array.from(to, (_, lane) => {
      const own = settings.map((column) => column[lane]!)
      return ruleOperations[kind].step([], own, values, "")
    })
    return (candle) => {
      tells.forEach((tell, lane) => {
        truths[to[lane]!] = tell(candle) === ruleTrue ? laneTrue : laneFalse
      })
    }
  }

/** Kernels by kind. @category kernels @since 0.1.0 */
export const truthLanes = {
  never,
  above,
  crosses_above: crossesAbove,
  between,
  rising: trend(1),
  falling: trend(-1),
  true_for: trueFor,
  all,
  any,
  not,
  hours: clock("hours"),
  weekdays: clock("weekdays")
} as const satisfies Record<string, LaneKernel>
