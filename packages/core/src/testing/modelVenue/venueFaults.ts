/**
 * Faults of the way to a model exchange and back, as data.
 *
 * @since 0.1.0
 */
import type { VenueOrder } from "../../ports/Venue.ts"

/** A call of a venue, as faults are drawn for it. @category models @since 0.1.0 */
export type VenueCall =
  | { readonly type: "submit"; readonly order: VenueOrder }
  | { readonly type: "cancel"; readonly symbol: string; readonly id: string }
  | { readonly type: "order" | "open_orders" | "trades" | "holdings" | "market" | "feed" }

/**
 * The faults of one call. The exchange gets a request that was lost `after`, and one that hangs
 * `after`; it never gets one that was lost or hangs `before`.
 *
 * @category models
 * @since 0.1.0
 */
export interface VenueFault {
  readonly outcome?:
    | "lost_before"
    | "lost_after"
    | "hangs_before"
    | "hangs_after"
    | "refused"
    | "not_sent"
    | undefined
  /** Until the request arrives; it does so even where its caller is gone. */
  readonly delayMs?: number | undefined
  /** Until the answer arrives, counted from there. */
  readonly answerMs?: number | undefined
  /** The age of that which a read shows, at most the venue's `readLagMs`. */
  readonly lagMs?: number | undefined
}

/** The fault of a call. @category models @since 0.1.0 */
export type DrawFault = (call: VenueCall) => VenueFault

/** The fate of a hint on its way to one listener. @category models @since 0.1.0 */
export type DrawHint = () => "told" | "lost" | "twice" | "gap"
