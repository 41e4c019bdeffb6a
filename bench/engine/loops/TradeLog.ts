/**
 * Closed trades as typed arrays that grow.
 */
import type { Trades } from "../Engine.ts"

const grown = <A extends Int32Array | Float64Array>(values: A, into: A): A => {
  into.set(values)
  return into
}

/** A list of closed trades, in the order in which they were closed. */
export class TradeLog {
  count = 0
  private entryIndex = new Int32Array(1024)
  private exitIndex = new Int32Array(1024)
  private entryPrice = new Float64Array(1024)
  private exitPrice = new Float64Array(1024)

  add(entryIndex: number, exitIndex: number, entryPrice: number, exitPrice: number): void {
    const at = this.count++
    if (at === this.entryIndex.length) this.grow(2 * at)
    this.entryIndex[at] = entryIndex
    this.exitIndex[at] = exitIndex
    this.entryPrice[at] = entryPrice
    this.exitPrice[at] = exitPrice
  }

  toTrades(): Trades {
    const { count } = this
    return {
      entryIndex: this.entryIndex.subarray(0, count),
      exitIndex: this.exitIndex.subarray(0, count),
      entryPrice: this.entryPrice.subarray(0, count),
      exitPrice: this.exitPrice.subarray(0, count)
    }
  }

  private grow(length: number): void {
    this.entryIndex = grown(this.entryIndex, new Int32Array(length))
    this.exitIndex = grown(this.exitIndex, new Int32Array(length))
    this.entryPrice = grown(this.entryPrice, new Float64Array(length))
    this.exitPrice = grown(this.exitPrice, new Float64Array(length))
  }
}
