/**
 * The id that an attempt to place an order has at a venue.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { type VenueIdParts, venueIdOf, venueIdText } from "../../domain/venueIds.ts"
import type { VenueIdForm } from "../../ports/Venue.ts"
import { sha256Hex } from "../sha256.ts"

/** The id of an attempt in the form of its venue; equal parts have equal ids. */
export const makeVenueId = (parts: VenueIdParts, form: VenueIdForm): Effect.Effect<string> =>
  Effect.map(sha256Hex(venueIdText(parts)), (digest) => venueIdOf(digest, form))
