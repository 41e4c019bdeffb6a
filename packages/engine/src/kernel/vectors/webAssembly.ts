/**
 * The used part of a host's WebAssembly.
 *
 * Hosts that have none, or no SIMD, run the same as JavaScript.
 *
 * @since 0.1.0
 */

/** A memory; its buffer is another one once it has grown. @category models @since 0.1.0 */
export interface GrowingMemory {
  readonly buffer: ArrayBuffer
  readonly grow: (pages: number) => number
}

interface WebAssemblyHost {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object
  readonly Memory: new (size: { readonly initial: number }) => GrowingMemory
  readonly Instance: new (
    module: object,
    imports: { readonly env: { readonly memory: GrowingMemory } }
  ) => { readonly exports: unknown }
}

const host = (globalThis as { readonly WebAssembly?: WebAssemblyHost }).WebAssembly

/** Bytes of a page of memory. @category memory @since 0.1.0 */
export const pageBytes = 65_536

/** A new memory of so many pages. @category memory @since 0.1.0 */
export const makeMemory = (pages: number): GrowingMemory => new host!.Memory({ initial: pages })

/** Whether there is WebAssembly at all. @category memory @since 0.1.0 */
export const canVectorize = (): boolean => host !== undefined

/** A module's functions over a memory. @category memory @since 0.1.0 */
export interface Instantiate {
  (memory: GrowingMemory): unknown
}

/** The bytes of base64, in a loop: a call for each of them takes longer than compiling a module. */
const decode = (text: string): Uint8Array<ArrayBuffer> => {
  const letters = atob(text)
  const bytes = new Uint8Array(letters.length)
  for (let index = 0; index < bytes.length; index++) bytes[index] = letters.charCodeAt(index)
  return bytes
}

const compile = (text: string): Instantiate | null => {
  if (host === undefined) return null
  try {
    const module = new host.Module(decode(text))
    return (memory) => new host.Instance(module, { env: { memory } }).exports
  } catch {
    return null
  }
}

/**
 * A module of which the bytes are given as base64, compiled when it is first asked for; null where
 * the host can't run it.
 *
 * @category memory
 * @since 0.1.0
 */
export const lazyModule = (text: string): (() => Instantiate | null) => {
  let compiled: Instantiate | null | undefined
  return () => {
    if (compiled === undefined) compiled = compile(text)
    return compiled
  }
}
