/**
 * The work that open attempts ask of the sender, and its order.
 *
 * @since 0.1.0
 */
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import { isEntry } from "../../orderLegs.ts"

/** The next act of the sender on an attempt. */
export interface AttemptWork {
  readonly type: "withdraw" | "cancel" | "send"
  readonly attempt: OrderAttempt
}

const workOf = (attempt: OrderAttempt): AttemptWork | null => {
  if (attempt.state === "written") {
    return { type: attempt.is_cancel_wanted ? "withdraw" : "send", attempt }
  }
  return attempt.state === "working" && (attempt.is_cancel_wanted || attempt.cancels_rest === true)
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
export const sendingWork = (attempts: ReadonlyArray<OrderAttempt>): ReadonlyArray<AttemptWork> =>
  attempts
    .map(workOf)
    .filter((work) => work !== null)
    .sort((one, other) => rankOf(one) - rankOf(other))
