/**
 * Parameters that several tools have.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/** A text with its description for models. @category schemas @since 0.1.0 */
export const text = (description: string) => Schema.String.annotate({ description })

/** The same, where it may be left out. @category schemas @since 0.1.0 */
export const optionalText = (description: string) => Schema.optionalKey(text(description))

/** How many of a list. @category schemas @since 0.1.0 */
export const limit = Schema.optionalKey(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 })).annotate({
    description: "How many, 20 unless it is given."
  })
)

/** How many of a list unless a caller says so. @category constants @since 0.1.0 */
export const limitDefault = 20

/** The consent of a person. @category schemas @since 0.1.0 */
export const confirm = Schema.optionalKey(
  Schema.String.annotate({
    description: "The code of the answer before, once the user has agreed. Never make one up."
  })
)

/** Values of a strategy's parameters. @category schemas @since 0.1.0 */
export const values = Schema.optionalKey(
  Schema.Record(Schema.String, Schema.Finite).annotate({
    description: "Values of the strategy's parameters by name."
  })
)

/** Markets such as BTC/USDT. @category schemas @since 0.1.0 */
export const symbols = Schema.optionalKey(
  Schema.Array(Schema.String).annotate({ description: "Markets such as BTC/USDT." })
)

/** The time that a run begins and ends at. @category schemas @since 0.1.0 */
export const stretch = {
  from: optionalText("First time, such as 2025-01-01T00:00:00.000Z."),
  to: optionalText("Time that is left out again, in the same form.")
}
