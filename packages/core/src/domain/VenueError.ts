/**
 * The reasons that a venue can give.
 *
 * The reasons say how much is known of a request. After `VenueRefused` or
 * `VenueNotSent` the exchange never has the order. After `VenueOutcomeUnknown` or
 * `VenueUnavailable` it may have it, and only a look-up can decide.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/** Codes of a refusal. @category schemas @since 0.1.0 */
export const VenueRefusalCode = Schema.Literals([
  "insufficient_funds",
  "invalid_order",
  "market_closed",
  "too_late",
  "unauthorized"
])

/** The venue has refused the order, and will not have it. @category errors @since 0.1.0 */
export class VenueRefused extends Schema.TaggedError<VenueRefused>()("VenueRefused", {
  code: VenueRefusalCode,
  why: Schema.String
}) {}

/**
 * The request never reached the engine of the venue, as after a rate limit. The same request may be
 * sent again after the pause.
 *
 * @category errors
 * @since 0.1.0
 */
export class VenueNotSent extends Schema.TaggedError<VenueNotSent>()("VenueNotSent", {
  why: Schema.String,
  pause_ms: Schema.Int
}) {}

/**
 * The venue may have taken the request; only a look-up can decide. @category errors @since 0.1.0
 */
export class VenueOutcomeUnknown extends Schema.TaggedError<VenueOutcomeUnknown>()(
  "VenueOutcomeUnknown",
  { why: Schema.String }
) {}

/** The venue did not answer a question. @category errors @since 0.1.0 */
export class VenueUnavailable extends Schema.TaggedError<VenueUnavailable>()("VenueUnavailable", {
  why: Schema.String,
  is_maintenance: Schema.Boolean
}) {}

/** A venue's failure, with its reason. @category errors @since 0.1.0 */
export class VenueError extends Schema.TaggedError<VenueError>()("VenueError", {
  reason: Schema.Union([VenueRefused, VenueNotSent, VenueOutcomeUnknown, VenueUnavailable])
}) {
  /** Whether the venue may have an order because of the request that failed. */
  get mayHaveOrder(): boolean {
    return this.reason._tag === "VenueOutcomeUnknown" || this.reason._tag === "VenueUnavailable"
  }
}
