/**
 * The figures of some of the runs of a sweep.
 */
import type { Figures } from "./Engine.ts"

/** Four numbers after four, in the order of `indices`. */
export const figuresAt = (figures: Figures, indices: ReadonlyArray<number>): Figures => {
  const picked = new Float64Array(indices.length * 4)
  indices.forEach((index, at) => picked.set(figures.subarray(index * 4, index * 4 + 4), at * 4))
  return picked
}
