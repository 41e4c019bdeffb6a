/**
 * Where in memory a group's numbers are: candles, the computed values of a tile, and its runs.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "../kernel/columns.ts"
import type { PriceColumn } from "./ColumnStore.ts"
import { findDayEnds } from "./findDayEnds.ts"
import { findFundingDues } from "./findFundingDues.ts"
import {
  accountBytes,
  accountCashAt,
  cursorAt,
  dayAt,
  dayEquityAt,
  decisionAt,
  runDetailsBytes,
  lastEquityAt,
  longAtCloseRun,
  peakAt,
  roundTripBytes
} from "./kernels/layout.ts"
import { blockBytes, tileLength } from "./kernels/tileLayout.ts"
import { sideChangeRecordBytes } from "./kernels/sideChanges.ts"
import type { Kernels } from "./kernels.ts"
import { changesSides } from "./kindOf.ts"
import type { LevelTouches } from "./Level.ts"
import type { EngineOptions } from "./Run.ts"
import { listBytes, looksInside, writeDetails } from "./RunDetails.ts"
import type { RunGroup } from "./RunGroup.ts"
import { SharedLevels } from "./SharedLevels.ts"
import { placePrice, type TilePrice } from "./TilePrices.ts"
import { programEntryBytes } from "./kernels/programLayout.ts"
import { writeRun, writeSteps } from "./writeProgram.ts"

/** Bytes of a candle at which a run changes sides. */
const sideChangeBytes = 4

/** Runs for which it is worth to find the extremes of every stretch of closes. */
const runsForExtremes = 12

/** Bytes from one row of extremes to the next. */
export const extremesRowBytes = tileLength * 16 + 64

/** The addresses of all candles and of the tile; 0 where no run needs them. */
export interface TileMemory {
  readonly close: number
  readonly opens: TilePrice
  readonly highs: TilePrice
  readonly lows: TilePrice
  readonly needsHighs: boolean
  readonly sums: number
  readonly extremes: number
  readonly blocks: number
  readonly sideChanges: number
  readonly trades: number
  readonly sideChangeRecords: number
  /** Of 1 / close, that of the close before the tile first. */
  readonly inverses: number
}

/** Addresses of runs, their days and their steps. */
export interface RunMemory {
  readonly dayEnds: Int32Array
  /** The first day that counts. */
  readonly firstDay: number
  readonly days: number
  /** Of each candle the next one at whose open funding is due, and how often; 0 where none is. */
  readonly fundingDues: number
  readonly fundingCounts: number
  readonly accounts: number
  readonly details: number
  readonly touches: ReadonlyArray<LevelTouches>
  /** Where each run's safety orders are, or its lines. */
  readonly lists: ReadonlyArray<number>
  readonly steps: number
  readonly list: number
}

/** Takes the room for the facts about a tile. */
export const placeTile = (
  candles: CandleColumns,
  { arena, averages, columns, runs }: RunGroup,
  options: EngineOptions,
  isTraded: boolean
): TileMemory => {
  const { spec } = options
  const mayBeRuined = spec.canShort || spec.leverage > 1 || spec.funding !== undefined
  const needsHighs = mayBeRuined || runs.some((one) => looksInside(one.details))
  const needsOpens = needsHighs || options.fill === "next_open"
  const close = columns.price("close").base
  const placed = (name: PriceColumn, isNeeded: boolean): TilePrice =>
    placePrice(arena, columns, candles, name, isNeeded)
  const opens = placed("open", needsOpens)
  const highs = placed("high", needsHighs)
  const lows = placed("low", needsHighs)
  // With a row of zeros before the first one.
  const sums = arena.take(tileLength * 16 + 64) + 64
  averages.reserve()
  const extremes = runs.length >= runsForExtremes ? arena.take(extremesRowBytes * 12) : 0
  const blocks = needsHighs ? arena.take(blockBytes) : 0
  const sideChanges = arena.take((tileLength + 8) * sideChangeBytes)
  const trades = isTraded ? arena.take((tileLength + 8) * 2 * roundTripBytes) : 0
  // The loops at closes count no days and report no round trips.
  const isAtClose = options.returns === "candle" && !isTraded
  const isReversed = isAtClose && runs.some(({ kind }) => changesSides(kind))
  const sideChangeRecords = isReversed ? arena.take(tileLength * sideChangeRecordBytes) : 0
  const isLevelled = isAtClose && runs.some(({ kind }) => kind === longAtCloseRun)
  const inverses = isLevelled ? arena.take(tileLength * 8 + 16) + 16 : 0
  return {
    close,
    opens,
    highs,
    lows,
    needsHighs,
    sums,
    extremes,
    blocks,
    sideChanges,
    trades,
    sideChangeRecords,
    inverses
  }
}

