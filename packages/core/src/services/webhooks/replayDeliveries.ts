/**
 * Many deliveries sent again: the failed ones, the missed ones, or all.
 *
 * A request is kept as a record, and answered at once. From then on any process with time looks
 * through a page of the log, in one transaction that moves the record on too. A page that a process
 * began and did not end was never begun, and no page is looked through twice.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Option, Struct } from "effect"
import { firstIdAt, madeAt } from "../../domain/Identifier.ts"
import { fromTimestamp, isEmptyRange, toTimestamp } from "@candlewick/engine"
import { Limits } from "../../domain/Limits.ts"
import { invalid, type Problem } from "../../domain/Problem.ts"
import type { Replay, ReplayRequest, ReplayView } from "../../domain/Replay.ts"
import { ReplayMachine } from "../../domain/ReplayMachine.ts"
import * as StateTable from "../../domain/StateTable.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { ListedDelivery, WebhookEndpoint } from "../../domain/WebhookEndpoint.ts"
import { dayMs } from "@candlewick/engine/kernel"
import { required } from "../refusals.ts"
import { transactOnce } from "../transactOnce.ts"
import { queuedAgain } from "./deliveries.ts"
import { findEnabled, findWebhook, type WebhookPorts } from "./views.ts"

const pageLimit = 500

/** A replay as it is shown. */
export const toReplayView = (replay: Replay): ReplayView =>
  Struct.omit(replay, ["account_id", "next_before", "after"])

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

/** Keeps a replay, for `replayPage` to carry out. */
export const beginReplay = Effect.fn("WebhookEndpoints.replay")(function* (
  ports: WebhookPorts,
  accountId: string,
  webhookId: string,
  request: ReplayRequest
) {
  const nowMs = yield* Clock.currentTimeMillis
  const now = toTimestamp(nowMs)
  const untilMs = request.until === undefined ? nowMs : fromTimestamp(request.until)
  const replay: Replay = {
    id: yield* ports.ids.make("replay"),
    account_id: accountId,
    webhook_id: webhookId,
    mode: request.mode,
    since: request.since,
    until: request.until ?? now,
    events: request.events ?? null,
    status: ReplayMachine.initial,
    reason: null,
    progress: 0,
    looked_count: 0,
    queued_count: 0,
    continue_until: null,
    // An event of this millisecond is meant too where no end is named.
    next_before: firstIdAt("delivery", request.until === undefined ? untilMs + 1 : untilMs),
    after: firstIdAt("delivery", fromTimestamp(request.since)),
    version: 1,
    created_at: now,
    updated_at: now
  }
  const begin = Effect.gen(function* () {
    yield* checkTimes(request, nowMs)
    yield* findEnabled(ports, accountId, webhookId)
    return toReplayView(yield* ports.replays.insert(replay))
  })
  return yield* transactOnce(ports.transactor, "replay", begin)
})

const isWanted = ({ events, mode }: Replay, delivery: ListedDelivery): boolean => {
  const { attempts, event, status, test } = delivery
  if (test || attempts.length >= Limits.webhookAttemptsMaxCount) return false
  if (events !== null && !events.includes(event)) return false
  const isTried = attempts.length > 0
  switch (mode) {
    case "failed":
      return status === "failed" || (status === "cancelled" && isTried)
    case "missing":
      return status === "skipped" || (status === "cancelled" && !isTried)
    case "undelivered":
      return status === "failed" || status === "cancelled" || status === "skipped"
    case "all":
      return ["succeeded", "failed", "cancelled", "skipped"].includes(status)
  }
}

const after = (
  { status }: Replay,
  event: (typeof ReplayMachine)["transitions"][number]["on"]
): Replay["status"] => StateTable.move(ReplayMachine, status, event)

/** The deliveries of a page up to the last one that a replay has room for. */
const withinRoom = (replay: Replay, page: ReadonlyArray<ListedDelivery>) => {
  const room = Limits.webhookReplayMaxCount - replay.queued_count
  const wanted = page.filter((delivery) => isWanted(replay, delivery))
  const last = wanted.length > room ? wanted[room - 1] : undefined
  if (last === undefined) return { looked: page, wanted }
  return { looked: page.slice(0, page.indexOf(last) + 1), wanted: wanted.slice(0, room) }
}

/**
 * Where another one goes on: a millisecond later, for those that were made in the same one. The id
 * gives the time, and the log is cut by it.
 */
const afterThe = ({ id }: ListedDelivery): string => toTimestamp(madeAt(id) + 1)

const progressAt = ({ since, until }: Replay, delivery: ListedDelivery): number => {
  const [sinceMs, untilMs] = [fromTimestamp(since), fromTimestamp(until)]
  const share = (untilMs - madeAt(delivery.id)) / (untilMs - sinceMs)
  return Math.min(1, Math.max(0, share))
}

