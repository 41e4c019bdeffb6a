/**
 * The kernels over one memory, as WebAssembly where the host has SIMD, else as JavaScript.
 *
 * A memory is kept at the end of a call, and the next call uses it again. New memory costs more
 * than most of the computing in it. There is one for each thread; a call makes a new one while
 * another call has it.
 *
 * @since 0.1.0
 */
import { attachVectors } from "../kernel/vectors/arrayTiles.ts"
import {
  type GrowingMemory,
  lazyModule,
  makeMemory,
  pageBytes
} from "../kernel/vectors/webAssembly.ts"
import type { Arena } from "./Arena.ts"
import { builtKernels } from "./kernels/built.ts"
import { sumCloses } from "./kernels/averages.ts"
import { prepareAverages, setAverages } from "./kernels/crossing.ts"
import {
  setCandles,
  setCaps,
  setCosts,
  setFunding,
  setPrices,
  setRules,
  setTile
} from "./kernels/market.ts"
import { attachMemory } from "./kernels/memory.ts"
import { runProgram, takeSteps } from "./kernels/program.ts"
import { findExtremes } from "./kernels/ranges.ts"
import { findBlocks, invertCloses, sumReturns } from "./kernels/tile.ts"
import { recordSideChanges } from "./kernels/sideChanges.ts"

const scriptFunctions = {
  findBlocks,
  findExtremes,
  invertCloses,
  prepareAverages,
  recordSideChanges,
  runProgram,
  setAverages,
  setCandles,
  setCaps,
  setCosts,
  setFunding,
  setPrices,
  setRules,
  setTile,
  sumCloses,
  sumReturns,
  takeSteps
}

/** The kernels' functions; addresses are bytes of their memory. @category models @since 0.1.0 */
export type KernelFunctions = typeof scriptFunctions

/** Kernels and the memory they work on. @category models @since 0.1.0 */
export interface Kernels {
  readonly functions: KernelFunctions
  readonly doubles: Float64Array
  readonly words: Int32Array
  readonly memory: KernelMemory
}

/** Memory of kernels as WebAssembly, or as JavaScript. */
interface KernelMemory {
  readonly isWebAssembly: boolean
  buffer: ArrayBuffer
  /** Bytes from the beginning that some call has used: those after them are zeros. */
  used: number
  readonly growing: GrowingMemory | null
}

const instantiate = lazyModule(builtKernels)

/** Bytes up to which a memory is kept. */
const keptMaxBytes = 512 * 1_048_576

let idle: KernelMemory | null = null

/** The idle memory if it is of this kind, made large enough, or a new one. */
const takeMemory = (isWebAssembly: boolean, bytes: number): KernelMemory => {
  const kept = idle?.isWebAssembly === isWebAssembly ? idle : null
  idle = null
  const pages = Math.ceil(bytes / pageBytes)
  if (!isWebAssembly) {
    if (kept !== null && kept.buffer.byteLength >= bytes) return kept
    return { isWebAssembly, buffer: new ArrayBuffer(pages * pageBytes), used: 0, growing: null }
  }
  if (kept === null || kept.growing === null) {
    const growing = makeMemory(pages)
    return { isWebAssembly, buffer: growing.buffer, used: 0, growing }
  }
  const more = pages - kept.buffer.byteLength / pageBytes
  if (more > 0) kept.growing.grow(more)
  kept.buffer = kept.growing.buffer
  return kept
}

/** Kernels over a memory for everything that was given out. @category memory @since 0.1.0 */
export const takeKernels = (arena: Arena, webAssembly: boolean): Kernels => {
  const makeFunctions = webAssembly ? instantiate() : null
  const memory = takeMemory(makeFunctions !== null, arena.size)
  const { buffer, growing } = memory
  const views = { doubles: new Float64Array(buffer), words: new Int32Array(buffer), memory }
  arena.clear(views.words, memory.used)
  memory.used = Math.max(memory.used, arena.size)
  if (makeFunctions === null || growing === null) {
    attachMemory(buffer)
    return { functions: scriptFunctions, ...views }
  }
  // A new instance each time: nothing that one call has set is there in the next.
  attachVectors(growing)
  return { functions: makeFunctions(growing) as KernelFunctions, ...views }
}

/** Keeps the memory for the next call; this call may not use it from here on. */
export const giveBackKernels = ({ memory }: Kernels): void => {
  if (memory.buffer.byteLength <= keptMaxBytes) idle = memory
}
