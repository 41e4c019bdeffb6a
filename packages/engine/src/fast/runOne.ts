/**
 * One run with its round trips.
 *
 * @since 0.1.0
 */
import { makeColumnCache } from "../plan/evaluateColumns.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import { planRoundTripPath } from "./planPath.ts"
import {
  type EngineFigures,
  type EngineOptions,
  type EngineRun,
  type EngineRoundTrips,
  figureCount
} from "./Run.ts"
import { checkRuns } from "./checkRuns.ts"
import { runPlain } from "./runPlain.ts"
import { runTiles } from "./runTiles.ts"
import { toRoundTrips } from "./toRoundTrips.ts"

/**
 * Runs one strategy with one set of values; its figures and its closed round trips come back.
 *
 * It has the same requirements on candles, definitions and options as `runMany`, and the same
 * errors.
 *
 * @category runs
 * @since 0.1.0
 */
export const runOne = (
  candles: CandleColumns,
  run: EngineRun,
  options: EngineOptions
): { readonly figures: EngineFigures; readonly trades: EngineRoundTrips } => {
  checkRuns(candles, [run], options)
  const figures = new Float64Array(figureCount)
  const { from = 0 } = options
  if (from < candles.length && planRoundTripPath(run.definition, options.spec).path === "fast") {
    const tiles: Array<Float64Array> = []
    const onRoundTrips = (_: number, trades: Float64Array): void => void tiles.push(trades)
    const indexed = [{ run, index: 0 }]
    const into = { figures, tooSmallCounts: new Float64Array(1) }
    const plain = runTiles(candles, null, indexed, options, into, Infinity, onRoundTrips)
    if (plain.length === 0) return { figures, trades: toRoundTrips(tiles) }
  }
  const { closed } = runPlain(makeColumnCache(candles), run, options, figures, 0)
  const trades = {
    entryIndex: Int32Array.from(closed, ({ entryIndex }) => from + entryIndex),
    exitIndex: Int32Array.from(closed, ({ exitIndex }) => from + exitIndex),
    entryPrice: Float64Array.from(closed, (trade) => trade.entryPrice),
    exitPrice: Float64Array.from(closed, (trade) => trade.exitPrice),
    quantity: Float64Array.from(closed, (trade) => trade.direction * trade.quantity),
    fees: Float64Array.from(closed, (trade) => trade.fees)
  }
  return { figures, trades }
}
