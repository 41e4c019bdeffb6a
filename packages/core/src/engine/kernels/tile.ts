/**
 * What is computed once for all runs of a tile: sums of returns, extremes of closes, rules as bits.
 *
 * @since 0.1.0
 */
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"

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

/** Least and most of 1, 2, 4, … closes from each candle on, `stride` bytes a row. */
export function findExtremes(close: i32, count: i32, extremes: i32, stride: i32): void {
  for (let offset: i32 = 0; offset < count; offset++) {
    const price: f64 = readDouble(close + (offset << 3))
    writeDouble(extremes + (offset << 4), price)
    writeDouble(extremes + (offset << 4) + 8, price)
  }
  let row: i32 = extremes
  for (let half: i32 = 1; half << 1 <= count; half <<= 1) {
    const next: i32 = row + stride
    const width: i32 = half << 4
    const end: i32 = (count - (half << 1) + 1) << 4
    for (let at: i32 = 0; at < end; at += 16) {
      const least: f64 = readDouble(row + at)
      const other: f64 = readDouble(row + at + width)
      writeDouble(next + at, other < least ? other : least)
      const most: f64 = readDouble(row + at + 8)
      const another: f64 = readDouble(row + at + width + 8)
      writeDouble(next + at + 8, another > most ? another : most)
    }
    row = next
  }
}

/** Both at once. */
export function andBits(left: i32, right: i32, words: i32, into: i32): void {
  for (let at: i32 = 0; at < words << 2; at += 4) {
    writeWord(into + at, readWord(left + at) & readWord(right + at))
  }
}

/** One or the other. */
export function orBits(left: i32, right: i32, words: i32, into: i32): void {
  for (let at: i32 = 0; at < words << 2; at += 4) {
    writeWord(into + at, readWord(left + at) | readWord(right + at))
  }
}

/** The left without the right. */
export function withoutBits(left: i32, right: i32, words: i32, into: i32): void {
  for (let at: i32 = 0; at < words << 2; at += 4) {
    writeWord(into + at, readWord(left + at) & ~readWord(right + at))
  }
}

/**
 * Where `now` holds and `before` held one candle earlier, and where both are known but that is not
 * so. The last bits of the tile are kept at `carry` for the next one.
 */
export function crossBits(
  above: i32,
  notAbove: i32,
  words: i32,
  carry: i32,
  crossed: i32,
  notCrossed: i32
): void {
  let wasAbove: i32 = readWord(carry)
  let wasNot: i32 = readWord(carry + 4)
  for (let at: i32 = 0; at < words << 2; at += 4) {
    const isAbove: i32 = readWord(above + at)
    const isNot: i32 = readWord(notAbove + at)
    const beforeAbove: i32 = (isAbove << 1) | wasAbove
    const beforeNot: i32 = (isNot << 1) | wasNot
    writeWord(crossed + at, isAbove & beforeNot)
    writeWord(notCrossed + at, (isNot & (beforeAbove | beforeNot)) | (isAbove & beforeAbove))
    wasAbove = isAbove >>> 31
    wasNot = isNot >>> 31
  }
  writeWord(carry, wasAbove)
  writeWord(carry + 4, wasNot)
}
