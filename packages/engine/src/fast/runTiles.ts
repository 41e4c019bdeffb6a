/**
 * Takes runs through a series tile by tile, all runs in one tile before the next one.
 *
 * @since 0.1.0
 */
import type { Timeframe } from "../language/Timeframe.ts"
import type { ColumnCache } from "../plan/evaluateColumns.ts"
import { NodePool } from "../plan/NodePool.ts"
import { planStrategy } from "../plan/planStrategy.ts"
import { type PlanNode, type StrategyPlan } from "../plan/StrategyPlan.ts"
import { ruleOperations } from "../plan/ruleOperations.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import { Arena } from "./Arena.ts"
import { Averages, crossesAverages } from "./averages.ts"
import { BitProgram, type RunRules } from "./BitProgram.ts"
import { ColumnStore, type PriceColumn } from "./ColumnStore.ts"
import { findDayEnds } from "./findDayEnds.ts"
import { giveBackKernels, takeKernels } from "./kernels.ts"
import { betweenTurns, isTurning, kindOf } from "./kindOf.ts"
import {
  accountBytes,
  averagesStep,
  cashAt,
  cursorAt,
  dayAt,
  dayEquityAt,
  decisionAt,
  deepestAt,
  detailBytes,
  entryCountAt,
  generalRun,
  isLiquidatedAt,
  lastEquityAt,
  longAtCloseRun,
  peakAt,
  squaresAt,
  sumAt,
  tooSmallAt,
  tradeBytes
} from "./kernels/layout.ts"
import { blockBytes, tileLength } from "./kernels/tileLayout.ts"
import { turnRecordBytes } from "./kernels/turns.ts"
import { mayLoseAll, restMin } from "./mayLoseAll.ts"
import {
  type EngineFigures,
  type EngineOptions,
  type EngineRun,
  figureAt,
  figureCount,
  type PlainRun
} from "./Run.ts"
import { hasLevels, type RunDetails, toRunDetails, writeDetails } from "./RunDetails.ts"
import { SharedLevels } from "./SharedLevels.ts"
import { hardlyDiffer, isDrowned, sharpeOf } from "./sharpeOfSums.ts"
import { placePrice, type TilePrice } from "./TilePrices.ts"
import { programEntryBytes, writeRun, writeSteps } from "./writeProgram.ts"

/** A run and its place in the list that was asked for. */
export interface IndexedRun {
  readonly run: EngineRun
  readonly index: number
}

/** What is written of each run. */
export interface RunCounts {
  readonly figures: EngineFigures
  /** Entries that were not ordered, as too little was left of them. */
  readonly tooSmallCounts: Float64Array
}

/** Takes a run's trades in a tile, as `kernels/layout.ts` has them. */
export type OnTrades = (index: number, trades: Float64Array) => void

/** Runs that are taken through the tiles together at most. */
const groupRunsMax = 1_000_000

/** Bytes of a candle at which a run changes sides. */
const turnBytes = 4

/** Runs for which it is worth to find the extremes of every stretch of closes. */
const runsForExtremes = 12

interface Compiled {
  readonly indexed: IndexedRun
  readonly rules: RunRules
  readonly details: RunDetails
  /** The node of the rule to enter long, -1 where there is none. */
  readonly entryRule: number
  readonly kind: number
}

interface Group {
  readonly arena: Arena
  readonly averages: Averages
  readonly columns: ColumnStore
  readonly program: BitProgram
  readonly runs: ReadonlyArray<Compiled>
}

/** Operations whose values are no columns of their own. */
const columnless = new Set<string>(["constant", "indicator", ...Object.keys(ruleOperations)])

/** The columns that plans read, by the index of their node; averages that only cross need none. */
class ReadColumns {
  readonly #columns = new Set<number>()
  readonly #seen = new Set<number>()

  get size(): number {
    return this.#columns.size
  }

