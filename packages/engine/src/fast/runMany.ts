/**
 * Many runs over one series: time in tiles outside, runs inside.
 *
 * @since 0.1.0
 */
import { type ColumnCache, makeColumnCache } from "../plan/evaluateColumns.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import { checkRuns } from "./checkRuns.ts"
import { planPath, planReplayedPath } from "./planPath.ts"
import {
  type EngineFigures,
  type EngineOptions,
  type EngineRun,
  type EngineRoundTrips,
  figureCount,
  type PlainRun
} from "./Run.ts"
import { runPlain } from "./runPlain.ts"
import type { IndexedRun } from "./RunGroup.ts"
import { type OnRoundTrips, runTiles } from "./runTiles.ts"
import { toRoundTrips } from "./toRoundTrips.ts"

/** Bytes of whole columns that are kept at once. */
const columnMaxBytes = 512 * 1_048_576

/** Figures of runs, and which of them take the plain path. @category models @since 0.1.0 */
export interface FiguresWithReasons {
  readonly figures: EngineFigures
  /**
   * Entries of each run that were not ordered, as their size was less than a lot or worth less than
   * the minimum notional.
   */
  readonly tooSmallCounts: Float64Array
  readonly plain: ReadonlyArray<PlainRun>
}

const runFastOver = (
  candles: CandleColumns,
  shared: ColumnCache | null,
  runs: ReadonlyArray<EngineRun>,
  options: EngineOptions,
  onRoundTrips: OnRoundTrips | null,
  pathOf: typeof planPath = planPath
): FiguresWithReasons => {
  checkRuns(candles, runs, options)
  const { length } = candles
  const figures = new Float64Array(runs.length * figureCount)
  const tooSmallCounts = new Float64Array(runs.length)
  const fast: Array<IndexedRun> = []
  const plain: Array<PlainRun> = []
  for (const [index, run] of runs.entries()) {
    const planned = pathOf(run.definition, options.spec)
    if ((options.from ?? 0) >= length) plain.push({ index, reason: "there are no candles" })
    else if (planned.path === "fast") fast.push({ run, index })
    else plain.push({ index, reason: planned.reason })
  }
  const columnsMax = Math.max(16, Math.floor(columnMaxBytes / 8 / Math.max(1, length)))
  const repeated = runTiles(
    candles,
    shared,
    fast,
    options,
    { figures, tooSmallCounts },
    columnsMax,
    onRoundTrips
  )
  return { figures, tooSmallCounts, plain: [...plain, ...repeated] }
}

/**
 * Runs the runs that go from event to event over the candles of a cache. Returns the others, whose
 * figures are zeros.
 *
 * **When to use**
 *
 * Where the caller has a plain path of its own.
 *
 * @category runs
 * @since 0.1.0
 */
export const runFast = (
  cache: ColumnCache,
  runs: ReadonlyArray<EngineRun>,
  options: EngineOptions
): FiguresWithReasons => runFastOver(cache.columns, cache, runs, options, null)

/**
 * Runs like `runFast`, from event to event, and keeps the round trips of each run. The round trips
 * of a run that needs the plain path are null.
 *
 * @category runs
 * @since 0.1.0
 */
export const runWithRoundTrips = (
  cache: ColumnCache,
  runs: ReadonlyArray<EngineRun>,
  options: EngineOptions
): FiguresWithReasons & { readonly trades: ReadonlyArray<EngineRoundTrips | null> } => {
  const tiles = runs.map((): Array<Float64Array> => [])
  const onRoundTrips: OnRoundTrips = (index, trades) => {
    if (trades.length > 0) tiles[index]!.push(trades)
  }
  const done = runFastOver(cache.columns, cache, runs, options, onRoundTrips, planReplayedPath)
  const plain = new Set(done.plain.map(({ index }) => index))
  const trades = tiles.map((one, index) => (plain.has(index) ? null : toRoundTrips(one)))
  return { ...done, trades }
}

/**
 * Runs a list of strategies as `runMany`, and says which of them took the plain path, and why.
 *
 * @category runs
 * @since 0.1.0
 */
export const runWithReasons = (
  candles: CandleColumns,
  runs: ReadonlyArray<EngineRun>,
  options: EngineOptions
): FiguresWithReasons => {
  const done = runFastOver(candles, null, runs, options, null)
  const cache = makeColumnCache(candles)
  for (const { index } of done.plain) {
    const { tooSmallCount } = runPlain(
      cache,
      runs[index]!,
      options,
      done.figures,
      index * figureCount
    )
    done.tooSmallCounts[index] = tooSmallCount
  }
  return done
}

/**
 * Runs a list of strategies with their values over one series.
 *
 * **Details**
 *
 * Parts that runs share are computed once. A run that can't go from event to event takes the plain
 * path; `planPath` shows it beforehand. A few runs turn out to need it only on the way, as shorts
 * that may be liquidated: `runWithReasons` names them and the reason. Positions are the same either
 * way, and figures within 1e-9.
 *
 * **Gotchas**
 *
 * Definitions must have passed `checkStrategy`, and candles `checkCandles`: no price of a candle is
 * above its high or below its low. `strategy` and `candles` of `@candlewick/engine/research` see to
 * both. Neither is checked here. Any other wrong argument, such as an unknown option or a parameter
 * without a value, throws a RangeError that names it.
 *
 * @category runs
 * @since 0.1.0
 */
export const runMany = (
  candles: CandleColumns,
  runs: ReadonlyArray<EngineRun>,
  options: EngineOptions
): EngineFigures => runWithReasons(candles, runs, options).figures
