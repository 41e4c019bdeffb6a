/**
 * When a delivery moves next, and the last answer that it had.
 */
import type { DeliveryRecord } from "../../api/types.ts"
import { noValue } from "../../parts/format.ts"

/** When something will have become of a delivery that is not over, in milliseconds. */
export const dueOf = ({
  next_attempt_at: at,
  status
}: Pick<DeliveryRecord, "next_attempt_at" | "status">): ReadonlyArray<number> => {
  if (!["pending", "sending", "retrying"].includes(status)) return []
  return [at === null ? 0 : Date.parse(at)]
}

/** The status that the last attempt was answered with, or the reason why there is none. */
export const answerOf = (attempts: DeliveryRecord["attempts"]): string => {
  const last = attempts.at(-1)
  if (last === undefined) return noValue
  return last.status === null ? (last.error ?? "no answer yet") : `HTTP ${last.status}`
}
