/**
 * Lanes that remember a window: the steps of `kernel/rolling.ts` with their rings in shared arrays.
 *
 * @since 0.1.0
 */
import { isCancelled } from "../../kernel/rolling.ts"
import { scaleWith, toWhole, wholeMax } from "../../kernel/wholes.ts"
import { type LaneKernel, ringStarts } from "./LaneGroup.ts"

/** Sum of a lane's ring, from its oldest value on. */
const ringSum = (
  rings: Float64Array,
  start: number,
  at: number,
  count: number,
  period: number
): number => {
  let sum = 0
  if (count === period) for (let index = at; index < count; index++) sum += rings[start + index]!
  const end = count === period ? at : count
  for (let index = 0; index < end; index++) sum += rings[start + index]!
  return sum
}

const mean: LaneKernel = ({ count, from: [inputs], settings, to }, { keep, values }) => {
  const slots = inputs!
  const periods = settings[0]!
  const { length, starts } = ringStarts(periods)
  const rings = keep(new Float64Array(length))
  const ats = keep(new Int32Array(count))
  const counts = keep(new Int32Array(count))
  const sums = keep(new Float64Array(count))
  /** The factor that makes the values whole numbers; 0 where doubles are summed. */
  const scales = keep(new Float64Array(count).fill(1))
  const largest = keep(new Float64Array(count))
  const maxima = periods.map(wholeMax)
  return () => {
    for (let lane = 0; lane < count; lane++) {
      const value = values[slots[lane]!]!
      const result = to[lane]!
      if (Number.isNaN(value)) {
        counts[lane] = 0
        ats[lane] = 0
        sums[lane] = 0
        scales[lane] = 1
        largest[lane] = 0
        values[result] = Number.NaN
        continue
      }
      const period = periods[lane]!
      const start = starts[lane]!
      const place = start + ats[lane]!
      const isFull = counts[lane] === period
      const leaving = isFull ? rings[place]! : 0
      rings[place] = value
      const at = ats[lane]! + 1 === period ? 0 : ats[lane]! + 1
      ats[lane] = at
      if (!isFull) counts[lane]! += 1
      const seen = counts[lane]!
      const scale = scales[lane]!
      if (scale > 0) {
        const most = Math.max(largest[lane]!, Math.abs(value))
        largest[lane] = most
        const next = scaleWith(value, scale, most, maxima[lane]!)
        scales[lane] = next
        if (next > 0) {
          const change = toWhole(value, next) - toWhole(leaving, next)
          const sum = sums[lane]! * (next / scale) + change
          sums[lane] = sum
          values[result] = seen < period ? Number.NaN : sum / (period * next)
          continue
        }
        sums[lane] = ringSum(rings, start, at, seen, period)
      } else if (isFull && at === 0) sums[lane] = ringSum(rings, start, 0, period, period)
      else sums[lane]! += isFull ? value - leaving : value
      values[result] = seen < period ? Number.NaN : sums[lane]! / period
    }
  }
}

/** The memory of lanes on their rings: deviations from an origin, and the squares of these. */
interface Deviations {
  readonly rings: Float64Array
  readonly origins: Float64Array
  readonly sums: Float64Array
  readonly squareSums: Float64Array
  /** Squares since the origin was set, also of values that have left. */
  readonly gathered: Float64Array
}

/** Sets a lane's origin to the mean of its ring; the deviation of the ring comes back. */
const beginAnew = (
  { gathered, origins, rings, squareSums, sums }: Deviations,
  lane: number,
  start: number,
  period: number
): number => {
  let total = 0
  for (let index = start; index < start + period; index++) total += rings[index]!
  const origin = total / period
  let sum = 0
  let squares = 0
  for (let index = start; index < start + period; index++) {
    const deviation = rings[index]! - origin
    sum += deviation
    squares += deviation * deviation
  }
  origins[lane] = origin
  sums[lane] = sum
  squareSums[lane] = squares
  gathered[lane] = squares
  return Math.sqrt(squares * (1 / period))
}

/** The deviation of a full ring by nothing but its values, from the oldest one on. */
const aloneFrom = (rings: Float64Array, start: number, at: number, period: number): number => {
  let total = 0
  for (let index = at; index < period; index++) total += rings[start + index]!
  for (let index = 0; index < at; index++) total += rings[start + index]!
  const average = total / period
  let around = 0
  for (let index = 0; index < period; index++) {
    const slot = at + index
    const deviation = rings[start + (slot < period ? slot : slot - period)]! - average
    around += deviation * deviation
  }
  return Math.sqrt(around * (1 / period))
}

