/**
 * Many runs over one series: time in tiles outside, runs inside.
 *
 * @since 0.1.0
 */
import { makeColumnCache } from "../interpreters/evaluateColumns.ts"
import type { ParameterValues } from "../domain/Parameter.ts"
import type { StrategyDefinition } from "../domain/StrategyDefinition.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import { planPath } from "./planPath.ts"
import { type EngineFigures, type EngineOptions, type EngineRun, figureCount } from "./Run.ts"
import { runPlain } from "./runPlain.ts"
import { runTiles } from "./runTiles.ts"

/** Bytes of whole columns that are kept at once. */
const columnBytesMax = 512 * 1_048_576

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
 * Definitions must have passed `checkStrategy`, and values must have one for each parameter.
 *
 * @category runs
 * @since 0.1.0
 */
export const runMany = (
  candles: CandleColumns,
  runs: ReadonlyArray<EngineRun>,
  options: EngineOptions
): EngineFigures => {
  const figures = new Float64Array(runs.length * figureCount)
  const cache = makeColumnCache(candles)
  const isFast = (run: EngineRun): boolean =>
    candles.length > 0 && planPath(run.definition, options.spec).path === "fast"
  const fast = runs.flatMap((run, index) => (isFast(run) ? [{ run, index }] : []))
  const rest = runs.flatMap((run, index) => (isFast(run) ? [] : [{ run, index }]))
  const columnsMax = Math.max(16, Math.floor(columnBytesMax / 8 / Math.max(1, candles.length)))
  const { plain } = runTiles(cache, fast, options, figures, columnsMax)
  for (const { index, run } of [...rest, ...plain]) {
    runPlain(cache, run, options, figures, index * figureCount)
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