/** Takes the room for runs. */
export const placeRuns = (
  { length, time }: CandleColumns,
  { arena, program, runs }: RunGroup,
  { from = 0, returns, spec }: EngineOptions,
  { inverses }: TileMemory
): RunMemory => {
  const dayEnds = returns === "day" ? findDayEnds(time) : new Int32Array(0)
  const firstDay = dayEnds.findIndex((end) => end >= from)
  const days = arena.take(dayEnds.length * 4)
  const fundingBytes = spec.funding === undefined ? 0 : length * 4
  const fundingDues = fundingBytes === 0 ? 0 : arena.take(fundingBytes)
  const fundingCounts = fundingBytes === 0 ? 0 : arena.take(fundingBytes)
  const accounts = arena.take(runs.length * accountBytes)
  const details = arena.take(runs.length * runDetailsBytes)
  const levelled = inverses === 0 ? [] : runs.filter(({ kind }) => kind === longAtCloseRun)
  const levels = new SharedLevels(arena, levelled)
  const touches = runs.map((one) => levels.of(one.details))
  const lists = runs.map((one) => {
    const bytes = listBytes(one.details)
    return bytes === 0 ? 0 : arena.take(bytes)
  })
  const entryCount = runs.reduce((count, { rules }) => count + 1 + rules.steps.length, 0)
  const steps = arena.take(program.shared.length * programEntryBytes)
  const list = arena.take(entryCount * programEntryBytes)
  return {
    dayEnds,
    firstDay,
    days,
    fundingDues,
    fundingCounts,
    accounts,
    details,
    touches,
    lists,
    steps,
    list
  }
}

/** Writes the candles at whose opens funding is due, and passes them to the kernels. */
export const writeFunding = (
  { functions, words }: Kernels,
  { time }: CandleColumns,
  { spec }: EngineOptions,
  { fundingCounts, fundingDues }: RunMemory
): void => {
  const { funding } = spec
  if (funding === undefined) return functions.setFunding(0, 0, 0)
  findFundingDues(
    time,
    funding.intervalMs,
    words.subarray(fundingDues / 4),
    words.subarray(fundingCounts / 4)
  )
  functions.setFunding(funding.rate, fundingDues, fundingCounts)
}

/** Writes accounts as they begin, details and steps; the address of each run in the list. */
export const writeRuns = (
  kernels: Kernels,
  { program, runs }: RunGroup,
  { capital, from = 0 }: EngineOptions,
  { accounts, dayEnds, days, details, firstDay, touches, list, lists, steps }: RunMemory
): ReadonlyArray<number> => {
  const { doubles, words } = kernels
  words.set(dayEnds, days / 4)
  writeSteps(kernels, program.shared, steps)
  let address = list
  return runs.map((one, index) => {
    const account = accounts + index * accountBytes
    const detail = details + index * runDetailsBytes
    for (const field of [accountCashAt, lastEquityAt, peakAt, dayEquityAt]) {
      doubles[(account + field) / 8] = capital
    }
    // The candle and the day to be counted next, and the first decision.
    words[(account + cursorAt) / 4] = from
    words[(account + dayAt) / 4] = firstDay
    words[(account + decisionAt) / 4] = from
    writeDetails(kernels, one.details, touches[index]!, lists[index]!, detail)
    const at = address
    address = writeRun(kernels, one.rules, account, detail, one.kind, at)
    return at
  })
}
