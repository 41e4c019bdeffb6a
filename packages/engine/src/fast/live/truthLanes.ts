/**
 * Lanes whose value is a truth: the rules of `kernel/comparisons.ts`.
 *
 * @since 0.1.0
 */
import { ruleOperations } from "../../plan/ruleOperations.ts"
import { ruleTrue } from "../../kernel/comparisons.ts"
import type { LaneKernel } from "./LaneGroup.ts"

/** It does not hold. @category models @since 0.1.0 */
export const laneFalse = 0
/** It is not known yet. @category models @since 0.1.0 */
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

/** The weight of an input that decides a whole lane; more than a lane has inputs. */
const deciding = 65_536

/** Each input that lanes have, and, from `starts` on, the lanes that have it. */
const dependents = (count: number, from: ReadonlyArray<Int32Array>) => {
  const lanesOf = new Map<number, Array<number>>()
  for (const slots of from) {
    for (let lane = 0; lane < count; lane++) {
      const lanes = lanesOf.get(slots[lane]!)
      if (lanes === undefined) lanesOf.set(slots[lane]!, [lane])
      else lanes.push(lane)
    }
  }
  const inputs = Int32Array.from(lanesOf.keys())
  const starts = new Int32Array(inputs.length + 1)
  ;[...lanesOf.values()].forEach((lanes, nth) => (starts[nth + 1] = starts[nth]! + lanes.length))
  return { inputs, starts, lanes: Int32Array.from([...lanesOf.values()].flat()) }
}

/**
 * Computes `all`, where `decided` is false, or `any`, where it is true. One such input decides a
 * lane; without one, an undefined input leaves the lane undefined. Each lane keeps count of both,
 * so that only inputs that have changed are work.
 */
const group =
  (decided: typeof laneFalse | typeof laneTrue): LaneKernel =>
  ({ count, from, to }, { keep, truths }) => {
    const { inputs, lanes, starts } = dependents(count, from)
    const otherwise = decided === laneFalse ? laneTrue : laneFalse
    const weights = new Int32Array(4)
    weights[decided] = deciding
    weights[laneUndefined] = 1
    const before = keep(new Uint8Array(inputs.length).fill(laneUndefined))
    const counts = keep(new Int32Array(count).fill(from.length))
    return () => {
      for (let input = 0; input < inputs.length; input++) {
        const now = truths[inputs[input]!]!
        const was = before[input]!
        if (now === was) continue
        before[input] = now
        const change = weights[now]! - weights[was]!
        for (let at = starts[input]!; at < starts[input + 1]!; at++) {
          const lane = lanes[at]!
          const counted = counts[lane]! + change
          counts[lane] = counted
          truths[to[lane]!] =
            counted === 0 ? otherwise : counted >= deciding ? decided : laneUndefined
        }
      }
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
  all: group(laneFalse),
  any: group(laneTrue),
  not,
  hours: clock("hours"),
  weekdays: clock("weekdays")
} as const satisfies Record<string, LaneKernel>
