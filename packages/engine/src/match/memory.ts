/**
 * The block of bytes that the matcher's functions work on, as typed arrays.
 *
 * Where the matcher is built for WebAssembly, `assembly/memory.as` stands in this file's place: the
 * same functions as machine instructions. Addresses are bytes.
 *
 * @since 0.1.0
 */

/** One block, as doubles and as words. @category models @since 0.1.0 */
export interface MatcherBlock {
  readonly doubles: Float64Array
  readonly words: Int32Array
}

const nothing: MatcherBlock = { doubles: new Float64Array(0), words: new Int32Array(0) }
let attached = nothing
let { doubles, words } = nothing

/** Makes the matcher's functions work on this block. @category memory @since 0.1.0 */
export function attachBlock(block: MatcherBlock): void {
  if (block === attached) return
  attached = block
  doubles = block.doubles
  words = block.words
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
