/**
 * Columns that runs read, each once, and rules that only the plain path can compute, as bits.
 *
 * Their values equal `plan/evaluateColumns.ts` to the bit: there is no second way to compute an
 * indicator. Columns of one caller are computed where kernels read them. Shared columns are copied
 * from the cache.
 *
 * @since 0.1.0
 */
import {
  type ColumnCache,
  type ColumnPlaces,
  evaluateRule,
  evaluateSeries,
  makeColumnCache,
  type OtherCandles
} from "../plan/evaluateColumns.ts"
import type { PlanNode } from "../plan/StrategyPlan.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import type { Arena } from "./Arena.ts"
import { checkColumn } from "./checkRuns.ts"
import type { Kernels } from "./kernels.ts"
import { bitsBytes, tileLength, tileWords } from "./kernels/tileLayout.ts"
import type { TileAddress } from "./TileAddress.ts"

interface RulePlaces {
  readonly holds: TileAddress
  readonly fails: TileAddress
}

/** The prices of a candle that are kept as they are. */
export type PriceColumn = "open" | "high" | "low" | "close"

const isPriceColumn = (name: string): name is PriceColumn =>
  name === "open" || name === "high" || name === "low" || name === "close"

const outputKey = (indicator: PlanNode, output: number): string => `${indicator.key} ${output}`

/** Outputs of indicators that these nodes depend on. */
const outputsOf = (nodes: Iterable<PlanNode>): ReadonlySet<string> => {
  const outputs = new Set<string>()
  const seen = new Set<string>()
  const visit = (node: PlanNode): void => {
    if (seen.has(node.key)) return
    seen.add(node.key)
    if (node.operation === "output") outputs.add(outputKey(node.inputs[0]!, node.settings[0]!))
    node.inputs.forEach(visit)
  }
  for (const node of nodes) visit(node)
  return outputs
}

/** Whether one of these nodes is a price of the candles, or depends on it. */
const readsPrice = (nodes: Iterable<PlanNode>, name: PriceColumn): boolean => {
  const seen = new Set<string>()
  const visit = ({ inputs, key, lane, name: own, operation }: PlanNode): boolean => {
    if (seen.has(key)) return false
    seen.add(key)
    if (operation === "price" && own === name && lane.parent === null) return true
    return inputs.some(visit)
  }
  return Array.from(nodes).some(visit)
}

/** Gives places to columns, and fills them once there is memory. */
export class ColumnStore {
  readonly #arena: Arena
  readonly #candleCount: number
  readonly #series = new Map<string, { readonly node: PlanNode; readonly place: TileAddress }>()
  readonly #prices = new Map<PriceColumn, TileAddress>()
  readonly #constants = new Map<string, { readonly value: number; readonly base: number }>()
  readonly #rules = new Map<string, { readonly node: PlanNode; readonly places: RulePlaces }>()

  constructor(arena: Arena, candleCount: number) {
    this.#arena = arena
    this.#candleCount = candleCount
  }

