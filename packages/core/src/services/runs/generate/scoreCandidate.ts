/**
 * The score of a candidate on the candles that choose, and the mark that tells it from others.
 *
 * @since 0.1.0
 */
import { defaultValues, measureOne, type Objective, scoreOf } from "@candlewick/engine"
import { maxDrawdown } from "@candlewick/engine/kernel"
import type { StrategyCandidate, CandidateRef } from "./candidates.ts"
import type { Family } from "./candidateRules.ts"
import { simulateTask, type TaskSetting } from "../workers/simulateTask.ts"
import { stretchOf, type TaskRun, runTaskByEvents } from "../workers/runTaskByEvents.ts"

/** Fewest closed positions of a candidate that may be chosen. */
export const eligiblePositionsMin = 30

/** The facts of a candidate after training. */
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
  /** Why it went candle by candle, or null where it did not. */
  readonly plainReason: string | null
}

const mix = (hash: number, value: number): number => Math.imul(hash ^ value, 0x01000193)

/** A hash of the entries: their times and directions. */
export const roundTripHash = ({ closed }: Pick<TaskRun, "closed">): string => {
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
 * The objective on the worse half of the round trips. A candidate that did well only once is not
 * worth choosing.
 */
const worseHalf = (run: TaskRun, setting: TaskSetting, objective: Objective): number => {
  const { length } = run.time
  const middle = Math.floor(length / 2)
  const scoreIn = (from: number, to: number): number =>
    scoreOf(objective, measureOne(objective, stretchOf(run, setting, from, to)))
  return Math.min(scoreIn(0, middle), scoreIn(middle, length))
}

/** How scores are made. */
interface Scoring {
  readonly objective: Objective
  readonly drawdownMax: number
}

/** A candidate as one looks it up, and as it is. */
export interface DrawnCandidate extends StrategyCandidate {
  readonly ref: CandidateRef
}

const toScored = (
  setting: TaskSetting,
  { family, ref }: DrawnCandidate,
  run: TaskRun,
  plainReason: string | null,
  options: Scoring
): ScoredCandidate => {
  const drawdown = maxDrawdown(setting.capital, run.equity).rate
  const score = worseHalf(run, setting, options.objective)
  const positionCount = run.closed.length
  return {
    ...ref,
    family,
    positionCount,
    isEligible:
      positionCount >= eligiblePositionsMin &&
      drawdown <= options.drawdownMax &&
      Number.isFinite(score),
    score: Number.isFinite(score) ? score : null,
    fingerprint: roundTripHash(run),
    plainReason
  }
}

/**
 * Trains candidates: trades them on the candles that choose, and nothing else. Candidates that are
 * left when it is stopped are missing.
 */
export const scoreCandidates = (
  setting: TaskSetting,
  drawn: ReadonlyArray<DrawnCandidate>,
  options: Scoring,
  shouldStop: () => boolean
): ReadonlyArray<ScoredCandidate> => {
  const runs = drawn.map(({ definition }) => ({ definition, values: defaultValues(definition) }))
  const scored: Array<ScoredCandidate> = []
  runTaskByEvents(setting, runs, (outcome, at) => {
    if (shouldStop()) return
    const { definition, values } = runs[at]!
    const [run, plainReason] =
      "closed" in outcome
        ? [outcome, null]
        : [simulateTask(setting, definition, values, () => false), outcome.plainReason]
    scored.push(toScored(setting, drawn[at]!, run, plainReason, options))
  })
  return scored
}

const ahead = (left: ScoredCandidate, right: ScoredCandidate): number =>
  (right.score ?? -Infinity) > (left.score ?? -Infinity)
    ? 1
    : (right.score ?? -Infinity) < (left.score ?? -Infinity)
      ? -1
      : left.index - right.index

/** The candidates that differ in their round trips, each by its lowest index, best first. */
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
