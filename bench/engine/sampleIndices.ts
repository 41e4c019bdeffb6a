/**
 * A few of many, evenly spaced from the first to the last.
 */

/** Indices below `length`; all of them where there are not more than `count`. */
export const sampleIndices = (length: number, count: number): ReadonlyArray<number> =>
  length <= count
    ? Array.from({ length }, (_, index) => index)
    : Array.from({ length: count }, (_, index) =>
        Math.round((index * (length - 1)) / Math.max(1, count - 1))
      )
