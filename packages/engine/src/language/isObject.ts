/**
 * A check of values that programs without types may pass.
 *
 * @since 0.1.0
 */

/** Whether a value is an object with fields, and no array. @category checks @since 0.1.0 */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
