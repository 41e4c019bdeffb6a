/**
 * The memory that kernels work on, for hosts without SIMD: typed arrays over one buffer.
 *
 * The kernels are written once, in the common part of TypeScript and AssemblyScript. As TypeScript,
 * these functions read and write here. The build for WebAssembly replaces this file by
 * `assembly/memory.as`, with the same functions as machine instructions. So both forms do the same
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
