/**
 * One run with its trades.
 *
 * @since 0.1.0
 */
import { makeColumnCache } from "../interpreters/evaluateColumns.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import { planPath } from "./planPath.ts"
import {
  type EngineFigures,
  type EngineOptions,
  type EngineRun,
  type EngineTrades,
  figureCount
} from "./Run.ts"
import { runPlain } from "./runPlain.ts"
import { runTiles } from "./runTiles.ts"

const tradeNumbers = 6

const fromTiles = (tiles: ReadonlyArray<Float64Array>): EngineTrades => {
  const count = tiles.reduce((sum, { length }) => sum + length, 0) / tradeNumbers
  const all = new Float64Array(count * tradeNumbers)
  let at = 0
  for (const tile of tiles) {
    all.set(tile, at)
    at += tile.length
  }
  const column = <A extends Float64Array | Int32Array>(into: A, field: number): A => {
    for (let index = 0; index < count; index++) into[index] = all[index * tradeNumbers + field]!
    return into
  }
  return {
    entryIndex: column(new Int32Array(count), 0),
    exitIndex: column(new Int32Array(count), 1),
    entryPrice: column(new Float64Array(count), 2),
    exitPrice: column(new Float64Array(count), 3),
    quantity: column(new Float64Array(count), 4)
  }
}

/**
 * Runs one strategy with one set of values; its figures and its closed trades come back.
 *
 * @category runs
 * @since 0.1.0
 */
export const runOne = (
  candles: CandleColumns,
  run: EngineRun,
  options: EngineOptions
): { readonly figures: EngineFigures; readonly trades: EngineTrades } => {
  const figures = new Float64Array(figureCount)
  const cache = makeColumnCache(candles)
  const { from = 0 } = options
  if (from < candles.length && planPath(run.definition, options.spec).path === "fast") {
    const tiles: Array<Float64Array> = []
    const onTrades = (trades: Float64Array): void => void tiles.push(trades)
    const indexed = [{ run, index: 0 }]
    const { plain } = runTiles(cache, indexed, options, figures, Infinity, onTrades)
    if (plain.length === 0) return { figures, trades: fromTiles(tiles) }
  }
  const { closed } = runPlain(cache, run, options, figures, 0)
  const trades = {
    entryIndex: Int32Array.from(closed, ({ entryIndex }) => from + entryIndex),
    exitIndex: Int32Array.from(closed, ({ exitIndex }) => from + exitIndex),
    entryPrice: Float64Array.from(closed, (trade) => trade.entryPrice),
    exitPrice: Float64Array.from(closed, (trade) => trade.exitPrice),
    quantity: Float64Array.from(closed, (trade) => trade.direction * trade.quantity)
  }
  return { figures, trades }
}