  add(plan: StrategyPlan): void {
    for (const rule of [plan.enterLong, plan.exitLong, plan.enterShort, plan.exitShort]) {
      if (rule !== null) this.#addInputs(rule)
    }
    const { breakEvenActivation, stopLoss, takeProfit, trailingActivation, trailingDistance } = plan
    const levels = [stopLoss, takeProfit, trailingDistance, trailingActivation, breakEvenActivation]
    for (const level of levels) {
      if (level !== null && level.kind !== "fraction") this.#addInputs(level.value)
    }
  }

  #addInputs(node: PlanNode): void {
    if (this.#seen.has(node.index)) return
    this.#seen.add(node.index)
    if (crossesAverages(node)) return
    for (const input of node.inputs) {
      if (!columnless.has(input.operation)) this.#columns.add(input.index)
      this.#addInputs(input)
    }
  }
}

/** Averages that stay near the processor while runs go through all others. */
const averagesPerBlock = 5

/** Runs in an order in which those that read the same averages come after one another. */
const inBlocks = (runs: ReadonlyArray<Compiled>, averages: Averages): ReadonlyArray<Compiled> => {
  const { size } = averages
  if (size <= averagesPerBlock) return runs
  const keys = Float64Array.from(runs, ({ rules }, index) => {
    const crossing = rules.steps.find(({ kind }) => kind === averagesStep)
    if (crossing === undefined) return index
    const block = Math.floor(averages.rank(crossing.otherPeriod) / averagesPerBlock)
    return (block * size + averages.rank(crossing.period)) * runs.length + index
  })
  return Array.from(keys.sort(), (key) => runs[key % runs.length]!)
}

/** Runs in their order, in groups that need about so many columns at most. */
const toGroups = (
  runs: ReadonlyArray<IndexedRun>,
  candleCount: number,
  columnsMax: number,
  options: EngineOptions
): ReadonlyArray<Group> => {
  const poolByTimeframe = new Map<Timeframe, NodePool>()
  const planned = runs.map((indexed) => {
    const { definition, values } = indexed.run
    const pool = poolByTimeframe.get(definition.timeframe) ?? new NodePool()
    poolByTimeframe.set(definition.timeframe, pool)
    return { indexed, plan: planStrategy(definition, values, pool) }
  })
  const groups: Array<Array<(typeof planned)[number]>> = []
  let group: ReadonlyArray<PlanNode> | null = null
  let columns = new ReadColumns()
  for (const one of planned) {
    const isFull = columns.size >= columnsMax || groups.at(-1)?.length === groupRunsMax
    if (group !== one.plan.nodes || isFull) {
      groups.push([])
      group = one.plan.nodes
      columns = new ReadColumns()
    }
    columns.add(one.plan)
    groups[groups.length - 1]!.push(one)
  }
  return groups.map((members) => {
    const arena = new Arena()
    const columns = new ColumnStore(arena, candleCount)
    const averages = new Averages(arena)
    const program = new BitProgram(arena, columns, averages)
    const counted = members.map(({ plan }) => program.count(plan))
    const compiled = members.map(({ indexed, plan }, nth) => {
      const details = toRunDetails(indexed.run, plan, columns)
      const rules = program.compile(counted[nth]!)
      const kind = betweenTurns(kindOf(plan, details, options), rules, options.spec.canShort)
      return { indexed, rules, details, entryRule: plan.enterLong?.index ?? -1, kind }
    })
    return { arena, averages, columns, program, runs: inBlocks(compiled, averages) }
  })
}

