/**
 * Names that a definition gives to its own parts: parameters, code, additions.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/** A name in snake_case, of at most 40 letters. @category schemas @since 0.1.0 */
export const SnakeName = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9_]{0,39}$/u, { expected: "a name in snake_case" })
)
