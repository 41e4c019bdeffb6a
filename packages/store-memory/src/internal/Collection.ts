/**
 * Records by id, and in groups that are kept sorted: a table with its indexes.
 *
 * A record says which groups it is in and by what it sorts there; putting it and removing it keep
 * the groups right. Like a `Table`, a collection never changes: every change makes another one.
 *
 * @since 0.1.0
 */
import { frozenCopy } from "./frozenCopy.ts"
import { Table } from "./Table.ts"

const separator = "\u0000"
const end = "\u0001"

/** Makes one key of several texts. @category models @since 0.1.0 */
export const keyOf = (...parts: ReadonlyArray<string>): string => parts.join(separator)

/** Writes a number so that it sorts as text, to a thousandth. @category models @since 0.1.0 */
export const sortable = (value: number): string =>
  (Math.max(-1e14, Math.min(1e14, value)) + 1e14).toFixed(3).padStart(19, "0")

/** What a collection needs to know of its records. @category models @since 0.1.0 */
export interface Indexing<A> {
  readonly id: (record: A) => string
  /** The groups that a record is in, and what it sorts by there, which is unique within a group. */
  readonly groups: (record: A) => ReadonlyArray<readonly [group: string, sort: string]>
}

/**
 * Records by id and in sorted groups.
 *
 * @category models
 * @since 0.1.0
 */
export class Collection<A> {
  readonly #indexing: Indexing<A>
  readonly #records: Table<A>
  readonly #groups: Table<A>

  private constructor(indexing: Indexing<A>, records: Table<A>, groups: Table<A>) {
    this.#indexing = indexing
    this.#records = records
    this.#groups = groups
  }

  /** A collection without records. */
  static empty<A>(indexing: Indexing<A>): Collection<A> {
    return new Collection<A>(indexing, Table.empty(), Table.empty())
  }

  /** The record with this id. */
  get(id: string): A | undefined {
    return this.#records.get(id)
  }

  /** All records, by rising id. */
  all(): ReadonlyArray<A> {
    return Array.from(this.#records.rising(), ([, record]) => record)
  }

  /** The collection with this record in place of the one that has its id. */
  put(record: A): Collection<A> {
    const kept = frozenCopy(record)
    const id = this.#indexing.id(kept)
    const entries = this.#entriesOf(kept)
    let groups = this.#groups
    const old = this.#records.get(id)
    if (old !== undefined) {
      for (const key of this.#entriesOf(old))
        if (!entries.includes(key)) groups = groups.remove(key)
    }
    for (const key of entries) groups = groups.put(key, kept)
    return new Collection(this.#indexing, this.#records.put(id, kept), groups)
  }

  /** The collection without the record that has this id. */
  remove(id: string): Collection<A> {
    const old = this.#records.get(id)
    if (old === undefined) return this
    let groups = this.#groups
    for (const key of this.#entriesOf(old)) groups = groups.remove(key)
    return new Collection(this.#indexing, this.#records.remove(id), groups)
  }

  /**
   * A group's records from the first by `sort`, beginning at `from`; what is not taken is not
   * visited.
   */
  *oldest(group: string, from = ""): Generator<A> {
    const entries = this.#groups.rising(keyOf(group, from), group + end)
    for (const [, record] of entries) yield record
  }

  /**
   * A group's records from the last by `sort`, beginning below `before`; what is not taken is not
   * visited.
   */
  *newest(group: string, before?: string): Generator<A> {
    const until = before === undefined ? group + end : keyOf(group, before)
    for (const [, record] of this.#groups.falling(keyOf(group, ""), until)) yield record
  }

  /** The first record by `sort` in a group. */
  first(group: string): A | undefined {
    return this.oldest(group).next().value as A | undefined
  }

  /** The last record by `sort` in a group. */
  last(group: string): A | undefined {
    return this.newest(group).next().value as A | undefined
  }

  /**
   * The first record of each group whose name begins so; what is inside the groups is passed over.
   */
  *firstOfEach(prefix: string): Generator<A> {
    let from = prefix
    while (true) {
      const next = this.#groups.rising(from).next().value as readonly [string, A] | undefined
      if (next === undefined || !next[0].startsWith(prefix)) return
      yield next[1]
      from = next[0].slice(0, next[0].lastIndexOf(separator)) + end
    }
  }

  #entriesOf(record: A): ReadonlyArray<string> {
    return this.#indexing.groups(record).map(([group, sort]) => keyOf(group, sort))
  }
}
