/**
 * An endpoint's health after an attempt: a pure decision on records.
 *
 * @since 0.1.0
 */
import { Option } from "effect"
import { fromTimestamp, toTimestamp } from "@candlewick/engine"
import { hourMs } from "@candlewick/engine/kernel"
import { EndpointMachine } from "../EndpointMachine.ts"
import * as StateTable from "../StateTable.ts"
import type { Delivery, WebhookEndpoint } from "../WebhookEndpoint.ts"

const failingAfterCount = 10
const disableAfterMs = 120 * hourMs
const disableSpanMs = 12 * hourMs
const disableFailuresMin = 10
const warnPercents = [90, 70, 50]

/** How one attempt bears on its endpoint. @category models @since 0.1.0 */
export interface EndpointEvidence {
  /** `nothing` where this side failed, or where the receiver refused one message alone. */
  readonly says: "accepted" | "failed" | "nothing"
  /** The reason for which the receiver wants no request any more, or null. */
  readonly ends: "gone" | "receiver_request" | null
  /** When the attempt ended, in epoch milliseconds. */
  readonly endedAtMs: number
  /** Until when its sender leaves the endpoint alone from now on, or null. */
  readonly heldUntilMs: number | null
  /** The last repair of the endpoint when the attempt began. */
  readonly repairedAt: string | null
}

/**
 * The time at which an endpoint that has failed since `failingSinceMs` is given up. It is 120 hours
 * after the last success or its owner's last repair, and 12 hours after the first failure.
 */
const givenUpAtMs = (endpoint: WebhookEndpoint, failingSinceMs: number): number => {
  const { created_at, last_success_at, repaired_at } = endpoint
  const wellMs = Math.max(
    fromTimestamp(last_success_at ?? created_at),
    repaired_at === null ? 0 : fromTimestamp(repaired_at)
  )
  return Math.max(wellMs + disableAfterMs, failingSinceMs + disableSpanMs)
}

/** The share of the time until an endpoint is given up that deserves a warning, in percent. */
const warningOf = (endpoint: WebhookEndpoint, nowMs: number): number => {
  if (endpoint.failing_since === null) return 0
  const sinceMs = fromTimestamp(endpoint.failing_since)
  const share = ((nowMs - sinceMs) / (givenUpAtMs(endpoint, sinceMs) - sinceMs)) * 100
  return warnPercents.find((percent) => share >= percent) ?? 0
}

/** Whether an endpoint has failed for so long and so often that it is given up. */
const isGivenUp = (endpoint: WebhookEndpoint, nowMs: number): boolean => {
  const { consecutive_failures, failing_since } = endpoint
  if (failing_since === null || consecutive_failures < disableFailuresMin) return false
  return nowMs >= givenUpAtMs(endpoint, fromTimestamp(failing_since))
}

/** One attempt of many: those before it may have moved the endpoint by the same event. */
const movedIfLegal = (
  { status }: WebhookEndpoint,
  event: "accepted" | "falter"
): WebhookEndpoint["status"] =>
  Option.getOrElse(StateTable.moveIfLegal(EndpointMachine, status, event), () => status)

/** Disables an endpoint; one that is disabled already keeps its first reason. */
const disabledFor = (
  endpoint: WebhookEndpoint,
  disabled_reason: NonNullable<WebhookEndpoint["disabled_reason"]>,
  now: string
): WebhookEndpoint =>
  endpoint.status === "disabled"
    ? endpoint
    : {
        ...endpoint,
        status: StateTable.move(EndpointMachine, endpoint.status, "give_up"),
        disabled_reason,
        disabled_at: now,
        missed_since: now
      }

const afterSuccess = (
  endpoint: WebhookEndpoint,
  { endedAtMs, ends }: EndpointEvidence
): WebhookEndpoint => {
  const now = toTimestamp(endedAtMs)
  const accepted: WebhookEndpoint = {
    ...endpoint,
    status: movedIfLegal(endpoint, "accepted"),
    consecutive_failures: 0,
    failing_since: null,
    warned_percent: 0,
    last_success_at: now
  }
  return ends === null ? accepted : disabledFor(accepted, ends, now)
}

const afterFailure = (
  endpoint: WebhookEndpoint,
  delivery: Delivery,
  { endedAtMs, ends }: EndpointEvidence
): WebhookEndpoint => {
  const now = toTimestamp(endedAtMs)
  const failed: WebhookEndpoint = {
    ...endpoint,
    consecutive_failures: endpoint.consecutive_failures + 1,
    failing_since: endpoint.failing_since ?? now,
    last_failure_at: now
  }
  if (endpoint.status === "disabled") return failed
  const reason = ends ?? (isGivenUp(failed, endedAtMs) ? "failing" : null)
  if (reason !== null) return disabledFor(failed, reason, now)
  const isFailing = failed.consecutive_failures >= failingAfterCount || delivery.status === "failed"
  const warned_percent = Math.max(failed.warned_percent, warningOf(failed, endedAtMs))
  const status = isFailing ? movedIfLegal(failed, "falter") : failed.status
  return { ...failed, warned_percent, status }
}

const afterAttempt = (
  endpoint: WebhookEndpoint,
  delivery: Delivery,
  evidence: EndpointEvidence
): WebhookEndpoint => {
  // A sample counts for nothing, with any outcome.
  if (delivery.test || evidence.says === "nothing") return endpoint
  return evidence.says === "accepted"
    ? afterSuccess(endpoint, evidence)
    : afterFailure(endpoint, delivery, evidence)
}

/**
 * The endpoint after an attempt ended.
 *
 * **Details**
 *
 * - `failing` after ten failures in a row, or a delivery that was tried to the end.
 * - `disabled` when the receiver asks for it, in an answer of any status.
 * - `disabled` when nothing succeeded for 120 hours in ten failures that lie twelve hours apart. The
 *   hours count from the last success, or from when its owner made it or repaired it since.
 * - `held_until` is the sender's word, unless a caller repaired the endpoint during the attempt.
 *
 * @category decisions
 * @since 0.1.0
 */
export const judgeEndpoint = (
  endpoint: WebhookEndpoint,
  delivery: Delivery,
  evidence: EndpointEvidence
): WebhookEndpoint => {
  const judged = afterAttempt(endpoint, delivery, evidence)
  if (endpoint.repaired_at !== evidence.repairedAt) return judged
  const { heldUntilMs } = evidence
  const held_until = heldUntilMs === null ? null : toTimestamp(heldUntilMs)
  return judged.held_until === held_until ? judged : { ...judged, held_until }
}
