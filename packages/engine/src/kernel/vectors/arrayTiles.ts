/**
 * Arrays as the kernels of indicators see them.
 *
 * They stay in place, if they lie in memory of kernels; else they are copied into a small one, tile
 * by tile.
 *
 * @since 0.1.0
 */
import { builtVectors } from "./built.ts"
import { type GrowingMemory, lazyModule, makeMemory } from "./webAssembly.ts"

type Follow = (source: number, into: number, apart: number, count: number, weight: number) => void

/** The kernels; `assembly/vectors.as` describes them. @category models @since 0.1.0 */
export interface VectorFunctions {
  readonly followAverage: (...args: [...Parameters<Follow>, states: number]) => void
  readonly followMoves: (...args: [...Parameters<Follow>, states: number]) => void
  readonly followRanges: (
    high: number,
    low: number,
    close: number,
    into: number,
    apart: number,
    count: number,
    weight: number,
    states: number
  ) => void
  readonly followDifference: (
    source: number,
    differences: number,
    averages: number,
    histogram: number,
    apart: number,
    count: number,
    fastWeight: number,
    slowWeight: number,
    signalWeight: number,
    states: number
  ) => void
  readonly hasGap: (source: number, count: number) => number
  readonly areWhole: (source: number, count: number, scale: number, max: number) => number
  readonly meanBlocks: (
    source: number,
    into: number,
    block: number,
    end: number,
    period: number,
    scale: number
  ) => number
  readonly bandBlocks: (
    source: number,
    middle: number,
    upper: number,
    lower: number,
    block: number,
    end: number,
    period: number,
    deviations: number,
    scale: number
  ) => number
}

/** Candles of a tile of a stretch: the values of four stretches stay in a cache. */
export const vectorTile = 4_096

/** Columns that are followed side by side. */
export const stretchCount = 4

/** Arrays that one kernel reads and writes at most. */
const arraysMax = 4

/** Values before a tile that are there too: the one before, in an aligned place. */
const lead = 8
const slotLength = vectorTile + lead

/** Values of an array that there is room for at once. */
export const tileArrayLength = stretchCount * slotLength

/** Where states are; the own memory of kernels begins behind. */
const statesAt = 512

const toFunctions = lazyModule(builtVectors)

interface VectorMemory {
  readonly doubles: Float64Array
  readonly functions: VectorFunctions
}

/** Memories of which arrays may be views, and the kernels over them once they are needed. */
const memories = new WeakMap<ArrayBufferLike, () => VectorMemory>()

/**
 * Makes kernels work on views of this memory where they are. Bytes 512 to 1024 are theirs.
 *
 * @category memory
 * @since 0.1.0
 */
export const attachVectors = (memory: GrowingMemory): void => {
  let made: VectorMemory | undefined
  memories.set(memory.buffer, () => {
    made ??= {
      doubles: new Float64Array(memory.buffer),
      functions: toFunctions()!(memory) as VectorFunctions
    }
    return made
  })
}

let scratch: VectorMemory | undefined

const scratchMemory = (): VectorMemory => {
  if (scratch === undefined) {
    const memory = makeMemory(Math.ceil((1_024 + arraysMax * tileArrayLength * 8) / 65_536))
    attachVectors(memory)
    scratch = memories.get(memory.buffer)!()
  }
  return scratch
}

/** The arrays of one column, ready for kernels. @category memory @since 0.1.0 */
export interface ArrayTiles {
  readonly functions: VectorFunctions
  /** Where each array's first value of the tile is: those that are read, then those written. */
  readonly addresses: Array<number>
  /** The memory that kernels keep from tile to tile. */
  readonly states: Float64Array
  readonly statesAt: number
  /**
   * Lays out `count` values from `from` on, of four stretches `apart` values from each other, or
   * of one alone (0); returns the bytes between them.
   */
  readonly lay: (from: number, count: number, apart: number, before: number) => number
  /** Takes back the written values. */
  readonly keep: (from: number, count: number, apart: number) => void
}

const statesOf = (doubles: Float64Array): Float64Array =>
  doubles.subarray(statesAt / 8, statesAt / 8 + 32)

const tilesInPlace = (
  { doubles, functions }: VectorMemory,
  arrays: ReadonlyArray<Float64Array | null>
): ArrayTiles => {
  const addresses = arrays.map(() => 0)
  return {
    functions,
    addresses,
    states: statesOf(doubles),
    statesAt,
    lay: (from, _count, apart) => {
      arrays.forEach((array, nth) => {
        addresses[nth] = array === null ? 0 : array.byteOffset + from * 8
      })
      return apart * 8
    },
    keep: () => {}
  }
}

const tilesOfCopies = (
  { doubles, functions }: VectorMemory,
  sources: ReadonlyArray<Float64Array>,
  outputs: ReadonlyArray<Float64Array | null>
): ArrayTiles => {
  const placeOf = (nth: number): number => 1_024 / 8 + nth * tileArrayLength
  const addresses = [...sources, ...outputs].map(() => 0)
  const copy = (source: Float64Array, from: number, until: number, at: number): void =>
    doubles.set(source.subarray(from, until), at)
  return {
    functions,
    addresses,
    states: statesOf(doubles),
    statesAt,
    lay: (from, count, apart, before) => {
      const room = Math.ceil(before / 8) * 8
      sources.forEach((source, nth) => {
        const at = placeOf(nth) + room
        addresses[nth] = at * 8
        for (let stretch = 0; stretch < (apart === 0 ? 1 : stretchCount); stretch++) {
          const first = from + stretch * apart
          copy(source, first - before, first + count, at + stretch * slotLength - before)
        }
      })
      outputs.forEach((output, nth) => {
        const place = (placeOf(sources.length + nth) + room) * 8
        addresses[sources.length + nth] = output === null ? 0 : place
      })
      return apart === 0 ? 0 : slotLength * 8
    },
    keep: (from, count, apart) => {
      outputs.forEach((output, nth) => {
        const at = addresses[sources.length + nth]! / 8
        for (let stretch = 0; stretch < (apart === 0 ? 1 : stretchCount); stretch++) {
          const first = at + stretch * slotLength
          output?.set(doubles.subarray(first, first + count), from + stretch * apart)
        }
      })
    }
  }
}

/**
 * Tiles of these arrays, or null where the host has no SIMD; an output without a reader is null.
 *
 * @category memory
 * @since 0.1.0
 */
export const makeArrayTiles = (
  sources: ReadonlyArray<Float64Array>,
  outputs: ReadonlyArray<Float64Array | null>
): ArrayTiles | null => {
  if (toFunctions() === null) return null
  const { buffer } = sources[0]!
  const inPlace = memories.get(buffer)
  const arrays = [...sources, ...outputs]
  return inPlace !== undefined && arrays.every((array) => array === null || array.buffer === buffer)
    ? tilesInPlace(inPlace(), arrays)
    : tilesOfCopies(scratchMemory(), sources, outputs)
}