const stdev: LaneKernel = ({ count, from: [inputs], settings, to }, { keep, values }) => {
  const slots = inputs!
  const periods = settings[0]!
  const { length, starts } = ringStarts(periods)
  const rings = keep(new Float64Array(length))
  const ats = keep(new Int32Array(count))
  const counts = keep(new Int32Array(count))
  const origins = keep(new Float64Array(count))
  const sums = keep(new Float64Array(count))
  const squareSums = keep(new Float64Array(count))
  const gathered = keep(new Float64Array(count))
  const around: Deviations = { rings, origins, sums, squareSums, gathered }
  return () => {
    for (let lane = 0; lane < count; lane++) {
      const value = values[slots[lane]!]!
      const result = to[lane]!
      if (Number.isNaN(value)) {
        counts[lane] = 0
        ats[lane] = 0
        values[result] = Number.NaN
        continue
      }
      const period = periods[lane]!
      const start = starts[lane]!
      const place = start + ats[lane]!
      const entering = value - origins[lane]!
      const leaving = rings[place]! - origins[lane]!
      rings[place] = value
      const at = ats[lane]! + 1 === period ? 0 : ats[lane]! + 1
      ats[lane] = at
      if (counts[lane]! < period) counts[lane]! += 1
      if (counts[lane]! < period) {
        values[result] = Number.NaN
        continue
      }
      if (at === 0) {
        values[result] = beginAnew(around, lane, start, period)
        continue
      }
      const square = entering * entering
      const sum = sums[lane]! + (entering - leaving)
      const squares = squareSums[lane]! + (square - leaving * leaving)
      const all = gathered[lane]! + square
      sums[lane] = sum
      squareSums[lane] = squares
      gathered[lane] = all
      const share = 1 / period
      const left = squares - sum * sum * share
      values[result] = isCancelled(left, all)
        ? aloneFrom(rings, start, at, period)
        : Math.sqrt(left * share)
    }
  }
}

const extreme =
  (sign: 1 | -1): LaneKernel =>
  ({ count, from: [inputs], settings, to }, { keep, values }) => {
    const slots = inputs!
    const periods = settings[0]!
    const { length, starts } = ringStarts(periods)
    const queued = keep(new Float64Array(length))
    const queuedAt = keep(new Float64Array(length))
    const heads = keep(new Int32Array(count))
    const sizes = keep(new Int32Array(count))
    const positions = keep(new Float64Array(count))
    return () => {
      for (let lane = 0; lane < count; lane++) {
        const value = values[slots[lane]!]!
        if (Number.isNaN(value)) {
          sizes[lane] = 0
          positions[lane] = 0
          values[to[lane]!] = Number.NaN
          continue
        }
        const period = periods[lane]!
        const start = starts[lane]!
        const position = positions[lane]!
        let head = heads[lane]!
        let size = sizes[lane]!
        if (size > 0 && queuedAt[start + head]! <= position - period) {
          head = (head + 1) % period
          size--
        }
        while (size > 0) {
          const last = queued[start + ((head + size - 1) % period)]!
          if ((last - value) * sign > 0) break
          size--
        }
        const tail = start + ((head + size) % period)
        queued[tail] = value
        queuedAt[tail] = position
        heads[lane] = head
        sizes[lane] = size + 1
        positions[lane] = position + 1
        values[to[lane]!] = position + 1 < period ? Number.NaN : queued[start + head]!
      }
    }
  }

const shift: LaneKernel = ({ count, from: [inputs], settings, to }, { keep, values }) => {
  const slots = inputs!
  const distances = settings[0]!
  const { length, starts } = ringStarts(distances)
  const rings = keep(new Float64Array(length).fill(Number.NaN))
  const ats = keep(new Int32Array(count))
  return () => {
    for (let lane = 0; lane < count; lane++) {
      const place = starts[lane]! + ats[lane]!
      values[to[lane]!] = rings[place]!
      rings[place] = values[slots[lane]!]!
      ats[lane] = ats[lane]! + 1 === distances[lane]! ? 0 : ats[lane]! + 1
    }
  }
}

const smoothed: LaneKernel = ({ count, from: [inputs], settings, to }, { keep, values }) => {
  const slots = inputs!
  const periods = settings[0]!
  const weights = settings[1]!
  const counts = keep(new Int32Array(count))
  /** The sum while an average begins, then the average. */
  const averages = keep(new Float64Array(count))
  return () => {
    for (let lane = 0; lane < count; lane++) {
      const value = values[slots[lane]!]!
      if (Number.isNaN(value)) {
        counts[lane] = 0
        averages[lane] = 0
        values[to[lane]!] = Number.NaN
        continue
      }
      const seen = counts[lane]!
      const average = averages[lane]!
      if (seen < periods[lane]!) {
        const sum = average + value
        const isFull = seen + 1 === periods[lane]!
        counts[lane] = seen + 1
        averages[lane] = isFull ? sum / periods[lane]! : sum
        values[to[lane]!] = isFull ? sum / periods[lane]! : Number.NaN
        continue
      }
      const next = average + weights[lane]! * (value - average)
      averages[lane] = next
      values[to[lane]!] = next
    }
  }
}

/** Kernels by kind. @category kernels @since 0.1.0 */
export const rollingLanes = {
  mean,
  stdev,
  highest: extreme(1),
  lowest: extreme(-1),
  shift,
  smoothed
} as const satisfies Record<string, LaneKernel>
