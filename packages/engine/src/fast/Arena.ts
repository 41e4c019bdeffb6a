/**
 * Addresses for everything that kernels work on, given out before the memory exists.
 *
 * The memory may have been used before. The arena clears its ranges before it gives them out again,
 * except columns, whose owner writes every value.
 *
 * @since 0.1.0
 */

/** The first bytes stay free, so that 0 is no address. */
const firstAddress = 1_024

/** Gives out addresses one after the other. @category memory @since 0.1.0 */
export class Arena {
  #size = firstAddress
  readonly #zeros: Array<{ readonly from: number; readonly until: number }> = []

  /** Bytes that were given out. */
  get size(): number {
    return this.#size
  }

  /** Room for this many bytes, on a cache line of its own, zeros at the start. */
  take(bytes: number): number {
    return this.#take(bytes, 0)
  }

  /** Room for doubles that are read in eights, zeros at the start. */
  takeDoubles(count: number): number {
    return this.take((count + 64) * 8)
  }

  /** Room for doubles that are read in eights, each of which is written before it is read. */
  takeColumn(count: number): number {
    return this.#take((count + 64) * 8, count * 8)
  }

  /**
   * Makes everything zero but the columns; the bytes after a column's values are zero as well. Only
   * the first `used` bytes have held anything: nothing after them is touched.
   */
  clear(words: Int32Array, used: number): void {
    words.fill(0, 0, Math.min(firstAddress, used) / 4)
    for (const { from, until } of this.#zeros) {
      if (from < used) words.fill(0, from / 4, Math.min(until, used) / 4)
    }
  }

  #take(bytes: number, written: number): number {
    const address = this.#size
    this.#size += Math.ceil((bytes + 64) / 64) * 64
    this.#zeros.push({ from: address + written, until: this.#size })
    return address
  }
}
