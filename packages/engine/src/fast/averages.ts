/**
 * Simple averages of the close that only ever cross one another: their crossings are found without
 * whole columns, tile by tile.
 *
 * @since 0.1.0
 */
import type { PlanNode } from "../plan/StrategyPlan.ts"
import type { Arena } from "./Arena.ts"
import type { Kernels } from "./kernels.ts"
import { scaleOf, wholeStretch } from "../kernel/wholes.ts"
import { rangeAfter, scaleBefore, wholeEndBefore } from "./kernels/averages.ts"
import { averageBytes, exactBytes, exactHead, tileLength } from "./kernels/tileLayout.ts"
import type { TileAddress } from "./TileAddress.ts"

const isClose = ({ lane, name, operation }: PlanNode): boolean =>
  operation === "price" && name === "close" && lane.parent === null

/** The period of a simple average of the close, 1 for the close itself, or null. */
export const averagePeriod = (node: PlanNode): number | null => {
  if (isClose(node)) return 1
  const [whole] = node.inputs
  if (node.operation !== "output" || whole?.name !== "sma") return null
  return isClose(whole.inputs[0]!) ? whole.settings[0]! : null
}

/** Whether a rule is the crossing of two averages of the close. */
export const crossesAverages = ({ inputs, operation }: PlanNode): boolean =>
  (operation === "crosses_above" || operation === "crosses_below") &&
  inputs.every((input) => averagePeriod(input) !== null)

/** The part of a double that rounding may change. */
const roundoff = 2 ** -53

/** Steps of 16 bits from the middle of a tile's prices to their ends. */
const stepsMax = 32_000

/** Bytes of an average in the list of them. */
const listedBytes = 12

/** The averages of a group of runs. */
export class Averages {
  readonly #arena: Arena
  readonly #placeByPeriod = new Map<number, TileAddress>()
  readonly #rankByPeriod = new Map<number, number>()
  readonly #exactByPeriod = new Map<number, number>()
  #sums = 0
  #list = 0
  #periodMax = 0
  /** The largest errors of the tile's prices, and of the sums of them. */
  priceError = 0
  sumError = 0

  constructor(arena: Arena) {
    this.#arena = arena
  }

  /** Where the column of a period is. */
  column(period: number): TileAddress {
    const known = this.#placeByPeriod.get(period)
    if (known !== undefined) return known
    const place = { base: this.#arena.take(averageBytes), stride: 0 }
    this.#rankByPeriod.set(period, this.#placeByPeriod.size)
    this.#placeByPeriod.set(period, place)
    return place
  }

  /** The number of averages. */
  get size(): number {
    return this.#placeByPeriod.size
  }

  /** The number that were asked for before this one. */
  rank(period: number): number {
    return this.#rankByPeriod.get(period)!
  }

  /** Takes the room that sums and exact values need, once every period is known. */
  reserve(): void {
    for (const period of this.#placeByPeriod.keys()) {
      this.#exactByPeriod.set(period, this.#arena.take(exactBytes))
    }
    this.#periodMax = Math.max(0, ...this.#placeByPeriod.keys())
    const before = Math.ceil((this.#periodMax + 8) / 8) * 8
    this.#sums = this.#arena.takeDoubles(before + tileLength + 64) + before * 8
    this.#list = this.#arena.take(this.size * listedBytes)
  }

  /** Writes the list of them that every tile goes through, and how far each is exact. */
  write({ doubles, words }: Kernels, closes: Float64Array): void {
    if (this.size === 0) return
    const { length } = closes
    // Values that are whole in long sums are whole in short ones, unless they are too large for the
    // long ones.
    const shared = wholeStretch(closes, 0, length, this.#periodMax)
    const isShared = shared.end === length || scaleOf(closes[shared.end]!, shared.scale) === 0
    let at = this.#list / 4
    for (const [period, { base }] of this.#placeByPeriod) {
      const exact = this.#exactByPeriod.get(period)!
      words.set([period, base, exact], at)
      at += listedBytes / 4
      const whole = isShared ? shared : wholeStretch(closes, 0, length, period)
      doubles[(exact + exactHead - scaleBefore) / 8] = whole.scale
      words[(exact + exactHead - wholeEndBefore) / 4] = whole.end
    }
  }

  /** Makes every average ready for a tile. */
  prepare({ doubles, functions }: Kernels, close: number, start: number, count: number): void {
    if (this.#placeByPeriod.size === 0) return
    const before = Math.min(this.#periodMax, start)
    const first = close / 8 + start
    const origin = doubles[start > 0 ? first - 1 : first]!
    functions.sumCloses(close + start * 8, before, count, tileLength, origin, this.#sums)
    const range = (this.#sums + rangeAfter) / 8 + tileLength
    const [least, most] = [doubles[range]!, doubles[range + 1]!]
    const length = before + tileLength
    // Sums of doubles keep the rest of a price until the period has come round after it has left.
    let largest = Math.max(Math.abs(least), Math.abs(most))
    for (
      let index = first - Math.min(2 * this.#periodMax, start);
      index < first - before;
      index++
    ) {
      largest = Math.max(largest, Math.abs(doubles[index]!))
    }
    this.priceError = 12 * roundoff * largest
    this.sumError = 4 * roundoff * length * length * (most - least)
    const steps = (2 * stepsMax) / (most - least)
    // Where prices hardly differ, 16 bits show nothing, and everything is compared exactly.
    const error = this.priceError * (1 + this.#periodMax) + this.sumError * 2
    const scale = steps * error < 0.5 ? steps : 0
    const offset = scale === 0 ? 0 : ((least + most) / 2 - origin) * scale
    functions.setAverages(close, this.#sums, start, count, scale, offset)
    functions.prepareAverages(this.#list, this.size)
  }
}
