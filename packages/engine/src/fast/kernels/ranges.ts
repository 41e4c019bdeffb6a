/**
 * Ranges of closes: the extremes of all stretches of 1, 2, 4, … candles of a tile, which give those
 * of any stretch.
 *
 * Where kernels are built for WebAssembly, `assembly/ranges.as` stands in this file's place.
 *
 * @since 0.1.0
 */
import { lesser } from "../../match/arithmetic.ts"
import { highestBit, readDouble, writeDouble } from "./memory.ts"
import type { f64, i32 } from "../../match/number.ts"

/**
 * Least of 1, 2, 4, … closes from each candle on, and least of their negatives, `stride` bytes a
 * row.
 */
export function findExtremes(close: i32, count: i32, extremes: i32, stride: i32): void {
  for (let offset = 0; offset < count; offset++) {
    const price = readDouble(close + (offset << 3))
    writeDouble(extremes + (offset << 4), price)
    writeDouble(extremes + (offset << 4) + 8, -price)
  }
  let row = extremes
  for (let half = 1; half << 1 <= count; half <<= 1) {
    const next = row + stride
    const width = half << 4
    const end = (count - (half << 1) + 1) << 4
    for (let at = 0; at < end; at += 16) {
      const after = row + at + width
      writeDouble(next + at, lesser(readDouble(row + at), readDouble(after)))
      writeDouble(next + at + 8, lesser(readDouble(row + at + 8), readDouble(after + 8)))
    }
    row = next
  }
}

/** The least close of the stretch that was asked for last. */
export let least: f64 = 0

/** Its most. */
export let most: f64 = 0

/** Finds the range of the closes from an offset of the tile on, and before another. */
export function findRange(extremes: i32, stride: i32, from: i32, to: i32): void {
  const level = highestBit(to - from)
  const row = extremes + level * stride
  const one = row + (from << 4)
  const other = row + ((to - (1 << level)) << 4)
  least = lesser(readDouble(one), readDouble(other))
  most = -lesser(readDouble(one + 8), readDouble(other + 8))
}

/** The same where no extremes were found: `close` is the address of the first of `count` closes. */
export function walkRange(close: i32, count: i32): void {
  let lowest = readDouble(close)
  let negated = -lowest
  for (let at = close + 8; at < close + (count << 3); at += 8) {
    lowest = lesser(lowest, readDouble(at))
    negated = lesser(negated, -readDouble(at))
  }
  least = lowest
  most = -negated
}
