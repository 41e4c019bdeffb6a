/**
 * The probability that choosing the best of many backtests chose luck.
 *
 * After D. Bailey, J. Borwein, M. López de Prado and Q. Zhu, "The probability of backtest
 * overfitting": combinatorially symmetric cross-validation.
 *
 * @since 0.1.0
 */
import { isSpread, arithmeticMean, variance } from "../statistics.ts"
import { beta } from "./beta.ts"
import { correlation } from "./correlation.ts"

/** The worth, out of sample, of choosing the best in sample. @category models @since 0.1.0 */
export interface BacktestOverfitting {
  /** Share of the splits whose best in sample is at or below the median out of sample. */
  readonly probability: number
  /** Share of the splits whose best in sample has a Sharpe ratio below 0 out of sample. */
  readonly lossProbability: number
  /**
   * Logit of the rank out of sample of each split's best, from worst to best; below 0 where that is
   * below the median. Splits are in the order of the blocks that are in sample: 0 and 1, 0 and 2…
   */
  readonly logits: Float64Array
  /** The straight line from the best's Sharpe ratio in sample to that out of sample. */
  readonly degradation: {
    /** NaN where the ratios in sample do not vary, as are the other two. */
    readonly slope: number
    readonly intercept: number
    readonly rSquared: number
  }
}

/**
 * Means of a trial's blocks of returns, and sums of the squared deviations from them.
 *
 * @category models
 * @since 0.1.0
 */
export interface BlockSums {
  readonly means: Float64Array
  readonly squares: Float64Array
  /** The returns of a block. */
  readonly length: number
}

/** There are 2 704 156 ways to choose half of 24 blocks. */
const blocksMax = 24

const blocksOf = (column: ArrayLike<number>, count: number, length: number): BlockSums => {
  const means = new Float64Array(count)
  const squares = new Float64Array(count)
  const dropped = column.length - count * length
  const returns = Float64Array.from(column).subarray(dropped)
  for (let block = 0; block < count; block++) {
    const part = returns.subarray(block * length, (block + 1) * length)
    means[block] = arithmeticMean(part)
    squares[block] = variance(part, 0) * length
    if (!Number.isFinite(squares[block])) throw new RangeError("a return is no finite number")
  }
  return { means, squares, length }
}

/** Sharpe ratio of one half of the blocks; 0 where its returns do not vary. */
const ratioOf = (
  { length, means, squares }: BlockSums,
  halves: Uint8Array,
  half: 0 | 1
): number => {
  const { length: count } = means
  let sum = 0
  for (let block = 0; block < count; block++) if (halves[block] === half) sum += means[block]!
  const average = sum / (count / 2)
  let spread = 0
  for (let block = 0; block < count; block++) {
    if (halves[block] !== half) continue
    spread += squares[block]! + length * (means[block]! - average) ** 2
  }
  const deviation = Math.sqrt(spread / ((count / 2) * length - 1))
  return isSpread(deviation, average) ? average / deviation : 0
}

/** Goes on to the next choice in the order of its blocks; false after the last one. */
const advance = (chosen: Array<number>, count: number): boolean => {
  let at = chosen.length - 1
  while (at >= 0 && chosen[at] === count - chosen.length + at) at--
  if (at < 0) return false
  for (let next = chosen[at]! + 1; at < chosen.length; at++, next++) chosen[at] = next
  return true
}

/** The rank of one of the values from the smallest, 1, on; equal ones share the mean of theirs. */
const rankAmong = (values: Float64Array, at: number): number => {
  const value = values[at]!
  let below = 0
  let equal = 0
  for (const other of values) {
    if (other < value) below++
    else if (other === value) equal++
  }
  return below + (equal + 1) / 2
}

