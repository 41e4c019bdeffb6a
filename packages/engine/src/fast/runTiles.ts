/**
 * Takes runs through a series tile by tile, all runs in one tile before the next one.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "../kernel/columns.ts"
import type { ColumnCache } from "../plan/evaluateColumns.ts"
import {
  extremesRowBytes,
  placeRuns,
  placeTile,
  type RunMemory,
  type TileMemory,
  writeFunding,
  writeRuns
} from "./GroupMemory.ts"
import { tileLength } from "./kernels/tileLayout.ts"
import { giveBackKernels, type Kernels, takeKernels } from "./kernels.ts"
import { readFigures, type RunCounts } from "./readFigures.ts"
import type { EngineOptions, PlainRun, TiledOptions } from "./Run.ts"
import { type RunGroup, type IndexedRun, toGroups } from "./RunGroup.ts"

/** Takes a run's round trips in a tile, as `kernels/layout.ts` has them. */
export type OnRoundTrips = (index: number, trades: Float64Array) => void

/** Gives the kernels the values that all tiles have in common. */
const setMarket = (
  { functions }: Kernels,
  { length }: CandleColumns,
  options: EngineOptions,
  { close }: TileMemory,
  { dayEnds, days }: RunMemory
): void => {
  const { endOfData, fill, returns, spec } = options
  functions.setCandles(close, length, days, dayEnds.length)
  functions.setRules(
    returns === "day" ? 1 : 0,
    fill === "close" ? 1 : 0,
    spec.canShort ? 1 : 0,
    endOfData === "close" ? 1 : 0
  )
  functions.setCosts(
    spec.takerRate,
    spec.makerRate,
    spec.feePerFill,
    spec.slippageRate,
    spec.tick,
    spec.lot,
    spec.minNotional
  )
  functions.setCaps(options.exposureMax ?? Infinity, options.riskMax ?? Infinity, spec.leverage)
}

/**
 * Computes the common values of a tile's runs. Returns the sum of its squared returns, 0 where
 * returns are daily.
 */
const prepareTile = (
  kernels: Kernels,
  { averages }: RunGroup,
  { returns }: EngineOptions,
  memory: TileMemory,
  start: number,
  end: number
): number => {
  const { blocks, close, extremes, inverses, needsHighs, sums, sideChangeRecords, sideChanges } =
    memory
  const { doubles, functions } = kernels
  const size = end - start
  const closes = close + start * 8
  const hasBefore = start > 0 ? 1 : 0
  const isCounted = returns === "candle"
  if (isCounted) functions.sumReturns(closes, size, hasBefore, sums)
  if (inverses !== 0) functions.invertCloses(closes, size, hasBefore, inverses)
  if (extremes !== 0) functions.findExtremes(closes, size, extremes, extremesRowBytes)
  const open = memory.opens(doubles, start, end)
  const high = memory.highs(doubles, start, end)
  const low = memory.lows(doubles, start, end)
  functions.setPrices(open, high, low)
  if (needsHighs) functions.findBlocks(low + start * 8, high + start * 8, size, blocks)
  averages.prepare(kernels, close, start, size)
  const stride = extremesRowBytes
  functions.setTile(
    start,
    end,
    sums,
    extremes,
    stride,
    blocks,
    inverses,
    sideChangeRecords,
    sideChanges
  )
  if (sideChangeRecords !== 0) functions.recordSideChanges()
  return isCounted ? doubles[(sums + (size - 1) * 16 + 8) / 8]! : 0
}

const runGroup = (
  candles: CandleColumns,
  shared: ColumnCache | null,
  group: RunGroup,
  options: TiledOptions,
  into: RunCounts,
  onRoundTrips: OnRoundTrips | null
): ReadonlyArray<PlainRun> => {
  const { arena, averages, columns, program, runs } = group
  const { length } = candles
  const ofTile = placeTile(candles, group, options, onRoundTrips !== null)
  const ofRuns = placeRuns(candles, group, options, ofTile)
  const kernels = takeKernels(arena, options.webAssembly ?? true)
  const { doubles, functions } = kernels
  columns.fill(candles, shared, kernels)
  averages.write(kernels, candles.close)
  const addresses = writeRuns(kernels, group, options, ofRuns)
  setMarket(kernels, candles, options, ofTile, ofRuns)
  writeFunding(kernels, candles, options, ofRuns)
  // A crossing at the first candle that counts is seen from the one before it.
  const firstTile = Math.floor(Math.max(0, (options.from ?? 0) - 1) / tileLength)
  const { list, steps } = ofRuns
  const { trades } = ofTile
  let squaresMax = 0
  for (let tile = firstTile; tile * tileLength < length; tile++) {
    const start = tile * tileLength
    const end = Math.min(start + tileLength, length)
    squaresMax = Math.max(squaresMax, prepareTile(kernels, group, options, ofTile, start, end))
    const { priceError, sumError } = averages
    functions.takeSteps(steps, program.shared.length, tile, priceError, sumError)
    const take = (address: number, count: number): number =>
      functions.runProgram(address, count, tile, priceError, sumError, trades)
    if (onRoundTrips === null) take(list, runs.length)
    else {
      runs.forEach(({ indexed }, nth) => {
        onRoundTrips(indexed.index, doubles.slice(trades / 8, take(addresses[nth]!, 1) / 8))
      })
    }
  }
  const repeated = readFigures(candles, kernels, group, options, ofRuns, squaresMax, into)
  giveBackKernels(kernels)
  return repeated
}

/**
 * Writes the figures of fast runs; those that have to be repeated on the plain path come back.
 * `shared` keeps columns for further runs on these candles, null where none follow.
 */
export const runTiles = (
  candles: CandleColumns,
  shared: ColumnCache | null,
  runs: ReadonlyArray<IndexedRun>,
  options: TiledOptions,
  into: RunCounts,
  columnsMax: number,
  onRoundTrips: OnRoundTrips | null = null
): ReadonlyArray<PlainRun> =>
  toGroups(runs, candles.length, columnsMax, options).flatMap((group) =>
    runGroup(candles, shared, group, options, into, onRoundTrips)
  )
