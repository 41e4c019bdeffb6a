/**
 * Copies of records that nobody can change, neither the caller who gave them nor the one who gets
 * them.
 *
 * @since 0.1.0
 */

// What was copied before is its own copy, so that replacing one field of a large record copies that
// field only.
const copies = new WeakSet<object>()

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
  if (typeof value !== "object" || value === null || copies.has(value)) return value
  const result = Array.isArray(value)
    ? value.map((item: unknown) => (item === undefined ? null : copy(item)))
    : copyFields(value)
  copies.add(result)
  return Object.freeze(result)
}

const copyFields = (value: object): object => {
  const fields: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) {
    if (field !== undefined) fields[name] = copy(field)
  }
  return fields
}
