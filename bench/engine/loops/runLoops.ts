/**
 * Runs rows: equal results first, then every side in turns.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import { benchmarkCandles, otherSeed } from "../candles.ts"
import type { Comparison } from "../compare.ts"
import { measure, type Side, type Timing } from "../measure.ts"
import type { PythonPeers } from "../peers/python/PythonPeers.ts"
import type { LoopTimes } from "./judgeLoops.ts"
import type { LoopRow, OpenRow } from "./LoopRow.ts"

/** Half a year of minutes: half a million doubles a column are more than a cache holds. */
export const loopCandleCount = 262_144

/** Sets of a sweep. */
export const setCount = 20

/** Candles and calls after which V8 has compiled a loop for good: short calls, but many. */
const settlingCandles = 4_000
const settlingCalls = 300

/** Each side's turn: in a short one it clears away what the side before it left. */
const turnMs = 400

/** The series of a run. */
export interface LoopSeries {
  readonly candles: CandleColumns
  readonly others: CandleColumns
}

/** A row with what came of it; `times` is null where results differ. */
export interface LoopOutcome {
  readonly row: LoopRow
  readonly figures: Float64Array
  readonly comparisons: ReadonlyArray<Comparison>
  readonly times: LoopTimes | null
}

/** The series of so many candles. */
export const makeLoopSeries = (count: number): LoopSeries => ({
  candles: benchmarkCandles(count),
  others: benchmarkCandles(count, otherSeed)
})

const settle = (row: LoopRow, count: number): void => {
  const { naive } = row.open({ ...makeLoopSeries(count), setCount: 4, python: null })
  for (let call = 0; call < settlingCalls; call++) naive.run()
}

const timeRow = async (opened: OpenRow, rounds: number): Promise<LoopTimes> => {
  const { naive, others, ours, refusal } = opened
  const sides: ReadonlyArray<Side> = [
    { name: "naive", ...naive },
    ...(ours === null ? [] : [{ name: "ours", ...ours }]),
    ...others
  ]
  const timings = await measure(sides, { rounds, clock: "cpu", callMinMs: turnMs })
  const named = (wanted: string): Timing | undefined => timings.find(({ name }) => name === wanted)
  return {
    naive: named("naive")!,
    ours: named("ours") ?? null,
    others: timings.filter(({ name }) => name !== "naive" && name !== "ours"),
    refusal
  }
}

/** Compares, and times where all is equal. */
export const runLoopRow = async (
  row: LoopRow,
  series: LoopSeries,
  python: PythonPeers | null,
  rounds: number
): Promise<LoopOutcome> => {
  const { length } = series.candles
  const own = row.candleCount === undefined ? series : makeLoopSeries(row.candleCount)
  settle(row, Math.min(settlingCandles, length))
  const opened = row.open({ ...own, setCount, python })
  const comparisons = await opened.compare()
  const { figures } = opened
  const isEqual = comparisons.every((one) => one.isEqual)
  return { row, figures, comparisons, times: isEqual ? await timeRow(opened, rounds) : null }
}
