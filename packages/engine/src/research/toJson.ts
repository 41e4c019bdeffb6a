/**
 * Results as JSON holds them: plain arrays, and null where there is no number.
 */

const toPlain = (value: unknown): unknown => {
  if (typeof value === "number") return Number.isFinite(value) ? value : null
  if (typeof value !== "object" || value === null) return value
  if (value instanceof Float64Array) return Array.from(value, toPlain)
  if ("toJSON" in value && typeof value.toJSON === "function") return toPlain(value.toJSON())
  return Array.isArray(value) ? value.map(toPlain) : plainFields(value)
}

const plainFields = (value: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toPlain(field)]))

/** The method that `JSON.stringify` calls on a result. @category models @since 0.1.0 */
export interface ToJson {
  /** Plain arrays and objects; null stands where there is no number. */
  readonly toJSON: () => Readonly<Record<string, unknown>>
}

/** A result that knows its JSON; the method is hidden, so that threads can be sent the rest. */
export const withJson = <Result extends object>(result: Result): Result & ToJson => {
  const toJSON = () => plainFields(result)
  // The property that the type names is the one that was just defined.
  return Object.defineProperty(result, "toJSON", { value: toJSON }) as Result & ToJson
}
