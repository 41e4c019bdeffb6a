/**
 * Columns in memory of WebAssembly, where indicators are computed without being copied.
 *
 * @since 0.1.0
 */
import { attachVectors } from "./vectors/arrayTiles.ts"
import { canVectorize, makeMemory, pageBytes } from "./vectors/webAssembly.ts"

/** The bytes before the first column belong to kernels. */
const firstByte = 1_024

/**
 * Columns of zeros whose indicators are computed where they are: both the source and the target
 * (`into`) must be columns of one call.
 *
 * **When to use**
 *
 * Pays off where many indicators of long series are computed again and again. Any other arrays work
 * as well, and are copied on the way in and out.
 *
 * **Gotchas**
 *
 * They can't be sent to another thread without a copy.
 *
 * @category models
 * @since 0.1.0
 */
export const makeFastColumns = (count: number, length: number): ReadonlyArray<Float64Array> => {
  const indices = Array.from({ length: count }, (_, index) => index)
  if (!canVectorize()) return indices.map(() => new Float64Array(length))
  // Columns end with room for reads and writes in pairs, and begin in different places of a page.
  // Columns that follow each other at the same pace would crowd the same part of a cache.
  const bytes = Math.ceil((length * 8) / 4_096) * 4_096 + 4_096 + 320
  const memory = makeMemory(Math.ceil((firstByte + count * bytes) / pageBytes))
  attachVectors(memory)
  return indices.map((index) => new Float64Array(memory.buffer, firstByte + index * bytes, length))
}
