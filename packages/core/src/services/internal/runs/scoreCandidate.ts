/**
 * How good a candidate is on the candles that choose, and what tells it from others.
 *
 * @since 0.1.0
 */
import {
  type Measurement,
  measureOne,
  scoreOf,
  toEquityMeasurement,
  toMeasurement
} from "../../../domain/Metric.ts"
import type { Objective } from "../../../domain/Objective.ts"
import { timeframeMs } from "../../../domain/Timeframe.ts"
import { defaultValues } from "../../../interpreters/searchSpace.ts"
import type { Simulation } from "../../../kernel/simulate.ts"
import type { Candidate, CandidateRef } from "../candidates.ts"
import type { Family } from "../candidateRules.ts"
import { simulateTask, type TaskSetting } from "./simulateTask.ts"

/** Fewest closed positions of a candidate that may be chosen. */
export const eligiblePositionsMin = 30

/** What is known of a candidate after training. */
export interface ScoredCandidate extends CandidateRef {
  readonly family: Family
  readonly positionCount: number
  readonly isEligible: boolean
  /**
   * The objective on the worse half of training, higher always better; null where there is none.
   */
  readonly score: number | null
  /** Equal for candidates that traded alike. */
  readonly fingerprint: string
}

const mix = (hash: number, value: number): number => Math.imul(hash ^ value, 0x01000193)

/** A hash of what was traded when, in which direction. */
export const fingerprintOf = ({ closed }: Pick<Simulation, "closed">): string => {
  let first = 0x811c9dc5
  let second = 0x9e3779b9
  for (const { direction, entryIndex, exitIndex, market } of closed) {
    for (const value of [market, direction, entryIndex, exitIndex]) {
      first = mix(first, value)
      second = mix(second ^ (second >>> 13), value)
    }
  }
  const hex = (hash: number): string => (hash >>> 0).toString(16).padStart(8, "0")
  return `${closed.length}-${hex(first)}${hex(second)}`
}

/**
 * What the steps `from` to `to` of a simulation are measured from; a position counts where it was
 * closed.
 */
const stretchOf = (
  simulation: Simulation,
  setting: TaskSetting,
  from: number,
  to: number
): Measurement => {
  const { closed, equity, notional, time } = simulation
  const startTime = time[from] ?? Infinity
  const endTime = time[to] ?? Infinity
  const inside = closed.filter(({ exitTime }) => exitTime >= startTime && exitTime < endTime)
  return {
    ...toEquityMeasurement(
      time.subarray(from, to),
      equity.subarray(from, to),
      from === 0 ? setting.capital : equity[from - 1]!,
      timeframeMs(setting.timeframe)
    ),
    notional: notional.subarray(from, to),
    pnls: inside.map(({ pnl }) => pnl),
    positionReturns: inside.map(({ returnRate }) => returnRate),
    heldCounts: inside.map(({ entryIndex, exitIndex }) => exitIndex - entryIndex)
  }
}

/**
 * The objective on the worse half of what was simulated: what did well only once is not worth
 * choosing.
 */
const worseHalf = (simulation: Simulation, setting: TaskSetting, objective: Objective): number => {
  const { length } = simulation.time
  const middle = Math.floor(length / 2)
  const scoreIn = (from: number, to: number): number =>
    scoreOf(objective, measureOne(objective, stretchOf(simulation, setting, from, to)))
  return Math.min(scoreIn(0, middle), scoreIn(middle, length))
}

/** Trains a candidate: simulates it on the candles that choose, and nothing else. */
export const scoreCandidate = (
  setting: TaskSetting,
  ref: CandidateRef,
  { definition, family }: Candidate,
  options: { readonly objective: Objective; readonly drawdownMax: number }
): ScoredCandidate => {
  const simulation = simulateTask(setting, definition, defaultValues(definition), () => false)
  const measurement = toMeasurement(simulation, setting.capital, timeframeMs(setting.timeframe))
  const drawdown = measureOne("max_drawdown", measurement) ?? 0
  const score = worseHalf(simulation, setting, options.objective)
  const positionCount = simulation.closed.length
  return {
    ...ref,
    family,
    positionCount,
    isEligible:
      positionCount >= eligiblePositionsMin &&
      drawdown <= options.drawdownMax &&
      Number.isFinite(score),
    score: Number.isFinite(score) ? score : null,
    fingerprint: fingerprintOf(simulation)
  }
}

const ahead = (left: ScoredCandidate, right: ScoredCandidate): number =>
  (right.score ?? -Infinity) > (left.score ?? -Infinity)
    ? 1
    : (right.score ?? -Infinity) < (left.score ?? -Infinity)
      ? -1
      : left.index - right.index

/** The candidates that differ in what they traded, each by its lowest index, best first. */
export const rankDistinct = (
  scored: ReadonlyArray<ScoredCandidate>
): ReadonlyArray<ScoredCandidate> => {
  const byFingerprint = new Map<string, ScoredCandidate>()
  for (const one of scored.toSorted((left, right) => left.index - right.index)) {
    if (!byFingerprint.has(one.fingerprint)) byFingerprint.set(one.fingerprint, one)
  }
  return [...byFingerprint.values()].toSorted(ahead)
}

const fewPositionsMin = 5

/**
 * The candidate that training chooses: the best eligible one; without any, the best with five
 * positions or more; else the one with the most positions.
 */
export const chooseCandidate = (ranked: ReadonlyArray<ScoredCandidate>): ScoredCandidate | null =>
  ranked.find(({ isEligible }) => isEligible) ??
  ranked.find(({ positionCount }) => positionCount >= fewPositionsMin) ??
  ranked.toSorted(
    (left, right) => right.positionCount - left.positionCount || left.index - right.index
  )[0] ??
  null
