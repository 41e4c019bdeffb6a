/**
 * Texts of a bounded length, counted as the published schemas count it.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/**
 * A text of so many characters. JSON Schema counts code points, JavaScript's `length` does not: a
 * caller that holds to the schema would be refused.
 *
 * @category schemas
 * @since 0.1.0
 */
export const boundedText = (minimum: number, maximum: number): Schema.String => {
  const count = minimum === 0 ? `at most ${maximum}` : `${minimum} to ${maximum}`
  return Schema.String.check(
    Schema.isBetweenCodePoints(minimum, maximum, {
      expected: `a text of ${count} characters`,
      toJsonSchema: () => ({
        ...(minimum === 0 ? {} : { minLength: minimum }),
        maxLength: maximum
      })
    })
  )
}
