/**
 * Where something is in the kernels' memory, and how far it moves from one tile to the next.
 *
 * @since 0.1.0
 */

/** An address in the first tile, and what is added to it for each tile after. */
export interface Place {
  readonly base: number
  readonly stride: number
}

/** Candles of a tile: few enough for all that is computed of them to stay in a cache. */
export const tileLength = 2_048

/** Words of 32 bits that a tile has. */
export const tileWords = tileLength / 32

/** Bytes of a tile's bits. */
export const bitsBytes = tileWords * 4

/** Bytes of a tile's bits, and of those that say which of their words are not 0. */
export const summarizedBytes = bitsBytes + 8