/**
 * Probability that the best of many backtests is no better than their median on the candles that
 * did not choose it.
 *
 * **Details**
 *
 * `columns` are the returns of each trial, period for period of the same time: of every parameter
 * set tried, not only of the kept ones. They are cut into `blocks` equal parts, without the first
 * returns that are left over. Each choice of half of these is once in sample and the rest out of
 * sample. The best in sample has the highest Sharpe ratio (ddof 1), the first of equal ones. With
 * its rank `r` out of sample among `n` trials, the logit is `ln(r / (n + 1 - r))`. A trial whose
 * returns do not vary in a half has a ratio of 0 there.
 *
 * **Example** (Three trials, of which none is better than the others for long)
 *
 * ```ts
 * import { backtestOverfitting } from "@candlewick/engine/kernel"
 *
 * const trials = [
 *   [0.03, 0.01, -0.02, -0.01, 0.02, -0.01, 0.01, -0.03],
 *   [-0.01, -0.02, 0.03, 0.01, -0.01, 0.02, -0.02, 0.01],
 *   [0.01, -0.01, 0.01, -0.02, -0.03, 0.01, 0.02, 0.02]
 * ]
 * const { probability } = backtestOverfitting(trials, 4)
 * console.log(probability) // => 1
 * ```
 *
 * @throws RangeError where `blocks` is not an even number from 2 to 24, where there are fewer than
 * two columns, where these differ in length or have fewer returns than blocks or than four, and
 * where a return is not finite.
 * @category metrics
 * @since 0.1.0
 */
export const backtestOverfitting = (
  columns: ReadonlyArray<ArrayLike<number>>,
  blocks = 16
): BacktestOverfitting => {
  const length = checkedLength(columns, blocks)
  return overfittingOf(columns.map((column) => blocksOf(column, blocks, length)))
}

/**
 * The returns of one trial for `overfittingOf`, which needs no more of them; null where they are
 * fewer than the blocks, or than four.
 *
 * @category metrics
 * @since 0.1.0
 */
export const overfittingBlocks = (returns: ArrayLike<number>, blocks: number): BlockSums | null =>
  returns.length < Math.max(blocks, 4)
    ? null
    : blocksOf(returns, blocks, Math.floor(returns.length / blocks))

/**
 * The same from the blocks of two trials at least, which have as many of them and as long ones.
 *
 * @category metrics
 * @since 0.1.0
 */
export const overfittingOf = (trials: ReadonlyArray<BlockSums>): BacktestOverfitting => {
  const blocks = trials[0]!.means.length
  const chosen = Array.from({ length: blocks / 2 }, (_, block) => block)
  const halves = new Uint8Array(blocks)
  const inside: Array<number> = []
  const outside: Array<number> = []
  const logits: Array<number> = []
  do {
    halves.fill(0)
    for (const block of chosen) halves[block] = 1
    const known = Float64Array.from(trials, (trial) => ratioOf(trial, halves, 1))
    const unknown = Float64Array.from(trials, (trial) => ratioOf(trial, halves, 0))
    const best = known.reduce((most, ratio, at) => (ratio > known[most]! ? at : most), 0)
    const rank = rankAmong(unknown, best)
    inside.push(known[best]!)
    outside.push(unknown[best]!)
    logits.push(Math.log(rank / (trials.length + 1 - rank)))
  } while (advance(chosen, blocks))
  const slope = beta(outside, inside)
  return {
    probability: shareOf(logits, (logit) => logit <= 0),
    lossProbability: shareOf(outside, (ratio) => ratio < 0),
    logits: Float64Array.from(logits),
    degradation: {
      slope,
      intercept: arithmeticMean(outside) - slope * arithmeticMean(inside),
      rSquared: Number.isNaN(slope) ? Number.NaN : correlation(outside, inside) ** 2
    }
  }
}

const shareOf = (values: ReadonlyArray<number>, holds: (value: number) => boolean): number =>
  values.filter(holds).length / values.length

/** The returns of a block. */
const checkedLength = (columns: ReadonlyArray<ArrayLike<number>>, blocks: number): number => {
  if (!(blocks >= 2 && blocks <= blocksMax && blocks % 2 === 0)) {
    throw new RangeError(`blocks must be an even number from 2 to ${blocksMax}`)
  }
  const [first, ...others] = columns
  if (first === undefined || others.length === 0) {
    throw new RangeError("overfitting needs two trials at least")
  }
  if (others.some((column) => column.length !== first.length)) {
    throw new RangeError("the trials must have as many returns as each other")
  }
  if (first.length < Math.max(blocks, 4)) {
    throw new RangeError(`${first.length} returns are too few for ${blocks} blocks`)
  }
  return Math.floor(first.length / blocks)
}
