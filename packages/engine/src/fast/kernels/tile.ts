/**
 * The values computed once for all runs of a tile: sums of returns, and extremes of blocks.
 *
 * Extremes of closes are in `ranges.ts`.
 *
 * @since 0.1.0
 */
import { readDouble, writeDouble } from "./memory.ts"
import type { f64, i32 } from "../../match/number.ts"
import { leastOfAllAt, mostOfAllAt } from "./tileLayout.ts"

/** Running sums of the closes' returns and of their squares, from the tile's first candle on. */
export function sumReturns(close: i32, count: i32, hasBefore: i32, sums: i32): void {
  let before: f64 = readDouble(hasBefore === 1 ? close - 8 : close)
  let sum: f64 = 0
  let squares: f64 = 0
  for (let offset: i32 = 0; offset < count; offset++) {
    const price: f64 = readDouble(close + (offset << 3))
    const change: f64 = price / before - 1
    sum += change
    squares += change * change
    writeDouble(sums + (offset << 4), sum)
    writeDouble(sums + (offset << 4) + 8, squares)
    before = price
  }
}

/** 1 / close of each candle of a tile, and before them that of the candle before it. */
export function invertCloses(close: i32, count: i32, hasBefore: i32, inverses: i32): void {
  for (let offset: i32 = hasBefore === 1 ? -1 : 0; offset < count; offset++) {
    writeDouble(inverses + (offset << 3), 1 / readDouble(close + (offset << 3)))
  }
}

/**
 * Least low and most high of each 64 candles, and after the last block of a whole tile those of all
 * of them.
 */
export function findBlocks(low: i32, high: i32, count: i32, blocks: i32): void {
  let leastOfAll: f64 = Infinity
  let mostOfAll: f64 = -Infinity
  for (let block: i32 = 0; block << 6 < count; block++) {
    const end: i32 = (block + 1) << 6 < count ? (block + 1) << 6 : count
    let least: f64 = Infinity
    let most: f64 = -Infinity
    for (let offset: i32 = block << 6; offset < end; offset++) {
      const lowest: f64 = readDouble(low + (offset << 3))
      const highest: f64 = readDouble(high + (offset << 3))
      if (lowest < least) least = lowest
      if (highest > most) most = highest
    }
    writeDouble(blocks + (block << 4), least)
    writeDouble(blocks + (block << 4) + 8, most)
    if (least < leastOfAll) leastOfAll = least
    if (most > mostOfAll) mostOfAll = most
  }
  writeDouble(blocks + leastOfAllAt, leastOfAll)
  writeDouble(blocks + mostOfAllAt, mostOfAll)
}
