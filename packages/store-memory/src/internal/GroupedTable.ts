/**
 * Maps that can roll back: each write notes how it is undone.
 *
 * @since 0.1.0
 */

/** How to undo what was written, newest last; writes outside a transaction note nothing. */
export class UndoLog {
  #steps: Array<() => void> = []

  /** Notes how one write is undone. */
  note(undo: () => void): void {
    this.#steps.push(undo)
  }

  /** A point to roll back to. */
  mark(): number {
    return this.#steps.length
  }

  /** Undoes everything since a point, newest first. */
  rollBack(to: number): void {
    while (this.#steps.length > to) this.#steps.pop()!()
  }

  /** Forgets how to undo: everything is kept. */
  clear(): void {
    this.#steps = []
  }
}

/** Index of the first key that is not below `key`. */
const search = (keys: ReadonlyArray<string>, key: string): number => {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (keys[middle]! < key) low = middle + 1
    else high = middle
  }
  return low
}

const insertKey = (keys: Array<string>, key: string): void => {
  const at = search(keys, key)
  if (keys[at] !== key) keys.splice(at, 0, key)
}

const removeKey = (keys: Array<string>, key: string): void => {
  const at = search(keys, key)
  if (keys[at] === key) keys.splice(at, 1)
}

/** Records by key, in groups whose keys are kept in order. */
export class GroupedTable<A> {
  readonly #log: UndoLog
  readonly #groupOf: (record: A) => string
  readonly #records = new Map<string, A>()
  readonly #groups = new Map<string, Array<string>>()

  constructor(log: UndoLog, groupOf: (record: A) => string = () => "") {
    this.#log = log
    this.#groupOf = groupOf
  }

  get(key: string): A | undefined {
    return this.#records.get(key)
  }

  has(key: string): boolean {
    return this.#records.has(key)
  }

  put(key: string, record: A): void {
    const before = this.#records.get(key)
    this.#log.note(() => (before === undefined ? this.#remove(key) : this.#put(key, before)))
    this.#put(key, record)
  }

  delete(key: string): boolean {
    const before = this.#records.get(key)
    if (before === undefined) return false
    this.#log.note(() => this.#put(key, before))
    this.#remove(key)
    return true
  }

  /** A group's records in the order of their keys. */
  ascending(group = ""): ReadonlyArray<A> {
    return (this.#groups.get(group) ?? []).map((key) => this.#records.get(key)!)
  }

  /** A group's first records, at most `count`. */
  first(count: number, group = ""): ReadonlyArray<A> {
    return (this.#groups.get(group) ?? []).slice(0, count).map((key) => this.#records.get(key)!)
  }

  /** A group's keys in order. */
  keys(group = ""): ReadonlyArray<string> {
    return this.#groups.get(group) ?? []
  }

  /** The names of all groups that have records. */
  groups(): ReadonlyArray<string> {
    return [...this.#groups.keys()]
  }

  /** Up to `count` of a group's records from the last key backwards, before `before` where it is given. */
  descending(
    group: string,
    count: number,
    before?: string,
    isWanted: (record: A) => boolean = () => true
  ): ReadonlyArray<A> {
    const keys = this.#groups.get(group) ?? []
    const found: Array<A> = []
    let index = before === undefined ? keys.length : search(keys, before)
    while (index-- > 0 && found.length < count) {
      const record = this.#records.get(keys[index]!)!
      if (isWanted(record)) found.push(record)
    }
    return found
  }

  #put(key: string, record: A): void {
    const before = this.#records.get(key)
    const group = this.#groupOf(record)
    if (before !== undefined && this.#groupOf(before) !== group) this.#remove(key)
    this.#records.set(key, record)
    const keys = this.#groups.get(group)
    if (keys === undefined) this.#groups.set(group, [key])
    else if (before === undefined) insertKey(keys, key)
  }

  #remove(key: string): void {
    const record = this.#records.get(key)
    if (record === undefined) return
    this.#records.delete(key)
    const group = this.#groupOf(record)
    const keys = this.#groups.get(group)!
    removeKey(keys, key)
    if (keys.length === 0) this.#groups.delete(group)
  }
}
