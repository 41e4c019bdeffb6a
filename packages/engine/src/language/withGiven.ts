/**
 * Faults that name the given value, besides the expected one.
 *
 * @since 0.1.0
 */
import type { Fault } from "./Fault.ts"

/** So much of a text is shown. */
const shownMax = 40

/** A value in a few words, however large it is. @category faults @since 0.1.0 */
export const describeValue = (value: unknown): string => {
  if (typeof value === "string") {
    const isLong = value.length > shownMax
    return JSON.stringify(isLong ? `${value.slice(0, shownMax)}…` : value)
  }
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return "an array"
  if (typeof value === "function") return "a function"
  if (typeof value !== "object" || value === null) return String(value)
  const type = "type" in value ? value.type : undefined
  return typeof type === "string" ? `an object of type ${describeValue(type)}` : "an object"
}

/** The value at a JSON pointer, or undefined. @category faults @since 0.1.0 */
export const givenAt = (input: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (value, token) =>
        typeof value === "object" && value !== null
          ? (value as Readonly<Record<string, unknown>>)[token]
          : undefined,
      input
    )

/**
 * The fault with the given value at its place, where it names the expected one.
 *
 * @category faults
 * @since 0.1.0
 */
export const withGiven =
  (input: unknown) =>
  (fault: Fault): Fault => {
    if (!fault.message.startsWith("Expected ")) return fault
    const [expected, ...more] = fault.message.split("; ")
    const got = `${expected}, got ${describeValue(givenAt(input, fault.pointer))}`
    return { ...fault, message: [got, ...more].join("; ") }
  }
