/**
 * Columns of one run in memory that the next run uses again.
 *
 * New memory costs more than most of the computing in it, and kernels read and write this memory
 * where it is.
 *
 * @since 0.1.0
 */
import { type CandleColumns, columnNames } from "../kernel/columns.ts"
import { makeFastColumns } from "../kernel/fastColumns.ts"
import {
  type ColumnCache,
  type ColumnPlaces,
  makeColumnCache,
  type OtherCandles
} from "./evaluateColumns.ts"
import type { PlanNode } from "./StrategyPlan.ts"

/** Doubles up to which memory is kept. */
const keptMax = 16 * 1_048_576

/** Candles below which memory costs less than care for it. */
const lengthMin = 4_096

let idle: Array<ReadonlyArray<Float64Array>> = []

const sizeOf = (memory: ReadonlyArray<Float64Array>): number =>
  memory.length === 0 ? 0 : memory.length * memory[0]!.length

/** Idle memory that is large enough, or new memory. */
const takeMemory = (count: number, length: number): ReadonlyArray<Float64Array> => {
  const found = idle.find((one) => one.length >= count && one[0]!.length >= length)
  if (found === undefined) return makeFastColumns(count, length)
  idle = idle.filter((one) => one !== found)
  return found
}

const giveBack = (memory: ReadonlyArray<Float64Array>): void => {
  const kept = [memory, ...idle]
  const doubles = kept.reduce((sum, one) => sum + sizeOf(one), 0)
  // Memory too small for the last run is too small for runs like it.
  idle = doubles <= keptMax ? kept : [memory]
}

type CandleField = (typeof columnNames)[number]

const isField = (name: string): name is CandleField =>
  (columnNames as ReadonlyArray<string>).includes(name)

const outputKey = (indicator: PlanNode, output: number): string => `${indicator.key} ${output}`

/** A cache for one run, and its end. */
export interface KeptColumns {
  readonly cache: ColumnCache
  /** Keeps the memory for the next run; columns of the cache must not be read from here on. */
  readonly giveBack: () => void
}

/**
 * A cache for the nodes of one run: outputs that none of them reads are not written at all.
 *
 * @category columns
 * @since 0.1.0
 */
export const takeKeptColumns = (
  candles: CandleColumns,
  nodes: ReadonlyArray<PlanNode>,
  others: OtherCandles
): KeptColumns => {
  const outputs = new Map<string, number>()
  const prices = new Map<CandleField, number>()
  let count = 0
  for (const { inputs, lane, name, operation, settings } of nodes) {
    const isOwn = lane.parent === null
    if (operation === "output") {
      const key = outputKey(inputs[0]!, settings[0]!)
      if (!outputs.has(key)) outputs.set(key, isOwn ? count++ : -1)
    } else if (operation === "price" && isOwn && isField(name) && !prices.has(name)) {
      prices.set(name, count++)
    }
  }
  const isKept = candles.length >= lengthMin && count > 0 && count * candles.length <= keptMax
  const memory = isKept ? takeMemory(count, candles.length) : []
  const columnAt = (nth: number): Float64Array | undefined =>
    memory[nth]?.subarray(0, candles.length)
  const views: Array<readonly [CandleField, Float64Array]> = []
  for (const [name, nth] of prices) {
    const view = columnAt(nth)
    if (view === undefined) continue
    view.set(candles[name])
    views.push([name, view])
  }
  const places: ColumnPlaces = (node, output) => {
    const nth = outputs.get(outputKey(node, output))
    return nth === undefined ? null : columnAt(nth)
  }
  const cache = makeColumnCache({ ...candles, ...Object.fromEntries(views) }, { others, places })
  return { cache, giveBack: () => (isKept ? giveBack(memory) : undefined) }
}

/** A cache whose columns no other run uses. @category columns @since 0.1.0 */
export const unkeptColumns = (
  candles: CandleColumns,
  _nodes: ReadonlyArray<PlanNode>,
  others: OtherCandles
): KeptColumns => ({
  cache: makeColumnCache(candles, { others }),
  giveBack: () => {}
})
