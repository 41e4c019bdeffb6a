/**
 * A delivery before and after an attempt: pure decisions on records.
 *
 * A record and a fact go in, and the changed record comes out: `beginAttempt` before the request,
 * `endAttempt` after it. `DeliveryMachine` has the states. Nothing here sends, waits or stores, so
 * every sender comes to the same decision.
 *
 * @since 0.1.0
 */
import {
  type Attempt,
  type Delivery,
  type DeliveryChange,
  DeliveryMachine,
  type EndpointEvidence,
  Limits,
  StateTable,
  toTimestamp
} from "@candlewick/core"
import type { GateVerdict } from "./endpointGates.ts"
import type { AttemptOutcome } from "./postNotification.ts"
import { decideRetry } from "./RetrySchedule.ts"

/**
 * When an attempt ended, and the number that its jitter comes from.
 *
 * @category models
 * @since 0.1.0
 */
export interface AttemptEnd {
  readonly outcome: AttemptOutcome
  readonly nowMs: number
  /** In [0, 1). */
  readonly random: number
}

const hasGoodStatus = (outcome: AttemptOutcome): boolean =>
  outcome._tag === "Answered" && outcome.status >= 200 && outcome.status < 300

/**
 * Whether the receiver accepted: any status from 200 to 299, unless a chat's body says otherwise.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isAccepted = (outcome: AttemptOutcome): boolean =>
  hasGoodStatus(outcome) && !(outcome._tag === "Answered" && outcome.isRefused === true)

/** Why an attempt failed, as its log says it; null for one that was accepted. */
const errorOf = (outcome: AttemptOutcome): string | null => {
  if (outcome._tag === "Unanswered") return outcome.error
  if (isAccepted(outcome)) return null
  return hasGoodStatus(outcome) ? "not_ok" : "http_status"
}

/** Whether it ended because this process did. */
const isBrokenOff = (outcome: AttemptOutcome): boolean =>
  outcome._tag === "Unanswered" && outcome.error === "cancelled"

const ownFaults: ReadonlySet<string> = new Set(["cancelled", "secret_unreadable", "sender_failed"])

/** Whether this side failed, so that the failure says nothing of the receiver. */
const isOwnFault = (outcome: AttemptOutcome): boolean =>
  outcome._tag === "Unanswered" && ownFaults.has(outcome.error)

const move = (
  delivery: Delivery,
  event: (typeof DeliveryMachine)["transitions"][number]["on"]
): Delivery["status"] => StateTable.move(DeliveryMachine, delivery.status, event)

/** An attempt as it is kept once it is over. */
const finished = (attempt: Attempt, { outcome }: AttemptEnd): Attempt => ({
  ...attempt,
  duration_ms: outcome.durationMs,
  status: outcome.status,
  error: errorOf(outcome),
  response_bytes: outcome._tag === "Answered" ? outcome.responseBytes : null,
  response_text: outcome._tag === "Answered" ? outcome.responseText : null
})

/** The delivery with a new attempt that is about to be made. @category decisions @since 0.1.0 */
export const beginAttempt = (delivery: Delivery, id: string, nowMs: number): Delivery => ({
  ...delivery,
  attempts: [
    ...delivery.attempts,
    {
      id,
      number: (delivery.attempts.at(-1)?.number ?? 0) + 1,
      started_at: toTimestamp(nowMs),
      duration_ms: null,
      status: null,
      error: null,
      response_bytes: null,
      response_text: null
    }
  ],
  updated_at: toTimestamp(nowMs)
})

/**
 * Whether a delivery was begun so often since it was asked for that it is given up, although
 * crashes cut most of its attempts off.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isSpent = ({ attempts, earlier_attempts }: Delivery): boolean =>
  attempts.length - earlier_attempts >= Limits.webhookAttemptsMaxCount

/**
 * A claimed delivery that nothing is sent of any more: its endpoint is gone, or it is spent.
 *
 * @category decisions
 * @since 0.1.0
 */
