/**
 * The work that open attempts ask of the sender, and its order.
 *
 * @since 0.1.0
 */
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import { hasHadTimeToFill } from "./payableEntry.ts"
import { isEntry } from "../../orderLegs.ts"

/** The next act of the sender on an attempt. */
export interface AttemptWork {
  readonly type: "withdraw" | "cancel" | "send"
  readonly attempt: OrderAttempt
}

/** Whether the time of an order is over, whoever ends it then. */
export const isPastTime = (
  { cancels_at_ms: cancelsAtMs, order }: OrderAttempt,
  nowMs: number
): boolean => {
  const endMs = order.expires_at_ms ?? cancelsAtMs
  return endMs !== undefined && nowMs >= endMs
}

/** Whether the agent cancels an order that its bot still wants, as its venue does not end it. */
export const isLapsed = (attempt: OrderAttempt, nowMs: number): boolean =>
  attempt.cancels_rest === true ||
  hasHadTimeToFill(attempt, nowMs) ||
  (attempt.cancels_at_ms !== undefined && isPastTime(attempt, nowMs))

const workOf = (attempt: OrderAttempt, nowMs: number): AttemptWork | null => {
  if (attempt.state === "written") {
    return { type: attempt.is_cancel_wanted ? "withdraw" : "send", attempt }
  }
  return attempt.state === "working" && (attempt.is_cancel_wanted || isLapsed(attempt, nowMs))
    ? { type: "cancel", attempt }
    : null
}

const rankOf = ({ attempt, type }: AttemptWork): number => {
  if (type === "withdraw") return 0
  if (type === "cancel") return 1
  return isEntry(attempt) ? 3 : 2
}

/**
 * The work for the sender: attempts to withdraw, cancels and exits before entries, the oldest of
 * each first. Attempts of an unknown outcome are no work of the sender's.
 */
export const sendingWork = (
  attempts: ReadonlyArray<OrderAttempt>,
  nowMs: number
): ReadonlyArray<AttemptWork> =>
  attempts
    .map((attempt) => workOf(attempt, nowMs))
    .filter((work) => work !== null)
    .sort((one, other) => rankOf(one) - rankOf(other))
