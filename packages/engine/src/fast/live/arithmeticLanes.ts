/**
 * Lanes without a past of more than one candle.
 *
 * @since 0.1.0
 */
import { seriesOperations } from "../../plan/seriesOperations.ts"
import { trueRange } from "../../kernel/indicators/atr.ts"
import { finiteOrNaN, gainShare, rise } from "../../kernel/indicators/rsi.ts"
import type { LaneKernel } from "./LaneGroup.ts"

const unary =
  (compute: (value: number) => number): LaneKernel =>
  ({ count, from: [inputs], to }, { values }) => {
    const slots = inputs!
    return () => {
      for (let lane = 0; lane < count; lane++) values[to[lane]!] = compute(values[slots[lane]!]!)
    }
  }

const binary =
  (compute: (left: number, right: number) => number): LaneKernel =>
  ({ count, from: [lefts, rights], to }, { values }) => {
    const left = lefts!
    const right = rights!
    return () => {
      for (let lane = 0; lane < count; lane++) {
        values[to[lane]!] = compute(values[left[lane]!]!, values[right[lane]!]!)
      }
    }
  }

/** Most arithmetic is this; a loop of its own spares it the call. */
const sub: LaneKernel = ({ count, from: [lefts, rights], to }, { values }) => {
  const left = lefts!
  const right = rights!
  return () => {
    for (let lane = 0; lane < count; lane++) {
      values[to[lane]!] = values[left[lane]!]! - values[right[lane]!]!
    }
  }
}

const price: LaneKernel = ({ name, to }, { values }) => {
  const read = seriesOperations.price.step([], [], values, name)
  const slot = to[0]!
  return (candle) => {
    values[slot] = read(candle)
  }
}

const constant: LaneKernel = ({ settings: [numbers], to }, { values }) => {
  to.forEach((slot, lane) => (values[slot] = numbers![lane]!))
  return () => undefined
}

const change: LaneKernel = ({ count, from: [inputs], to }, { keep, values }) => {
  const slots = inputs!
  const before = keep(new Float64Array(count).fill(Number.NaN))
  return () => {
    for (let lane = 0; lane < count; lane++) {
      const value = values[slots[lane]!]!
      values[to[lane]!] = finiteOrNaN(value - before[lane]!)
      before[lane] = value
    }
  }
}

const range: LaneKernel = ({ count, from: [highs, lows, closes], to }, { keep, values }) => {
  const [high, low, close] = [highs!, lows!, closes!]
  const before = keep(new Float64Array(count).fill(Number.NaN))
  return () => {
    for (let lane = 0; lane < count; lane++) {
      values[to[lane]!] = trueRange(values[high[lane]!]!, values[low[lane]!]!, before[lane]!)
      before[lane] = values[close[lane]!]!
    }
  }
}

/** Kernels by kind. @category kernels @since 0.1.0 */
export const arithmeticLanes = {
  price,
  constant,
  add: binary((left, right) => left + right),
  sub,
  mul: binary((left, right) => left * right),
  div: binary((left, right) => (right === 0 ? Number.NaN : left / right)),
  min: binary(Math.min),
  max: binary(Math.max),
  abs: unary(Math.abs),
  rise: unary(rise),
  fall: unary((move) => rise(-move)),
  gain_share: binary(gainShare),
  change,
  true_range: range
} as const satisfies Record<string, LaneKernel>
