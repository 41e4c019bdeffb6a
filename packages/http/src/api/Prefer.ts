/**
 * The `Prefer: wait=N` header (RFC 7240), which holds an answer until a run is over.
 *
 * @since 0.1.0
 */
import { Limits } from "@candlewick/core/domain"
import { Schema } from "effect"

/** The request headers of operations that start a run. @category schemas @since 0.1.0 */
export const preferHeaders = { prefer: Schema.optionalKey(Schema.String) }

/** The effect of the header, for the description of an operation. @category tables @since 0.1.0 */
export const waitDescription =
  `Answers 202 at once. With \`Prefer: wait=N\` (at most ${Limits.waitMaxSeconds} seconds) ` +
  "the answer is held until the run is over (201) or N seconds have passed (202); `Preference-Applied` confirms it."