  /** Where a price of the candles is. */
  price(name: PriceColumn): TileAddress {
    const known = this.#prices.get(name)
    if (known !== undefined) return known
    const place = { base: this.#arena.takeColumn(this.#candleCount), stride: tileLength * 8 }
    this.#prices.set(name, place)
    return place
  }

  /** Whether a column or a rule that was asked for depends on a price of the candles. */
  reads(name: PriceColumn): boolean {
    const asked = [...this.#series.values(), ...this.#rules.values()]
    return (
      this.#prices.has(name) ||
      readsPrice(
        asked.map(({ node }) => node),
        name
      )
    )
  }

  /** Where the values of a series are. */
  series(node: PlanNode): TileAddress {
    const { lane, name, operation } = node
    if (operation === "price" && lane.parent === null && isPriceColumn(name)) {
      return this.price(name)
    }
    const known = this.#series.get(node.key)
    if (known !== undefined) return known.place
    const isConstant = operation === "constant"
    const base = isConstant
      ? this.#arena.takeDoubles(tileLength)
      : this.#arena.takeColumn(this.#candleCount)
    const place = { base, stride: isConstant ? 0 : tileLength * 8 }
    this.#series.set(node.key, { node, place })
    return place
  }

  /** Where the values of a series are as a whole column, be it a constant. */
  whole(node: PlanNode): number {
    if (node.operation !== "constant") return this.series(node).base
    const known = this.#constants.get(node.key)
    if (known !== undefined) return known.base
    const base = this.#arena.takeColumn(this.#candleCount)
    this.#constants.set(node.key, { value: node.settings[0]!, base })
    return base
  }

  /** Where the bits of a rule are that is computed candle by candle. */
  rule(node: PlanNode): RulePlaces {
    const known = this.#rules.get(node.key)
    if (known !== undefined) return known.places
    const bytes = Math.ceil(this.#candleCount / tileLength) * bitsBytes
    const places = {
      holds: { base: this.#arena.take(bytes), stride: bitsBytes },
      fails: { base: this.#arena.take(bytes), stride: bitsBytes }
    }
    this.#rules.set(node.key, { node, places })
    return places
  }

  /**
   * Computes everything that was asked for. `shared` keeps columns for later calls. `others` are
   * the candles of other markets that rules read, for which no columns are kept.
   */
  fill(
    candles: CandleColumns,
    shared: ColumnCache | null,
    kernels: Kernels,
    others?: OtherCandles
  ): void {
    const { doubles } = kernels
    for (const [name, { base }] of this.#prices) {
      const column = candles[name]
      checkColumn(column, name, this.#candleCount)
      doubles.set(column, base / 8)
    }
    for (const { base, value } of this.#constants.values()) {
      doubles.fill(value, base / 8, base / 8 + this.#candleCount)
    }
    // Columns may be costly without use, so the columns of a file are read when they are asked for.
    if (this.#series.size === 0 && this.#rules.size === 0) return
    // The cache in place goes with this call: the memory behind it is used again.
    const cache = shared ?? this.#cacheInPlace(candles, doubles, others)
    for (const { node, place } of this.#series.values()) {
      const at = place.base / 8
      if (place.stride === 0) doubles.fill(node.settings[0]!, at, at + tileLength + 8)
      else {
        const column = evaluateSeries(cache, node)
        const isInPlace = column.buffer === doubles.buffer && column.byteOffset === place.base
        if (!isInPlace) doubles.set(column, at)
      }
    }
    this.#fillRules(cache, kernels)
  }

  /** A cache whose columns are where kernels read them, prices as well. */
  #cacheInPlace(
    candles: CandleColumns,
    doubles: Float64Array,
    others: OtherCandles = new Map()
  ): ColumnCache {
    const viewAt = (base: number): Float64Array =>
      doubles.subarray(base / 8, base / 8 + this.#candleCount)
    const views = new Map<string, Float64Array>()
    for (const { node, place } of this.#series.values()) {
      const isOutput = node.operation === "output"
      const key = isOutput ? outputKey(node.inputs[0]!, node.settings[0]!) : node.key
      if (place.stride !== 0) views.set(key, viewAt(place.base))
    }
    const asked = [...this.#series.values(), ...this.#rules.values()]
    const outputs = outputsOf(asked.map(({ node }) => node))
    const places: ColumnPlaces = (node, output) => {
      if (node.operation !== "indicator") return views.get(node.key)
      const key = outputKey(node, output)
      return outputs.has(key) ? views.get(key) : null
    }
    const prices = Object.fromEntries(
      Array.from(this.#prices, ([name, { base }]) => [name, viewAt(base)] as const)
    )
    return makeColumnCache({ ...candles, ...prices }, { places, others })
  }

  #fillRules(cache: ColumnCache, { words }: Kernels): void {
    for (const { node, places } of this.#rules.values()) {
      const column = evaluateRule(cache, node)
      const { fails, holds } = places
      for (let index = 0; index < column.length; index++) {
        const tile = Math.floor(index / tileLength)
        const word = tile * tileWords + ((index % tileLength) >> 5)
        if (column[index] === 1) words[holds.base / 4 + word]! |= 1 << (index & 31)
        else if (column[index] === 0) words[fails.base / 4 + word]! |= 1 << (index & 31)
      }
    }
  }
}
