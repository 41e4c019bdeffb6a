/**
 * The verdict on a row's times, against its rivals and its baseline.
 */
import type { Timing } from "../measure.ts"
import type { Baseline } from "./baseline.ts"
import type { Goal, LoopRow } from "./LoopRow.ts"

/** Times of a row, equal results given. */
export interface LoopTimes {
  readonly naive: Timing
  /** Null where ours can't say the work. */
  readonly ours: Timing | null
  readonly others: ReadonlyArray<Timing>
  readonly refusal: string | null
}

/** Whether a goal was reached, and at what ratio; null where there is none. */
export interface Judgement {
  readonly goal: Goal
  readonly ratio: number | null
  readonly isMet: boolean
}

/** How much slower than its baseline a row may be before it is told. */
const slowerMax = 1.25

/** How many times ours the naive loop took, or null. */
export const naiveOverOurs = ({ naive, ours }: LoopTimes): number | null =>
  ours === null ? null : naive.nsPerUnit / ours.nsPerUnit

/** How many times ours the rival of a goal took; vectorbt as of the baseline where it did not run. */
const ratioOf = (
  { rival }: Goal,
  times: LoopTimes,
  baseline: Baseline | undefined
): number | null => {
  const { naive, others, ours } = times
  const overOurs = naiveOverOurs(times)
  if (ours === null || overOurs === null) return null
  const timed = [naive, ...others].find(({ name }) => name === rival)
  if (timed !== undefined) return timed.nsPerUnit / ours.nsPerUnit
  if (rival === "vectorbt") {
    const kept = baseline?.vectorbtOverNaive ?? null
    return kept === null ? null : kept * overOurs
  }
  const kept = baseline?.naiveOverOurs ?? null
  return rival === "the baseline" && kept !== null ? overOurs / kept : null
}

/** Judges one goal; what is refused is missed, however fast what stands in for it is. */
export const judgeGoal = (
  goal: Goal,
  times: LoopTimes,
  baseline: Baseline | undefined
): Judgement => {
  const ratio = ratioOf(goal, times, baseline)
  return { goal, ratio, isMet: times.refusal === null && ratio !== null && ratio >= goal.times }
}

/** Both goals of a row. */
export const judgeLoops = (row: LoopRow, times: LoopTimes, baseline: Baseline | undefined) => ({
  must: judgeGoal(row.must, times, baseline),
  aim: judgeGoal(row.aim, times, baseline)
})

/** Whether ours takes longer, held to the naive loop, than when the row was built. */
export const isSlower = (times: LoopTimes, baseline: Baseline | undefined): boolean => {
  const [now, kept] = [naiveOverOurs(times), baseline?.naiveOverOurs ?? null]
  return now !== null && kept !== null && now * slowerMax < kept
}
