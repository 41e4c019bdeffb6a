/**
 * A tunable number of a strategy, and a setting, which is a number or a parameter.
 *
 * A parameter has a default, bounds and a step. A setting is fixed for a whole run, so that a
 * search changes it between runs only.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/**
 * A number that an optimization may change, within its bounds.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Parameter = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("integer"),
    default: Schema.Int,
    min: Schema.Int,
    max: Schema.Int,
    step: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0)))
  }),
  Schema.Struct({
    kind: Schema.Literal("float"),
    default: Schema.Finite,
    min: Schema.Finite,
    max: Schema.Finite,
    step: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThan(0))),
    log: Schema.optionalKey(Schema.Boolean)
  }),
  Schema.Struct({
    kind: Schema.Literal("choice"),
    default: Schema.Finite,
    options: Schema.NonEmptyArray(Schema.Finite)
  })
]).annotate({ expected: 'a parameter such as {"kind":"integer","default":10,"min":2,"max":50}' })

/** A number that an optimization may change, within its bounds. @category models @since 0.1.0 */
export type Parameter = typeof Parameter.Type

/** The value of every parameter of a strategy, by name. @category schemas @since 0.1.0 */
export const ParameterValues = Schema.Record(Schema.String, Schema.Finite)

/** The value of every parameter of a strategy, by name. @category models @since 0.1.0 */
export type ParameterValues = typeof ParameterValues.Type

/**
 * A value fixed for a whole run: a number, or a parameter by name.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Setting = Schema.Union([Schema.Finite, Schema.Struct({ parameter: Schema.String })])

/**
 * A value fixed for a whole run: a number, or a parameter by name.
 *
 * @category models
 * @since 0.1.0
 */
export type Setting = typeof Setting.Type
