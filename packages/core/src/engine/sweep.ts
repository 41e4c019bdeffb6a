/**
 * Many runs over one series: time in tiles outside, runs inside.
 *
 * @since 0.1.0
 */
import { type ColumnCache, makeColumnCache } from "../interpreters/evaluateColumns.ts"
import type { ParameterValues } from "../domain/Parameter.ts"
import type { StrategyDefinition } from "../domain/StrategyDefinition.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import { planPath } from "./planPath.ts"
import { type EngineFigures, type EngineOptions, type EngineRun, figureCount } from "./Run.ts"
import { runPlain } from "./runPlain.ts"
import { type IndexedRun, runTiles } from "./runTiles.ts"

/** Bytes of whole columns that are kept at once. */
const columnBytesMax = 512 * 1_048_576

/** What runs from event to event gave. @category models @since 0.1.0 */
export interface FastFigures {
  readonly figures: EngineFigures
  /** Indices of the runs that need the plain path; their figures are zeros. */
  readonly plain: ReadonlyArray<number>
}

/**
 * Runs what goes from event to event over the candles of a cache, and says what is left.
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
): FastFigures => runFastOver(cache.columns, cache, runs, options)

const runFastOver = (
  candles: CandleColumns,
  shared: ColumnCache | null,
  runs: ReadonlyArray<EngineRun>,
  options: EngineOptions
): FastFigures => {
  const { length } = candles
  const figures = new Float64Array(runs.length * figureCount)
  const isFast = ({ run }: IndexedRun): boolean =>
    length > 0 && planPath(run.definition, options.spec).path === "fast"
  const indexed = runs.map((run, index) => ({ run, index }))
  const columnsMax = Math.max(16, Math.floor(columnBytesMax / 8 / Math.max(1, length)))
  const fast = indexed.filter(isFast)
  const { plain } = runTiles(candles, shared, fast, options, figures, columnsMax)
  const rest = indexed.filter((one) => !isFast(one))
  return { figures, plain: [...rest, ...plain].map(({ index }) => index) }
}

/**
 * Runs a list of strategies with their values over one series.
 *
 * **Details**
 *
 * What runs have in common is computed once. Runs that can't go from event to event, and shorts
 * that may be liquidated, take the plain path (`planPath` says which and why); positions are the
 * same either way, and figures within 1e-9.
 *
 * **Gotchas**
 *
 * Definitions must have passed `checkStrategy`, values must have one for each parameter, and
 * candles must have passed `checkCandles`: no price of a candle is above its high or below its low.
 *
 * @category runs
 * @since 0.1.0
 */
export const runMany = (
  candles: CandleColumns,
  runs: ReadonlyArray<EngineRun>,
  options: EngineOptions
): EngineFigures => {
  const { figures, plain } = runFastOver(candles, null, runs, options)
  const cache = makeColumnCache(candles)
  for (const index of plain) {
    runPlain(cache, runs[index]!, options, figures, index * figureCount)
  }
  return figures
}

/**
 * Runs one strategy with many sets of values over one series.
 *
 * @category runs
 * @since 0.1.0
 */
export const sweep = (
  candles: CandleColumns,
  definition: StrategyDefinition,
  parameterSets: ReadonlyArray<ParameterValues>,
  options: EngineOptions
): EngineFigures =>
  runMany(
    candles,
    parameterSets.map((values) => ({ definition, values })),
    options
  )
