/**
 * The kernels over one memory, as WebAssembly where the host has SIMD, else as JavaScript.
 *
 * @since 0.1.0
 */
import { builtKernels } from "./kernels/built.ts"
import { sumCloses } from "./kernels/averages.ts"
import { prepareAverage, setAverages } from "./kernels/crossing.ts"
import { setCandles, setCosts, setRules, setTile } from "./kernels/market.ts"
import { attachMemory } from "./kernels/memory.ts"
import { runProgram, takeSteps } from "./kernels/program.ts"
import { findBlocks, findExtremes, sumReturns } from "./kernels/tile.ts"

const twins = {
  findBlocks,
  findExtremes,
  prepareAverage,
  runProgram,
  setAverages,
  setCandles,
  setCosts,
  setRules,
  setTile,
  sumCloses,
  sumReturns,
  takeSteps
}

/** The kernels' functions; addresses are bytes of their memory. @category models @since 0.1.0 */
export type KernelFunctions = typeof twins

/** Kernels and the memory they work on. @category models @since 0.1.0 */
export interface Kernels {
  readonly functions: KernelFunctions
  readonly doubles: Float64Array
  readonly words: Int32Array
}

/** What the engine needs of a host's WebAssembly. */
interface WebAssemblyHost {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer }
  readonly Instance: new (
    module: object,
    imports: { readonly env: { readonly memory: object } }
  ) => { readonly exports: unknown }
}

const host = (globalThis as { readonly WebAssembly?: WebAssemblyHost }).WebAssembly

const pageSize = 65_536

const decode = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))

let compiled: object | null | undefined

/** The module, or null where the host can't run it. */
const compile = (): object | null => {
  if (compiled !== undefined) return compiled
  try {
    compiled = host === undefined ? null : new host.Module(decode(builtKernels))
  } catch {
    compiled = null
  }
  return compiled
}

/** Kernels over a memory of this many bytes. @category memory @since 0.1.0 */
export const makeKernels = (bytes: number, webAssembly: boolean): Kernels => {
  const module = webAssembly ? compile() : null
  const pages = Math.ceil(bytes / pageSize)
  if (module === null || host === undefined) {
    const buffer = new ArrayBuffer(pages * pageSize)
    attachMemory(buffer)
    return {
      functions: twins,
      doubles: new Float64Array(buffer),
      words: new Int32Array(buffer)
    }
  }
  const memory = new host.Memory({ initial: pages })
  const { exports } = new host.Instance(module, { env: { memory } })
  return {
    functions: exports as KernelFunctions,
    doubles: new Float64Array(memory.buffer),
    words: new Int32Array(memory.buffer)
  }
}
