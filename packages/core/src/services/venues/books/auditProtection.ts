/**
 * Whether the stops that are wanted do rest at the venue, and since when one does not.
 *
 * @since 0.1.0
 */
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import { restsAtVenue } from "./protectionStatus.ts"
import type { WantedExit } from "./wantedExits.ts"

/** A lot whose stop does not rest at the venue, or not all of it. */
export interface BareLot {
  /** The client order id of its entry. */
  readonly lot: string
  readonly symbol: string
  readonly sinceMs: number
  /** The time until which it may be bare; states that were kept before this field lack it. */
  readonly dueMs?: number | undefined
  /** Whether an alert was raised about it. */
  readonly isTold: boolean
}

/** The outcome of an audit. */
export interface ProtectionAudit {
  /** To be given to the next audit. */
  readonly bare: ReadonlyArray<BareLot>
  /** Lots that have been bare for longer than is allowed, and that are not reported yet. */
  readonly alert: ReadonlyArray<BareLot>
}

/** Whether the venue has the exit of a passed target, which takes the place of the stop. */
const isLeaving = (
  { clientOrderId, leg, type }: WantedExit,
  attempts: ReadonlyArray<OrderAttempt>
): boolean =>
  leg === "take_profit" &&
  type === "market" &&
  attempts.some(({ client_order_id: id, state }) => id === clientOrderId && state === "working")

/**
 * Audits the stops of a bot. It makes no difference whether a stop is on its way, refused or lost.
 * A lot is bare until the venue has confirmed orders that close all of it. A stop that is
 * taken back does not count: a venue that does not answer may have ended it already. Once a target
 * is passed, its exit counts in place of the stop, because the stop has to go before it.
 *
 * `limitMs` is how long a lot may be bare. The first audit after that raises an alert, and the lot
 * is to leave from then on.
 */
export const auditProtection = (
  before: ReadonlyArray<BareLot>,
  wanted: ReadonlyArray<WantedExit>,
  attempts: ReadonlyArray<OrderAttempt>,
  { limitMs, nowMs }: { readonly limitMs: number; readonly nowMs: number }
): ProtectionAudit => {
  const alert: Array<BareLot> = []
  const staying = attempts.filter((attempt) => !attempt.is_cancel_wanted)
  const stops = wanted.filter(({ isStop }) => isStop)
  const bare = stops.flatMap((exit): ReadonlyArray<BareLot> => {
    const { clientOrderId, lot, quantity, symbol } = exit
    if (restsAtVenue(clientOrderId, quantity, staying) || isLeaving(exit, staying)) return []
    const known = before.find((one) => one.lot === lot)
    const { isTold = false, sinceMs = nowMs } = known ?? {}
    const dueMs = sinceMs + limitMs
    const isOverdue = nowMs > dueMs
    const one = { lot, symbol, sinceMs, dueMs, isTold: isTold || isOverdue }
    if (isOverdue && !isTold) alert.push(one)
    return [one]
  })
  return { bare, alert }
}
