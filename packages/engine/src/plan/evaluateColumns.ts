/**
 * The nodes of a plan as whole columns, each computed when it is first asked for and kept for the
 * next plan.
 *
 * A search over many parameter sets of one market shares one cache, so that parts that two sets
 * share are computed once. The oldest columns make room when it is full.
 *
 * @since 0.1.0
 */
import { indicatorCatalogue } from "../language/Indicator.ts"
import type { IndicatorName } from "../language/Indicator.ts"
import type { Indicator } from "../language/IndicatorRow.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import { alignedColumns, toLaneColumns } from "./candleLanes.ts"
import type { LaneColumns } from "./candleLanes.ts"
import { ruleOperations } from "./ruleOperations.ts"
import type { RuleOperation } from "./ruleOperations.ts"
import { seriesOperations } from "./seriesOperations.ts"
import type { SeriesOperation } from "./seriesOperations.ts"
import { isOfOther, type PlanLane, type PlanNode } from "./StrategyPlan.ts"

/** A number for each candle, or 0 false, 1 true, 2 undefined. @category models @since 0.1.0 */
export type NodeColumn = Float64Array | Uint8Array

type Kept = NodeColumn | ReadonlyArray<Float64Array> | LaneColumns

const isList = (kept: Kept): kept is ReadonlyArray<Float64Array> => Array.isArray(kept)

const byteSize = (kept: Kept): number => {
  if (isList(kept)) return kept.reduce((sum, column) => sum + byteSize(column), 0)
  if ("columns" in kept) return kept.columns.length * 48 + kept.closedIndex.byteLength
  // A view of memory that is somebody else's takes none.
  return kept.buffer.byteLength === kept.byteLength ? kept.byteLength : 0
}

/**
 * The place for the column of a node, an indicator's by output. It is this array, a new one
 * (undefined), or none, because it has no reader (null).
 *
 * @category models
 * @since 0.1.0
 */
export interface ColumnPlaces {
  (node: PlanNode, output: number): Float64Array | null | undefined
}

/** Candles of markets by their symbols. @category models @since 0.1.0 */
export type OtherCandles = ReadonlyMap<string, CandleColumns>

const noOthers: OtherCandles = new Map()

const anywhere: ColumnPlaces = () => undefined

/**
 * Columns of one market that were computed before, by the key of their node.
 *
 * @category models
 * @since 0.1.0
 */
export class ColumnCache {
  readonly columns: CandleColumns
  readonly places: ColumnPlaces
  /** Candles of the markets that rules may read besides, by their symbols. */
  readonly others: OtherCandles
  readonly #kept = new Map<string, Kept>()
  readonly #bytesMax: number
  #bytes = 0

  constructor(
    columns: CandleColumns,
    bytesMax: number,
    places: ColumnPlaces,
    others: OtherCandles
  ) {
    this.columns = columns
    this.others = others
    this.places = places
    this.#bytesMax = bytesMax
  }

  /** Returns the value kept under this key, or computes it. */
  getOrCompute<A extends Kept>(key: string, compute: () => A): A {
    const known = this.#kept.get(key) as A | undefined
    if (known !== undefined) {
      this.#kept.delete(key)
      this.#kept.set(key, known)
      return known
    }
    const computed = compute()
    this.#kept.set(key, computed)
    this.#bytes += byteSize(computed)
    for (const [oldest, kept] of this.#kept) {
      if (this.#bytes <= this.#bytesMax || oldest === key) break
      this.#kept.delete(oldest)
      this.#bytes -= byteSize(kept)
    }
    return computed
  }
}

const bytesMaxDefault = 256 * 1_048_576

/**
 * Makes a cache for the columns of one market; share it between all parameter sets that are tried
 * on them. `places` says where columns go; they are good for as long as the memory that they are
 * written into. `others` are the candles of further markets that the rules read.
 *
 * @category columns
 * @since 0.1.0
 */
export const makeColumnCache = (
  columns: CandleColumns,
  options: {
    readonly bytesMax?: number
    readonly places?: ColumnPlaces
    readonly others?: OtherCandles
  } = {}
): ColumnCache =>
  new ColumnCache(
    columns,
    options.bytesMax ?? bytesMaxDefault,
    options.places ?? anywhere,
    options.others ?? noOthers
  )

const laneOf = (cache: ColumnCache, lane: PlanLane): CandleColumns =>
  lane.parent === null ? cache.columns : closedLane(cache, lane, lane.parent).columns

const closedLane = (cache: ColumnCache, lane: PlanLane, parent: PlanLane): LaneColumns =>
  cache.getOrCompute(`lane:${lane.key}`, () =>
    isOfOther(lane)
      ? alignedColumns(laneOf(cache, parent), othersOf(cache, lane.symbol!))
      : toLaneColumns(laneOf(cache, parent), parent.durationMs, lane.durationMs)
  )

const othersOf = ({ others }: ColumnCache, symbol: string): CandleColumns => {
  const columns = others.get(symbol)
  if (columns !== undefined) return columns
  throw new RangeError(`A rule reads ${symbol}, of which there are no candles`)
}

/** The value of the last closed candle of a lane, at each candle of the lane below it. */
const spread = (cache: ColumnCache, inner: PlanNode): Float64Array => {
  const { closedIndex } = closedLane(cache, inner.lane, inner.lane.parent!)
  const values = evaluateSeries(cache, inner)
  const column = new Float64Array(closedIndex.length)
  for (let index = 0; index < column.length; index += 1) {
    const at = closedIndex[index]!
    column[index] = at < 0 ? Number.NaN : values[at]!
  }
  return column
}

const evaluateIndicator = (cache: ColumnCache, node: PlanNode): ReadonlyArray<Float64Array> =>
  cache.getOrCompute(node.key, () => {
    const row: Indicator = indicatorCatalogue[node.name as IndicatorName]
    return row.column(
      node.inputs.map((input) => evaluateSeries(cache, input)),
      node.settings,
      Object.keys(row.outputs).map((_, output) => cache.places(node, output))
    )
  })

/** The column of a node that is a series. @category columns @since 0.1.0 */
export const evaluateSeries = (cache: ColumnCache, node: PlanNode): Float64Array => {
  if (node.operation === "output") {
    return evaluateIndicator(cache, node.inputs[0]!)[node.settings[0]!]!
  }
  return cache.getOrCompute(node.key, () => {
    if (node.operation === "timeframe" || node.operation === "symbol") {
      return spread(cache, node.inputs[0]!)
    }
    const operation: SeriesOperation =
      seriesOperations[node.operation as keyof typeof seriesOperations]
    const inputs = node.inputs.map((input) => evaluateSeries(cache, input))
    return operation.column(inputs, node.settings, laneOf(cache, node.lane), node.name)
  })
}

const combinesRules = (node: PlanNode): boolean =>
  node.operation === "all" ||
  node.operation === "any" ||
  node.operation === "not" ||
  node.operation === "true_for"

/** The column of a node that is a rule. @category columns @since 0.1.0 */
export const evaluateRule = (cache: ColumnCache, node: PlanNode): Uint8Array =>
  cache.getOrCompute(node.key, () => {
    const operation: RuleOperation = ruleOperations[node.operation as keyof typeof ruleOperations]
    const [left, right] = node.inputs
    if (operation.against !== undefined && right?.operation === "constant") {
      return operation.against(evaluateSeries(cache, left!), right.settings[0]!)
    }
    const inputs = combinesRules(node)
      ? node.inputs.map((input) => evaluateRule(cache, input))
      : node.inputs.map((input) => evaluateSeries(cache, input))
    return operation.column(inputs, node.settings, laneOf(cache, node.lane))
  })
