/**
 * The bounds of one parameter in one search.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/**
 * Bounds that narrow or widen a strategy's parameter for one search.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ParameterRange = Schema.Struct({
  name: Schema.String,
  min: Schema.Finite,
  max: Schema.Finite,
  step: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThan(0)))
})

/** Bounds of a parameter for one search. @category models @since 0.1.0 */
export type ParameterRange = typeof ParameterRange.Type
