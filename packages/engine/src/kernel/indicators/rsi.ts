/**
 * Relative strength index, from 0 to 100.
 *
 * @since 0.1.0
 */
import { chunkLength, firstValueAt } from "../rollingColumns.ts"
import { makeArrayTiles } from "../vectors/arrayTiles.ts"
import { followStretches, stretchesMin } from "../vectors/followStretches.ts"
import { smoothedStep } from "./ema.ts"
import type { ColumnsInto, IndicatorStep } from "./IndicatorStep.ts"

/**
 * A change upwards, nought for one downwards; without a branch, which prices would mispredict.
 *
 * @category indicators
 * @since 0.1.0
 */
export const rise = (change: number): number => (change + Math.abs(change)) * 0.5

/** The part of gains in all moves, from 0 to 100. @category indicators @since 0.1.0 */
export const gainShare = (gain: number, loss: number): number => {
  const sum = gain + loss
  return sum === 0 ? 0 : (100 * gain) / sum
}

/** A move without end is not a move. @category indicators @since 0.1.0 */
export const finiteOrNaN = (change: number): number =>
  Number.isFinite(change) ? change : Number.NaN

/** Index of the first value. @category indicators @since 0.1.0 */
export const rsiWarmup = (period: number): number => period

/**
 * Wilder's average gain against average loss, one value at a time.
 *
 * **Gotchas**
 *
 * A series that has not moved at all has the value 0: there is no gain.
 *
 * @category indicators
 * @since 0.1.0
 */
export const rsiStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const gains = smoothedStep(period!, 1 / period!)
  const losses = smoothedStep(period!, 1 / period!)
  let before = Number.NaN
  return (inputs, outputs) => {
    const value = inputs[0]!
    const change = finiteOrNaN(value - before)
    before = value
    outputs[0] = gainShare(gains(rise(change)), losses(rise(-change)))
  }
}

/** Goes on from the averages of gain and loss; returns where it ends, at a gap at the latest. */
const followMoves = (
  column: Float64Array,
  values: Float64Array,
  from: number,
  until: number,
  weight: number,
  averages: Float64Array
): number => {
  let gain = averages[0]!
  let loss = averages[1]!
  let before = values[from - 1]!
  let index = from
  for (; index < until; index++) {
    const change = values[index]! - before
    if (!Number.isFinite(change)) break
    before = values[index]!
    gain += weight * (rise(change) - gain)
    loss += weight * (rise(-change) - loss)
    column[index] = gainShare(gain, loss)
  }
  averages[0] = gain
  averages[1] = loss
  return index
}

/** All values of a long column without gaps, in stretches side by side; false if it is none. */
const movesSideBySide = (column: Float64Array, values: Float64Array, period: number): boolean => {
  const { length } = values
  const start = firstValueAt(values)
  const first = start + period
  const tiles = length - first <= stretchesMin ? null : makeArrayTiles([values], [column])
  if (tiles === null) return false
  const { addresses, functions, statesAt } = tiles
  let gain = 0
  let loss = 0
  for (let index = start + 1; index <= first; index++) {
    const change = values[index]! - values[index - 1]!
    gain += rise(change)
    loss += rise(-change)
  }
  gain /= period
  loss /= period
  column.fill(Number.NaN, 0, first)
  column[first] = gainShare(gain, loss)
  return followStretches(tiles, first + 1, length, [gain, loss], (count, apart) =>
    functions.followMoves(addresses[0]!, addresses[1]!, apart, count, 1 / period, statesAt)
  )
}

/** Relative strength index of a whole series. @category indicators @since 0.1.0 */
export const rsiColumn = (
  [source]: ReadonlyArray<Float64Array>,
  [period]: ReadonlyArray<number>,
  [into]: ColumnsInto = []
): ReadonlyArray<Float64Array> => {
  const values = source!
  const count = period!
  const { length } = values
  const column = into ?? new Float64Array(length)
  if (movesSideBySide(column, values, count)) return [column]
  const weight = 1 / count
  const averages = new Float64Array(2)
  let index = 0
  while (index < length) {
    let before = index === 0 ? Number.NaN : values[index - 1]!
    let gain = 0
    let loss = 0
    let seen = 0
    for (; index < length && seen < count; index++) {
      const change = values[index]! - before
      before = values[index]!
      column[index] = Number.NaN
      if (!Number.isFinite(change)) {
        gain = 0
        loss = 0
        seen = 0
        continue
      }
      gain += rise(change)
      loss += rise(-change)
      seen++
    }
    if (seen < count) break
    averages[0] = gain / count
    averages[1] = loss / count
    column[index - 1] = gainShare(averages[0], averages[1])
    let until = index
    while (index === until && index < length) {
      until = Math.min(index + chunkLength, length)
      index = followMoves(column, values, index, until, weight, averages)
    }
  }
  return [column]
}
