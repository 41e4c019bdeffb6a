/**
 * How often each thing happened, so that one sees that histories meet what they are about.
 */

/** A tally by name. */
export class Counts {
  readonly #counts = new Map<string, number>()

  add(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by)
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  addAll(others: Readonly<Record<string, number>>): void {
    for (const [name, by] of Object.entries(others)) this.add(name, by)
  }

  /** By name, in the order of the names. */
  toRecord(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      [...this.#counts].toSorted(([one], [other]) => (one < other ? -1 : 1))
    )
  }
}
