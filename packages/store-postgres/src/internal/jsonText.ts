/**
 * Values as JSON text that reads back as the same numbers.
 *
 * @since 0.1.0
 */

// In every engine since Node 22, and not in the types of ES2024.
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON: (text: string) => unknown }

const hasMinusZero = (value: unknown): boolean =>
  Object.is(value, -0) ||
  (typeof value === "object" && value !== null && Object.values(value).some(hasMinusZero))

const keepMinusZero = (_: string, value: unknown): unknown =>
  Object.is(value, -0) ? rawJSON("-0") : value

/**
 * A value as JSON, for a column of type `json`.
 *
 * **Gotchas**
 *
 * `JSON.stringify` alone writes -0 as 0. A column of type `jsonb` would do so too, and refuses
 * texts with a NUL character, which a receiver's answer may well have.
 *
 * @category models
 * @since 0.1.0
 */
export const jsonText = (value: unknown): string =>
  hasMinusZero(value) ? JSON.stringify(value, keepMinusZero) : JSON.stringify(value)
