/**
 * The length of a tile, and the offsets of its parts, in bytes from its beginning: all of them
 * follow from the length.
 *
 * Where kernels are built for WebAssembly, files of `assembly/` read it here, too.
 *
 * @since 0.1.0
 */
import type { i32 } from "../../match/number.ts"

/**
 * Candles of a tile: few enough for all that is computed of them to stay in a cache.
 *
 * A tile has 64 words of 32 candles, and one bit a word fits 64 bits; a level's extremes are those
 * of 64 candles. `bits.ts`, `crossing.ts` and their likes in `assembly/` rest on that: another
 * length needs others.
 */
export const tileLength: i32 = 2_048

// Bits of a rule: a word for 32 candles.
/** Words of 32 bits that a tile has. */
export const tileWords: i32 = tileLength >> 5

/** Bytes of a tile's bits; after them are those that say which of their words are not 0. */
export const bitsBytes: i32 = tileWords << 2

/** Bytes of both. */
export const summarizedBytes: i32 = bitsBytes + 8

// Blocks of 64 candles: least low and most high of each.
/** Where the least low of the whole tile is, after those of its blocks. */
export const leastOfAllAt: i32 = (tileLength >> 6) << 4

/** Where its most high is. */
export const mostOfAllAt: i32 = leastOfAllAt + 8

/** Where lows are as floats, and highs after them: only SIMD has them. */
export const floatsAt: i32 = mostOfAllAt + 8

/** Bytes of the lows, or of the highs: a tile's, and the bytes that are read after them. */
export const floatBytes: i32 = (tileLength << 2) + 64

/** Bytes of all of these. */
export const blockBytes: i32 = floatsAt + 2 * floatBytes

// The column of an average: 16 bits a candle, which only SIMD has, and the bytes that are read
// after them.
/** Where the least of each word's candles is, in 16 bits. */
export const leastAt: i32 = (tileLength << 1) + 64

/** Where one step above their most is. */
export const beyondAt: i32 = leastAt + (tileWords << 1)

/** Where the address of its exact values is. */
export const exactAt: i32 = beyondAt + (tileWords << 1)

/** Bytes of the column. */
export const averageBytes: i32 = exactAt + 8

/** Bytes before its exact values, the first of which says whether these were computed. */
export const exactHead: i32 = 64

/** Bytes of its exact values and of the room before them. */
export const exactBytes: i32 = exactHead + (tileLength << 3)
