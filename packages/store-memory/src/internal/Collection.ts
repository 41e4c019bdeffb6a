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

/** Makes one key of several texts. @category models @since 0.1.0 */
export const keyOf = (...parts: ReadonlyArray<string>): string => parts.join("\u0000")

/** Writes a number so that it sorts as text, to a thousandth. @category models @since 0.1.0 */
export const sortable = (value: number): string =>
  (Math.max(-1e14, Math.min(1e14, value)) + 1e14).toFixed(3).padStart(19, "0")

type Entry = readonly [group: string, sort: string]

/** What a collection needs to know of its records. @category models @since 0.1.0 */
export interface Indexing<A> {
  readonly id: (record: A) => string
  /** The groups that a record is in, and what it sorts by there, which is unique within a group. */
  readonly groups: (record: A) => ReadonlyArray<Entry>
}

/** The ids of each group's records by what these sort by. */
type Groups = Table<Table<string>>

const isAmong = (entries: ReadonlyArray<Entry>, [group, sort]: Entry): boolean =>
  entries.some(([otherGroup, otherSort]) => otherGroup === group && otherSort === sort)

const withEntry = (groups: Groups, [group, sort]: Entry, id: string): Groups =>
  groups.put(group, (groups.get(group) ?? Table.empty<string>()).put(sort, id))

const withoutEntry = (groups: Groups, [group, sort]: Entry): Groups => {
  const rest = groups.get(group)?.remove(sort)
  return rest === undefined || rest.size === 0 ? groups.remove(group) : groups.put(group, rest)
}

/**
 * Records by id and in sorted groups.
 *
 * Groups have ids, and each is a table of its own: a record that stays where it was in a group
 * changes nothing there, and one that comes and goes in a small group changes little.
 *
 * @category models
 * @since 0.1.0
 */
export class Collection<A> {
  readonly #indexing: Indexing<A>
  readonly #records: Table<A>
  readonly #groups: Groups

  private constructor(indexing: Indexing<A>, records: Table<A>, groups: Groups) {
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
    const old = this.#records.get(id)
    const before = old === undefined ? [] : this.#indexing.groups(old)
    const after = this.#indexing.groups(kept)
    let groups = this.#groups
    for (const entry of before) if (!isAmong(after, entry)) groups = withoutEntry(groups, entry)
    for (const entry of after) if (!isAmong(before, entry)) groups = withEntry(groups, entry, id)
    return new Collection(this.#indexing, this.#records.put(id, kept), groups)
  }

  /** The collection without the record that has this id. */
  remove(id: string): Collection<A> {
    const old = this.#records.get(id)
    if (old === undefined) return this
    const groups = this.#indexing.groups(old).reduce(withoutEntry, this.#groups)
    return new Collection(this.#indexing, this.#records.remove(id), groups)
  }

  /**
   * A group's records from the first by `sort`, beginning at `from`; what is not taken is not
   * visited.
   */
  *oldest(group: string, from = ""): Generator<A> {
    const ids = this.#groups.get(group)?.rising(from) ?? []
    for (const [, id] of ids) yield this.#records.get(id)!
  }

  /**
   * A group's records from the last by `sort`, beginning below `before`; what is not taken is not
   * visited.
   */
  *newest(group: string, before?: string): Generator<A> {
    const ids = this.#groups.get(group)?.falling("", before) ?? []
    for (const [, id] of ids) yield this.#records.get(id)!
  }

  /** The first record by `sort` in a group. */
  first(group: string): A | undefined {
    return this.oldest(group).next().value as A | undefined
  }

  /** The last record by `sort` in a group. */
  last(group: string): A | undefined {
    return this.newest(group).next().value as A | undefined
  }

  /** The first record of each group whose name begins so; others in the groups are passed over. */
  *firstOfEach(prefix: string): Generator<A> {
    for (const [group] of this.#groups.rising(prefix)) {
      if (!group.startsWith(prefix)) return
      yield this.first(group)!
    }
  }
}
