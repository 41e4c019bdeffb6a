/**
 * Copies of records that neither their writer nor their reader can change.
 *
 * @since 0.1.0
 */

// A constructor that returns an object has the fields of the class below it put into that object.
// oxlint-disable-next-line typescript/no-extraneous-class -- the constructor is what it is for
class Itself {
  constructor(value: object) {
    return value
  }
}

/**
 * A mark inside of a copy, which is its own copy. So replacing one field of a large record copies
 * that field only. A weak set of all copies would stop the process for as long as it takes to move
 * them into a larger one. That is a third of a second at 700 000.
 */
class Copied extends Itself {
  readonly #isCopied = true

  static has(value: object): boolean {
    return #isCopied in value && value.#isCopied
  }
}

/**
 * Copies a record as its JSON would be read back, and freezes all of it.
 *
 * @category models
 * @since 0.1.0
 */
export const frozenCopy = <A>(value: A): A => copy(value) as A

const copy = (value: unknown): unknown => {
  // JSON has no other numbers, and a store on disk would lose them too.
  if (typeof value === "number") return Number.isFinite(value) ? value : null
  if (typeof value !== "object" || value === null || Copied.has(value)) return value
  const result = Array.isArray(value)
    ? value.map((item: unknown) => (item === undefined ? null : copy(item)))
    : copyFields(value)
  return Object.freeze(new Copied(result))
}

const copyFields = (value: object): object => {
  const fields: Record<string, unknown> = { ...value }
  for (const name of Object.keys(fields)) {
    const field = fields[name]
    // Fields that stay are not written again, so that the object keeps the shape of the record's.
    if (field === undefined) delete fields[name]
    else if (typeof field === "object" || typeof field === "number") fields[name] = copy(field)
  }
  return fields
}
