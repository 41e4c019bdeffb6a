/**
 * The time fence of an order whose outcome is unknown. From then on a look-up that finds nothing
 * proves that the venue will never have the order.
 *
 * A venue refuses a request that arrives after its window. A late request then can't become an
 * order. The window has passed, the venue's own engine has processed its earlier input, and its
 * answers show that.
 *
 * @since 0.1.0
 */
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import type { VenueCapabilities } from "../../../ports/Venue.ts"

/** The longest that an exchange works on an order before it answers or gives up. */
const engineMaxMs = 10_000

/** The time between the two look-ups that have to find nothing. */
export const missesApartMs = 2_000

/** The methods that the fence takes of a venue. */
type Windows = Pick<VenueCapabilities, "windowMs" | "readLagMs">

/** The store's time from which absence can be proved; a venue without a window proves nothing. */
const fenceOf = (sentAtMs: number, { readLagMs, windowMs }: Windows): number =>
  sentAtMs + (windowMs ?? 0) + engineMaxMs + readLagMs

/** The meaning of a look-up that found nothing. */
export type Miss =
  /** Nothing yet: the order may still come. */
  | "too_early"
  /** The first one that counts, or one too soon after it. */
  | "first"
  | "too_soon"
  /** The proof that the venue will never have the order. */
  | "absent"
  /** The venue has no window, so that nothing can be proved. */
  | "given_up"

/** A look-up of an attempt that found nothing. */
export interface MissedLookUp {
  readonly attempt: Pick<OrderAttempt, "sent_at_ms" | "miss_count">
  /** The store's time before the look-up, and before the trades were read to their end. */
  readonly askedAtMs: number
  /** When the look-up before it was asked that counted; null where this process made none. */
  readonly lastMissAtMs: number | null
}

/** Judges a look-up that found nothing. */
export const judgeMiss = (
  { askedAtMs, attempt, lastMissAtMs }: MissedLookUp,
  windows: Windows
): Miss => {
  if (askedAtMs <= fenceOf(attempt.sent_at_ms ?? askedAtMs, windows)) return "too_early"
  // A process that has just begun counts anew: it can't know when the one before it asked.
  if (attempt.miss_count === 0 || lastMissAtMs === null) return "first"
  if (askedAtMs - lastMissAtMs < missesApartMs) return "too_soon"
  return windows.windowMs === null ? "given_up" : "absent"
}
