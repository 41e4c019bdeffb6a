/**
 * Where averages cross, for hosts without SIMD. Where kernels are built for WebAssembly,
 * `assembly/crossing.as` stands in this file's place and finds the same crossings in blocks of
 * 16-bit numbers.
 *
 * @since 0.1.0
 */
import { fillAverage } from "./averages.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"
import { bitsBytes, exactAt, exactHead } from "./tileLayout.ts"

let close = 0
let sums = 0
let tileStart = 0
let candleCount = 0

/** The tile whose averages are compared. */
export function setAverages(
  closeAt: number,
  sumsAt: number,
  start: number,
  count: number,
  _scale: number,
  _offset: number
): void {
  close = closeAt
  sums = sumsAt
  tileStart = start
  candleCount = count
}

/**
 * Prepares the comparison of every average in a list. Each has its period, its column and the
 * address of its exact values.
 */
export function prepareAverages(list: number, count: number): void {
  for (let at = list; at < list + count * 12; at += 12) {
    const exact = readWord(at + 8)
    writeWord(readWord(at + 4) + exactAt, exact)
    writeDouble(exact, 0)
  }
}

/** Where the exact values of an average are. */
const exactOf = (period: number, column: number): number => {
  const exact = readWord(column + exactAt)
  if (readDouble(exact) === 0) {
    writeDouble(exact, 1)
    fillAverage(close, tileStart, candleCount, period, exact + exactHead)
  }
  return exact + exactHead
}

const averageAt = (period: number, offset: number): number =>
  (readDouble(sums + (offset << 3)) - readDouble(sums + ((offset - period) << 3))) / period

/** The sign of one average less another; exact where they are as near as `margin`. */
const compare = (
  period: number,
  column: number,
  otherPeriod: number,
  otherColumn: number,
  margin: number,
  offset: number
): number => {
  const apart = averageAt(period, offset) - averageAt(otherPeriod, offset)
  if (Math.abs(apart) > margin) return apart
  const value = readDouble(exactOf(period, column) + (offset << 3))
  return value - readDouble(exactOf(otherPeriod, otherColumn) + (offset << 3))
}

/**
 * Lists the candles at which two averages change sides, one after the other, if that is beyond
 * doubt. The end of the tile follows twice. Nothing is carried otherwise. Here it never is: only
 * blocks of numbers make a list cheaper than bits.
 */
export function listSideChanges(
  _period: number,
  _column: number,
  _otherPeriod: number,
  _otherColumn: number,
  _margin: number,
  _carry: number,
  _into: number
): boolean {
  return false
}

/**
 * Where an average crosses above another (`up`), and where it crosses below it (`down`). The answer
 * at the last candle is kept at `carry`; at first no average has been below or above.
 */
export function crossAverages(
  period: number,
  column: number,
  otherPeriod: number,
  otherColumn: number,
  margin: number,
  carry: number,
  up: number,
  down: number
): void {
  for (let at = 0; at < bitsBytes; at += 4) {
    writeWord(up + at, 0)
    writeWord(down + at, 0)
  }
  const from = Math.max(0, Math.max(period, otherPeriod) - 1 - tileStart)
  let wasAbove = readWord(carry) === 0
  let wasBelow = readWord(carry + 4) === 0
  for (let offset = from; offset < candleCount; offset++) {
    const apart = compare(period, column, otherPeriod, otherColumn, margin, offset)
    const word = (offset >> 5) << 2
    const bit = 1 << (offset & 31)
    if (apart > 0 && !wasAbove) writeWord(up + word, readWord(up + word) | bit)
    if (apart < 0 && !wasBelow) writeWord(down + word, readWord(down + word) | bit)
    wasAbove = apart > 0
    wasBelow = apart < 0
  }
  writeWord(carry, wasAbove ? 0 : 1)
  writeWord(carry + 4, wasBelow ? 0 : 1)
}