export const endUnsent = (
  delivery: Delivery,
  event: "cancel" | "exhausted",
  nowMs: number
): Delivery => ({
  ...delivery,
  status: move(delivery, event),
  leased_until_ms: null,
  updated_at: toTimestamp(nowMs)
})

/**
 * A claimed delivery that has to wait before anything is sent of it; that uses up no attempt.
 *
 * @category decisions
 * @since 0.1.0
 */
export const putBack = (delivery: Delivery, dueInMs: number, nowMs: number): DeliveryChange => ({
  ...delivery,
  status: move(
    delivery,
    delivery.attempts.length > delivery.earlier_attempts ? "held_up" : "put_back"
  ),
  due_in_ms: dueInMs,
  leased_until_ms: null,
  updated_at: toTimestamp(nowMs)
})

/** Whether the receiver asks never to be called at this endpoint again. */
const endsEndpoint = ({
  receiverRequest,
  status
}: AttemptOutcome): "gone" | "receiver_request" | null => {
  if (receiverRequest === "disable") return "receiver_request"
  return status === 410 ? "gone" : null
}

/** Whether the receiver wants no more of this message: it is well, and has decided. */
const isAborted = (outcome: AttemptOutcome): boolean =>
  outcome.receiverRequest === "abort-message" && !isAccepted(outcome)

/** The delivery after its last attempt ended. @category decisions @since 0.1.0 */
export const endAttempt = (delivery: Delivery, end: AttemptEnd): DeliveryChange => {
  const { outcome, nowMs, random } = end
  const last = delivery.attempts.length - 1
  const kept: Delivery = {
    ...delivery,
    attempts: delivery.attempts.map((attempt, index) =>
      index === last ? finished(attempt, end) : attempt
    ),
    leased_until_ms: null,
    updated_at: toTimestamp(nowMs)
  }
  if (isAccepted(outcome)) return { ...kept, status: move(delivery, "accepted") }
  if (endsEndpoint(outcome) !== null || isAborted(outcome)) {
    return { ...kept, status: move(delivery, "exhausted") }
  }
  if (isBrokenOff(outcome)) {
    // Soon, before the schedule's time: the receiver had no part in it.
    const again = decideRetry(1, { status: null, error: null, retryAfter: null }, nowMs, random)
    const due_in_ms = again._tag === "RetryIn" ? again.inMs : 0
    return { ...kept, status: move(delivery, "held_up"), due_in_ms }
  }
  const failure = {
    status: outcome.status,
    error: outcome._tag === "Unanswered" ? outcome.error : null,
    retryAfter: outcome.retryAfter ?? null
  }
  // An attempt that a crash or a shutdown cut off says nothing; the schedule counts the others.
  const ended = kept.attempts
    .slice(delivery.earlier_attempts)
    .filter(({ duration_ms, error }) => duration_ms !== null && error !== "cancelled")
  const retry = decideRetry(Math.max(1, ended.length), failure, nowMs, random)
  return retry._tag === "Exhausted"
    ? { ...kept, status: move(delivery, "exhausted") }
    : { ...kept, status: move(delivery, "refused"), due_in_ms: retry.inMs }
}

/** The meaning of an attempt's end to the breaker. @category decisions @since 0.1.0 */
export const gateVerdict = (delivery: Delivery, outcome: AttemptOutcome): GateVerdict => {
  if (delivery.test || isOwnFault(outcome) || isAborted(outcome)) return "nothing"
  return isAccepted(outcome) ? "accepted" : "failed"
}

/**
 * How the end of an attempt bears on its endpoint.
 *
 * **Details**
 *
 * A receiver that asks for no more requests counts even where this side failed, or where it refused
 * one message alone. The head of its answer came first.
 *
 * @category decisions
 * @since 0.1.0
 */
export const evidenceOf = (
  outcome: AttemptOutcome,
  held: Omit<EndpointEvidence, "says" | "ends">
): EndpointEvidence => {
  const ends = endsEndpoint(outcome)
  const isSilent = ends === null && (isOwnFault(outcome) || isAborted(outcome))
  return { ...held, says: isSilent ? "nothing" : isAccepted(outcome) ? "accepted" : "failed", ends }
}
