/**
 * Columns that runs read, each once, and rules that only the plain path can compute, as bits.
 *
 * Their values are those of `interpreters/evaluateColumns.ts`, to the bit: there is no second way
 * to compute an indicator.
 *
 * @since 0.1.0
 */
import { type ColumnCache, evaluateRule, evaluateSeries } from "../interpreters/evaluateColumns.ts"
import type { PlanNode } from "../interpreters/planStrategy.ts"
import type { Arena } from "./Arena.ts"
import { bitsBytes, type Place, tileLength, tileWords } from "./places.ts"

interface RulePlaces {
  readonly holds: Place
  readonly fails: Place
}

/** Gives places to columns, and fills them once there is memory. */
export class ColumnStore {
  readonly #arena: Arena
  readonly #candleCount: number
  readonly #series = new Map<string, { readonly node: PlanNode; readonly place: Place }>()
  readonly #constants = new Map<string, { readonly value: number; readonly base: number }>()
  readonly #rules = new Map<string, { readonly node: PlanNode; readonly places: RulePlaces }>()

  constructor(arena: Arena, candleCount: number) {
    this.#arena = arena
    this.#candleCount = candleCount
  }

  /** Where the values of a series are. */
  series(node: PlanNode): Place {
    const known = this.#series.get(node.key)
    if (known !== undefined) return known.place
    const isConstant = node.operation === "constant"
    const base = this.#arena.takeDoubles(isConstant ? tileLength : this.#candleCount)
    const place = { base, stride: isConstant ? 0 : tileLength * 8 }
    this.#series.set(node.key, { node, place })
    return place
  }

  /** Where the values of a series are as a whole column, be it a constant. */
  whole(node: PlanNode): number {
    if (node.operation !== "constant") return this.series(node).base
    const known = this.#constants.get(node.key)
    if (known !== undefined) return known.base
    const base = this.#arena.takeDoubles(this.#candleCount)
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

  /** Computes everything that was asked for. */
  fill(cache: ColumnCache, doubles: Float64Array, words: Int32Array): void {
    for (const { node, place } of this.#series.values()) {
      const at = place.base / 8
      if (place.stride === 0) doubles.fill(node.settings[0]!, at, at + tileLength + 8)
      else doubles.set(evaluateSeries(cache, node), at)
    }
    for (const { base, value } of this.#constants.values()) {
      doubles.fill(value, base / 8, base / 8 + this.#candleCount)
    }
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
