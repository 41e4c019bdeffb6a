/**
 * Records by id, and in groups that are kept sorted: a table with its indexes.
 *
 * A record names its groups and its sort key in each. Putting it and removing it keep the groups
 * right. Like a `SortedMap`, a collection never changes: every change makes another one.
 *
 * @since 0.1.0
 */
import { frozenCopy } from "./frozenCopy.ts"
import { SortedMap } from "./SortedMap.ts"

const separator = "\u0000"

/** Makes one key of several texts. @category models @since 0.1.0 */
export const keyOf = (...parts: ReadonlyArray<string>): string => parts.join(separator)

/** Writes a number so that it sorts as text, to a thousandth. @category models @since 0.1.0 */
export const sortable = (value: number): string =>
  (Math.max(-1e14, Math.min(1e14, value)) + 1e14).toFixed(3).padStart(19, "0")

type Entry = readonly [group: string, sort: string]

/** The facts that a collection needs of its records. @category models @since 0.1.0 */
export interface Indexing<A> {
  readonly id: (record: A) => string
  /** The groups that a record is in, and its sort key there, which is unique within a group. */
  readonly groups: (record: A) => ReadonlyArray<Entry>
}

/** The ids of groups' records by their sort keys, by the groups' names. */
type Family = SortedMap<SortedMap<string>>

/**
 * Families by the beginnings of their groups' names. Very many records may each have a group, as
 * the event of a delivery has; other groups are not searched among those.
 */
type Families = SortedMap<Family>

const familyOf = (group: string): string => {
  const end = group.indexOf(separator)
  return end < 0 ? group : group.slice(0, end)
}

const isAmong = (entries: ReadonlyArray<Entry>, [group, sort]: Entry): boolean =>
  entries.some(([otherGroup, otherSort]) => otherGroup === group && otherSort === sort)

const withEntry = (families: Families, [group, sort]: Entry, id: string): Families => {
  const name = familyOf(group)
  const family = families.get(name) ?? SortedMap.empty()
  const ids = family.get(group) ?? SortedMap.empty()
  return families.put(name, family.put(group, ids.put(sort, id)))
}

const withoutEntry = (families: Families, [group, sort]: Entry): Families => {
  const name = familyOf(group)
  const family = families.get(name)
  const ids = family?.get(group)
  if (family === undefined || ids === undefined) return families
  const rest = ids.remove(sort)
  const kept = rest.size === 0 ? family.remove(group) : family.put(group, rest)
  return kept.size === 0 ? families.remove(name) : families.put(name, kept)
}

/**
 * Records by id and in sorted groups.
 *
 * Groups have ids, and each is a table of its own. A record that stays in its place of a group
 * changes nothing there, and one that comes and goes in a small group changes little.
 *
 * @category models
 * @since 0.1.0
 */
export class Collection<A> {
  readonly #indexing: Indexing<A>
  readonly #records: SortedMap<A>
  readonly #families: Families

  private constructor(indexing: Indexing<A>, records: SortedMap<A>, families: Families) {
    this.#indexing = indexing
    this.#records = records
    this.#families = families
  }

  /** A collection without records. */
  static empty<A>(indexing: Indexing<A>): Collection<A> {
    return new Collection<A>(indexing, SortedMap.empty(), SortedMap.empty())
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
    let families = this.#families
    for (const entry of before) if (!isAmong(after, entry)) families = withoutEntry(families, entry)
    for (const entry of after)
      if (!isAmong(before, entry)) families = withEntry(families, entry, id)
    return new Collection(this.#indexing, this.#records.put(id, kept), families)
  }

  /** The collection without the record that has this id. */
  remove(id: string): Collection<A> {
    const old = this.#records.get(id)
    if (old === undefined) return this
    const families = this.#indexing.groups(old).reduce(withoutEntry, this.#families)
    return new Collection(this.#indexing, this.#records.remove(id), families)
  }

  /**
   * A group's records from the first by `sort`, beginning at `from`. It visits only the records
   * that are taken.
   */
  *oldest(group: string, from = ""): Generator<A> {
    const ids = this.#idsOf(group)?.rising(from) ?? []
    for (const [, id] of ids) yield this.#records.get(id)!
  }

  /**
   * A group's records from the last by `sort`, beginning below `before`. It visits only the records
   * that are taken.
   */
  *newest(group: string, before?: string): Generator<A> {
    const ids = this.#idsOf(group)?.falling("", before) ?? []
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

  /** How many records a group has. */
  countOf(group: string): number {
    return this.#idsOf(group)?.size ?? 0
  }

  /** The first record of each group of a family; others in the groups are passed over. */
  *firstOfEach(family: string): Generator<A> {
    for (const [, ids] of this.#families.get(family)?.rising() ?? []) {
      const [first] = ids.rising()
      yield this.#records.get(first![1])!
    }
  }

  #idsOf(group: string): SortedMap<string> | undefined {
    return this.#families.get(familyOf(group))?.get(group)
  }
}
