/**
 * The memory that kernels work on, for hosts without SIMD: typed arrays over one buffer.
 *
 * The kernels are written once, in what TypeScript and AssemblyScript have in common. As TypeScript
 * they read and write here; when they are built for WebAssembly, `assembly/memory.as` stands in
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

/** An integer as a double. @category memory @since 0.1.0 */
export function toDouble(value: number): number {
  return value
}

/** The double without its sign. @category memory @since 0.1.0 */
export function magnitude(value: number): number {
  return Math.abs(value)
}

/** The second where it is less, else the first. @category memory @since 0.1.0 */
export function lesser(one: number, other: number): number {
  return other < one ? other : one
}

/** The second where it is more, else the first. @category memory @since 0.1.0 */
export function greater(one: number, other: number): number {
  return other > one ? other : one
}

/** The first where that is wanted, else the other. @category memory @since 0.1.0 */
export function chosen(isFirst: boolean, one: number, other: number): number {
  return isFirst ? one : other
}

/** The nearest integer, halves up. @category memory @since 0.1.0 */
export function roundHalfUp(value: number): number {
  return Math.round(value)
}

/** The largest integer that is not above. @category memory @since 0.1.0 */
export function roundDown(value: number): number {
  return Math.floor(value)
}