const cancelledFor = (
  endpoint: Option.Option<WebhookEndpoint>
): "webhook_disabled" | "webhook_removed" | null => {
  if (Option.isNone(endpoint)) return "webhook_removed"
  return endpoint.value.status === "disabled" ? "webhook_disabled" : null
}

/**
 * The first lock of every caller that changes a replay. A page takes longer than reading the
 * record. So a caller that reads and then writes an end might lose as long as there are pages.
 */
const lockReplay = ({ transactor }: WebhookPorts, id: string): Effect.Effect<void, StoreError> =>
  transactor.lock(`replay ${id}`)

/**
 * Looks through the next page of a replay: queues its wanted deliveries and moves the replay on,
 * both or neither. Fails with `VersionConflict` where another process was quicker.
 */
export const replayPage = Effect.fn("WebhookEndpoints.replayPage")(function* (
  ports: WebhookPorts,
  { account_id: accountId, id }: Replay
) {
  const { deliveries, endpoints, replays, transactor } = ports
  const nowMs = yield* Clock.currentTimeMillis
  const updated_at = toTimestamp(nowMs)
  yield* transactor.transact(
    Effect.gen(function* () {
      yield* lockReplay(ports, id)
      const found = yield* replays.get(accountId, id)
      if (Option.isNone(found) || found.value.status !== "running") return
      const replay: Replay = { ...found.value, updated_at }
      const { next_before: before, webhook_id: webhookId } = replay
      const reason = cancelledFor(yield* endpoints.get(accountId, webhookId))
      if (reason !== null) {
        yield* replays.update({ ...replay, status: after(replay, "cancel"), reason })
        return
      }
      const page = yield* deliveries.list(webhookId, {
        limit: pageLimit,
        after: replay.after,
        before
      })
      const { looked, wanted } = withinRoom(replay, page.items)
      const again = wanted.map((delivery) => queuedAgain(delivery, nowMs))
      // A delivery that another process changed belongs to that process.
      const queued = yield* deliveries.updateMany(again)
      const last = looked.at(-1)
      const most = Limits.webhookReplayMaxCount
      const isThrough = last === undefined || (page.next === null && looked === page.items)
      const counted = {
        ...replay,
        looked_count: replay.looked_count + looked.length,
        queued_count: replay.queued_count + queued.length
      }
      if (isThrough) {
        const ended = { ...counted, continue_until: null, progress: 1 }
        yield* replays.update({ ...ended, status: after(replay, "complete") })
        return
      }
      yield* replays.update({
        ...counted,
        status: counted.queued_count < most ? replay.status : after(replay, "fill"),
        progress: progressAt(replay, last),
        next_before: last.id,
        continue_until: afterThe(last)
      })
    })
  )
})

const findReplay = (
  ports: WebhookPorts,
  accountId: string,
  webhookId: string,
  id: string
): Effect.Effect<Replay, Problem | StoreError> =>
  Effect.andThen(
    findWebhook(ports, accountId, webhookId),
    required(
      Effect.map(
        ports.replays.get(accountId, id),
        Option.filter(({ webhook_id }) => webhook_id === webhookId)
      ),
      "replay",
      id
    )
  )

/** How far a replay is. */
export const replayStatus = (...replay: Parameters<typeof findReplay>) =>
  Effect.map(findReplay(...replay), toReplayView)

/** The replays of an endpoint, newest first. */
export const listReplays = Effect.fnUntraced(function* (
  ports: WebhookPorts,
  accountId: string,
  webhookId: string,
  page: Parameters<WebhookPorts["replays"]["list"]>[1]
) {
  yield* findWebhook(ports, accountId, webhookId)
  const { items, next } = yield* ports.replays.list(webhookId, page)
  return { items: items.map(toReplayView), next }
})

/**
 * Cancels a replay. Deliveries already queued are still sent. A finished replay
 * does not change.
 */
export const cancelReplay = Effect.fn("WebhookEndpoints.cancelReplay")(function* (
  ports: WebhookPorts,
  accountId: string,
  webhookId: string,
  id: string
) {
  const cancelling = Effect.gen(function* () {
    yield* lockReplay(ports, id)
    const replay = yield* findReplay(ports, accountId, webhookId, id)
    if (replay.status !== "running") return toReplayView(replay)
    const updated_at = toTimestamp(yield* Clock.currentTimeMillis)
    const cancelled: Replay = {
      ...replay,
      status: after(replay, "cancel"),
      reason: "caller",
      updated_at
    }
    return toReplayView(yield* ports.replays.update(cancelled))
  })
  return yield* ports.transactor.transact(cancelling)
})