const runGroup = (
  candles: CandleColumns,
  shared: ColumnCache | null,
  group: Group,
  options: EngineOptions,
  { figures, tooSmallCounts }: RunCounts,
  onTrades: OnTrades | null
): ReadonlyArray<PlainRun> => {
  const { arena, averages, columns, program, runs } = group
  const { length } = candles
  const { capital, from = 0, spec } = options
  const needsLevels = runs.some((one) => hasLevels(one.details))
  const needsHighs = needsLevels || spec.canShort
  const needsOpens = needsHighs || options.fill === "next_open"
  const close = columns.price("close").base
  const placed = (name: PriceColumn, isNeeded: boolean): TilePrice =>
    placePrice(arena, columns, candles, name, isNeeded)
  const opens = placed("open", needsOpens)
  const highs = placed("high", needsHighs)
  const lows = placed("low", needsHighs)
  const dayEnds = options.returns === "day" ? findDayEnds(candles.time) : new Int32Array(0)
  const daysBefore = dayEnds.findIndex((end) => end >= from)
  const days = arena.take(dayEnds.length * 4)
  // With a row of zeros before the first one.
  const sums = arena.take(tileLength * 16 + 64) + 64
  averages.reserve()
  const stride = tileLength * 16 + 64
  const extremes = runs.length >= runsForExtremes ? arena.take(stride * 12) : 0
  const blocks = needsHighs ? arena.take(blockBytes) : 0
  const turns = arena.take((tileLength + 8) * turnBytes)
  const trades = onTrades === null ? 0 : arena.take((tileLength + 8) * 2 * tradeBytes)
  const accounts = arena.take(runs.length * accountBytes)
  const details = arena.take(runs.length * detailBytes)
  // The loops at closes count no days and tell no trades.
  const isAtClose = options.returns === "candle" && onTrades === null
  const isTurned = isAtClose && runs.some(({ kind }) => isTurning(kind))
  const turnRecords = isTurned ? arena.take(tileLength * turnRecordBytes) : 0
  const levelled = isAtClose ? runs.filter(({ kind }) => kind === longAtCloseRun) : []
  // With that of the close before the first one.
  const inverses = levelled.length > 0 ? arena.take(tileLength * 8 + 16) + 16 : 0
  const levels = new SharedLevels(arena, levelled)
  const hits = runs.map((one) => levels.of(one.details))
  const entryCount = runs.reduce((count, { rules }) => count + 1 + rules.steps.length, 0)
  const steps = arena.take(program.shared.length * programEntryBytes)
  const list = arena.take(entryCount * programEntryBytes)

  const kernels = takeKernels(arena, options.webAssembly ?? true)
  const { doubles, functions, words } = kernels
  columns.fill(candles, shared, kernels)
  averages.write(kernels, candles.close)
  words.set(dayEnds, days / 4)
  runs.forEach((one, index) => {
    const account = accounts + index * accountBytes
    for (const field of [cashAt, lastEquityAt, peakAt, dayEquityAt]) {
      doubles[(account + field) / 8] = capital
    }
    // The candle and the day to be counted next, and the first decision.
    words[(account + cursorAt) / 4] = from
    words[(account + dayAt) / 4] = daysBefore
    words[(account + decisionAt) / 4] = from
    writeDetails(kernels, one.details, hits[index]!, details + index * detailBytes)
  })
  writeSteps(kernels, program.shared, steps)
  let listEnd = list
  const addresses = runs.map((one, index) => {
    const address = listEnd
    const account = accounts + index * accountBytes
    const detail = details + index * detailBytes
    listEnd = writeRun(kernels, one.rules, account, detail, one.kind, address)
    return address
  })

  const isDaily = options.returns === "day" ? 1 : 0
  functions.setCandles(close, length, days, dayEnds.length)
  functions.setRules(
    isDaily,
    options.fill === "close" ? 1 : 0,
    spec.canShort ? 1 : 0,
    options.endOfData === "close" ? 1 : 0
  )
  functions.setCosts(
    spec.takerRate,
    spec.makerRate,
    spec.slippageRate,
    spec.tick,
    spec.lot,
    spec.minNotional
  )
  functions.setCaps(options.exposureMax ?? Infinity, options.riskMax ?? Infinity)
  // A crossing at the first candle that counts is seen from the one before it.
  const firstTile = Math.floor(Math.max(0, from - 1) / tileLength)
  let squaresMax = 0
  for (let tile = firstTile; tile * tileLength < length; tile++) {
    const start = tile * tileLength
    const end = Math.min(start + tileLength, length)
    const size = end - start
    const closes = close + start * 8
    const hasBefore = start > 0 ? 1 : 0
    if (isDaily === 0) {
      functions.sumReturns(closes, size, hasBefore, sums)
      const ofTile = doubles[(sums + (size - 1) * 16 + 8) / 8]!
      squaresMax = Math.max(squaresMax, ofTile)
    }
    if (inverses !== 0) functions.invertCloses(closes, size, hasBefore, inverses)
    if (extremes !== 0) functions.findExtremes(closes, size, extremes, stride)
    const [high, low] = [highs(doubles, start, end), lows(doubles, start, end)]
    functions.setPrices(opens(doubles, start, end), high, low)
    if (needsHighs) functions.findBlocks(low + start * 8, high + start * 8, size, blocks)
    averages.prepare(kernels, close, start, size)
    functions.setTile(start, end, sums, extremes, stride, blocks, inverses, turnRecords, turns)
    if (turnRecords !== 0) functions.recordTurns()
    const { priceError, sumError } = averages
    const { length: sharedCount } = program.shared
    functions.takeSteps(steps, sharedCount, tile, priceError, sumError)
    const take = (address: number, count: number): number =>
      functions.runProgram(address, count, tile, priceError, sumError, trades)
    if (onTrades === null) take(list, runs.length)
    else {
      runs.forEach(({ indexed }, nth) => {
        onTrades(indexed.index, doubles.slice(trades / 8, take(addresses[nth]!, 1) / 8))
      })
    }
  }

  const count = isDaily === 1 ? dayEnds.length - daysBefore : length - from
  let known: boolean | null = null
  const losesAll = (): boolean => (known ??= mayLoseAll(candles, from, spec))
  const repeated = runs.flatMap(({ indexed, kind }, index) => {
    if (words[(details + index * detailBytes + isLiquidatedAt) / 4] === 1) {
      return [{ index: indexed.index, reason: "a short may have been liquidated" }]
    }
    const account = accounts + index * accountBytes
    const read = (field: number): number => doubles[(account + field) / 8]!
    const [deepest, sum, squares] = [read(deepestAt), read(sumAt), read(squaresAt)]
    const last = read(lastEquityAt)
    // No returns come after equity that is used up, which a sum does not know; nothing is bought,
    // either. Where fees alone left so little, rounding counts no more beside it than before.
    const isLost = deepest > 1 - 10 * restMin && losesAll()
    if (last <= 0 || deepest > 1 || Number.isNaN(sum) || isLost) {
      return [{ index: indexed.index, reason: "its equity was used up" }]
    }
    if (hardlyDiffer(sum, squares, count)) {
      return [{ index: indexed.index, reason: "its returns hardly differ" }]
    }
    const entries = words[(account + entryCountAt) / 4]!
    // Where any size may be held, `account.ts` has seen to that.
    if (entries > 0 && kind !== generalRun && isDrowned(squares, squaresMax)) {
      return [{ index: indexed.index, reason: "its returns are small beside the price's" }]
    }
    const into = indexed.index * figureCount
    figures[into + figureAt.totalReturn] = last / capital - 1
    figures[into + figureAt.sharpe] = sharpeOf(sum, squares, count, options.periodsPerYear)
    figures[into + figureAt.maxDrawdown] = deepest
    figures[into + figureAt.entries] = entries
    tooSmallCounts[indexed.index] = words[(account + tooSmallAt) / 4]!
    return []
  })
  giveBackKernels(kernels)
  return repeated
}

/**
 * Writes the figures of fast runs; those that have to be repeated on the plain path come back.
 * `shared` keeps the columns of those who run on these candles again, null where nobody does.
 */
export const runTiles = (
  candles: CandleColumns,
  shared: ColumnCache | null,
  runs: ReadonlyArray<IndexedRun>,
  options: EngineOptions,
  into: RunCounts,
  columnsMax: number,
  onTrades: OnTrades | null = null
): ReadonlyArray<PlainRun> =>
  toGroups(runs, candles.length, columnsMax, options).flatMap((group) =>
    runGroup(candles, shared, group, options, into, onTrades)
  )
