/**
 * Addresses for everything that kernels work on, given out before the memory exists.
 *
 * @since 0.1.0
 */

/** The first bytes stay free, so that 0 is no address. */
const firstAddress = 1_024

/** Gives out addresses one after the other. @category memory @since 0.1.0 */
export class Arena {
  #size = firstAddress

  /** Bytes that were given out. */
  get size(): number {
    return this.#size
  }

  /** Room for this many bytes, on a cache line of its own. */
  take(bytes: number): number {
    const address = this.#size
    this.#size += Math.ceil((bytes + 64) / 64) * 64
    return address
  }

  /** Room for doubles that are read in eights. */
  takeDoubles(count: number): number {
    return this.take((count + 64) * 8)
  }
}
