/**
 * The memory that kernels work on, for hosts without SIMD: typed arrays over one buffer.
 *
 * The kernels are written once, in what TypeScript and AssemblyScript have in common. As TypeScript
 * they read and write here; when they are built for WebAssembly, `assembly/memory.ts` stands in
 * this file's place, with the same functions as machine instructions. So both forms do the same
 * arithmetic in the same order. Addresses are bytes.
 *
 * @since 0.1.0
 */

let doubles = new Float64Array(0)
let words = new Int32Array(0)

/** Makes kernels that run as TypeScript work on this buffer. @category memory @since 0.1.0 */
export function attachMemory(buffer: ArrayBuffer): void {
  doubles = new Float64Array(buffer)
  words = new Int32Array(buffer)
}

/** The double at an address. @category memory @since 0.1.0 */
export function readDouble(address: number): number {
  return doubles[address >> 3]!
}

/** Writes a double. @category memory @since 0.1.0 */
export function writeDouble(address: number, value: number): void {
  doubles[address >> 3] = value
}

/** The 32 bits at an address. @category memory @since 0.1.0 */
export function readWord(address: number): number {
  return words[address >> 2]!
}

/** Writes 32 bits. @category memory @since 0.1.0 */
export function writeWord(address: number, value: number): void {
  words[address >> 2] = value
}

/** Index of the lowest bit of a word that is not 0. @category memory @since 0.1.0 */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word)
}

/** Index of the highest bit of a word that is not 0. @category memory @since 0.1.0 */
export function highestBit(word: number): number {
  return 31 - Math.clz32(word)
}

/**
 * Index of the first set bit from `from` on, or `end`; 0 is an address without bits.
 *
 * @category memory
 * @since 0.1.0
 */
export function nextBit(bits: number, from: number, end: number): number {
  if (bits === 0 || from >= end) return end
  const wordEnd = (end + 31) >> 5
  let at = from >> 5
  let word = words[(bits >> 2) + at]! & (-1 << (from & 31))
  while (word === 0) {
    at++
    if (at >= wordEnd) return end
    word = words[(bits >> 2) + at]!
  }
  const found = (at << 5) + lowestBit(word)
  return found < end ? found : end
}

/** A double as an integer. @category memory @since 0.1.0 */
export function toInteger(value: number): number {
  return value | 0
}

/** An integer as a double. @category memory @since 0.1.0 */
export function toDouble(value: number): number {
  return value
}

/** The double without its sign. @category memory @since 0.1.0 */
export function magnitude(value: number): number {
  return Math.abs(value)
}

/** The nearest integer, halves up. @category memory @since 0.1.0 */
export function roundHalfUp(value: number): number {
  return Math.round(value)
}

/** The largest integer that is not above. @category memory @since 0.1.0 */
export function roundDown(value: number): number {
  return Math.floor(value)
}

/**
 * Offset of the first of `count` candles whose low is at most `floor` or whose high is at least
 * `ceiling`, or `count`.
 *
 * @category memory
 * @since 0.1.0
 */
export function firstBeyond(
  low: number,
  high: number,
  count: number,
  floor: number,
  ceiling: number
): number {
  const lowAt = low >> 3
  const highAt = high >> 3
  for (let offset = 0; offset < count; offset++) {
    if (doubles[lowAt + offset]! <= floor || doubles[highAt + offset]! >= ceiling) return offset
  }
  return count
}

/**
 * Where left is above right (`above`) and where it is not (`notAbove`), 32 candles a word; NaN is
 * neither.
 *
 * @category memory
 * @since 0.1.0
 */
export function compareDoubles(
  left: number,
  right: number,
  wordCount: number,
  above: number,
  notAbove: number
): void {
  let leftAt = left >> 3
  let rightAt = right >> 3
  for (let word = 0; word < wordCount; word++) {
    let isAbove = 0
    let isNot = 0
    for (let bit = 0; bit < 32; bit++) {
      const one = doubles[leftAt++]!
      const other = doubles[rightAt++]!
      if (one > other) isAbove |= 1 << bit
      else if (one <= other) isNot |= 1 << bit
    }
    words[(above >> 2) + word] = isAbove
    words[(notAbove >> 2) + word] = isNot
  }
}
