/**
 * The Python libraries as rivals of a row: compared with ours on a part of the row's runs, and made
 * into sides to be timed.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import { compareFigures, compareTrades, type Comparison } from "../../compare.ts"
import type { Engine, Run, RunSetting } from "../../Engine.ts"
import { formatCount } from "../../format.ts"
import type { Side } from "../../measure.ts"
import { pinnedVersion } from "./findPython.ts"
import type { PythonPeers, PythonWork } from "./PythonPeers.ts"

/** A run whose values both sides understand. */
export interface SharedRun extends Run {
  readonly values: Readonly<Record<string, number>>
}

/** The request of a row to the libraries. */
export interface PythonRow {
  readonly work: PythonWork["work"]
  readonly isGivenColumns: boolean
  /** All at once, as its matrices have it. */
  readonly vectorbtRuns: ReadonlyArray<SharedRun>
  readonly backtestingRun: SharedRun
  /** The description of a run, for the note. */
  readonly noun: string
}

/** Comparisons to be judged before the sides are timed. */
export interface PythonRivals {
  readonly comparisons: ReadonlyArray<Comparison>
  readonly sides: ReadonlyArray<Side>
  readonly notes: ReadonlyArray<string>
}

/** Candles of a run that goes through them one by one in Python; its cost for each is the same. */
const backtestingCandles = 200_000

const firstCandles = (candles: CandleColumns, count: number): CandleColumns => ({
  length: count,
  time: candles.time.subarray(0, count),
  open: candles.open.subarray(0, count),
  high: candles.high.subarray(0, count),
  low: candles.low.subarray(0, count),
  close: candles.close.subarray(0, count),
  volume: candles.volume.subarray(0, count)
})

/** Compares both libraries with ours; nothing at all where there is no Python. */
export const pythonRivals = async (
  python: PythonPeers | null,
  engine: Engine,
  candles: CandleColumns,
  setting: RunSetting,
  { backtestingRun, isGivenColumns, noun, vectorbtRuns, work }: PythonRow
): Promise<PythonRivals> => {
  if (python === null) return { comparisons: [], sides: [], notes: [] }
  const shared = { work, isGivenColumns, fee: setting.feeRate }
  const part = firstCandles(candles, Math.min(candles.length, backtestingCandles))
  const asked = [
    { library: "vectorbt", runs: vectorbtRuns, on: candles },
    { library: "backtesting.py", runs: [backtestingRun], on: part }
  ] as const
  const comparisons: Array<Comparison> = []
  const sides: Array<Side> = []
  for (const { library, on, runs } of asked) {
    const question: PythonWork = {
      ...shared,
      library,
      runs: runs.map(({ values }) => values),
      candleCount: on.length
    }
    const found = await python.result(question)
    const figures = engine.runMany(on, runs, setting)
    const { trades } = engine.backtest(on, runs[0], setting)
    comparisons.push(
      compareFigures(library, figures, found.figures, { hasSharpe: library === "vectorbt" }),
      compareTrades(library, trades, found.trades)
    )
    sides.push({
      name: library,
      units: on.length * runs.length,
      runMs: () => python.ms(question)
    })
  }
  const atOnce =
    vectorbtRuns.length === 1 ? "the same run" : `${vectorbtRuns.length} ${noun} at once`
  const columns = isGivenColumns ? "columns given" : "columns included"
  return {
    comparisons,
    sides,
    notes: [
      `vectorbt ${pinnedVersion("vectorbt")} (numba) ran ${atOnce}, backtesting.py ` +
        `${pinnedVersion("backtesting")} one over the first ${formatCount(part.length)} candles, ` +
        columns
    ]
  }
}
