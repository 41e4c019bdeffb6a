/**
 * Many deliveries sent again: those that failed, those that were missed, or all.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { fromTimestamp, isEmptyRange, toTimestamp } from "../../../domain/Identifier.ts"
import { Limits } from "../../../domain/Limits.ts"
import type { Page, PageRequest } from "../../../domain/Page.ts"
import { invalid } from "../../../domain/Problem.ts"
import type { Delivery, Replay, ReplayRequest } from "../../../domain/WebhookEndpoint.ts"
import { idsBetween, queuedAgain } from "./deliveries.ts"
import { findEnabled, type WebhookPorts } from "./views.ts"

const dayMs = 86_400_000
const pageLimit = 500

interface Bounds extends PageRequest {
  readonly after: string | undefined
}

const isWanted = ({ events, mode }: ReplayRequest, delivery: Delivery): boolean => {
  const { attempts, event, status, test } = delivery
  if (test || attempts.length >= Limits.webhookAttemptsMaxCount) return false
  if (events !== undefined && !events.includes(event)) return false
  const isTried = attempts.length > 0
  switch (mode) {
    case "failed":
      return status === "failed" || (status === "cancelled" && isTried)
    case "missing":
      return status === "skipped" || (status === "cancelled" && !isTried)
    case "all":
      return ["succeeded", "failed", "cancelled", "skipped"].includes(status)
  }
}

const checkTimes = (request: ReplayRequest, nowMs: number) => {
  const oldestMs = nowMs - Limits.webhookReplayMaxDays * dayMs
  const code = "out_of_range"
  if (fromTimestamp(request.since) < oldestMs) {
    const message = `since is at most ${Limits.webhookReplayMaxDays} days ago`
    return Effect.fail(invalid([{ pointer: "/since", code, message }]))
  }
  return isEmptyRange({ from: request.since, to: request.until ?? toTimestamp(nowMs) })
    ? Effect.fail(invalid([{ pointer: "/until", code, message: "until is after since" }]))
    : Effect.void
}

/**
 * Puts deliveries back in the queue, the newest first where there are more than one call may take,
 * all of it or nothing.
 */
export const replayDeliveries = Effect.fn("WebhookEndpoints.replay")(function* (
  ports: WebhookPorts,
  accountId: string,
  webhookId: string,
  request: ReplayRequest,
  nowMs: number
) {
  yield* checkTimes(request, nowMs)
  const { store } = ports
  const now = toTimestamp(nowMs)
  const id = yield* ports.ids.make("replay")
  const replay = yield* ports.transactor.transact(
    Effect.gen(function* () {
      const endpoint = yield* findEnabled(ports, accountId, webhookId)
      const { after, before } = idsBetween(request.since, request.until)
      let cursor: string | null | undefined = before
      let queuedCount = 0
      let oldest: Delivery | undefined
      while (cursor !== null && queuedCount < Limits.webhookReplayMaxCount) {
        const page: Bounds = { limit: pageLimit, after, before: cursor }
        const { items, next }: Page<Delivery> = yield* store.listDeliveries(webhookId, page)
        const wanted = items
          .filter((delivery) => isWanted(request, delivery))
          .slice(0, Limits.webhookReplayMaxCount - queuedCount)
        const queued = wanted.map((delivery) => queuedAgain(delivery, nowMs))
        queuedCount += (yield* store.updateDeliveries(queued)).length
        oldest = wanted.at(-1) ?? oldest
        cursor = next
      }
      const isPartial = queuedCount >= Limits.webhookReplayMaxCount && oldest !== undefined
      const made: Replay = {
        id,
        mode: request.mode,
        since: request.since,
        until: request.until ?? now,
        events: request.events ?? null,
        status: isPartial ? "partial" : "completed",
        queued_count: queuedCount,
        // A millisecond later, for those that were made in the same one.
        continue_until: isPartial ? toTimestamp(fromTimestamp(oldest!.created_at) + 1) : null,
        created_at: now
      }
      yield* store.update({ ...endpoint, last_replay: made, updated_at: now })
      return made
    })
  )
  yield* ports.transport.wake
  return replay
})
