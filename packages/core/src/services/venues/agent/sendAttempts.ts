/**
 * The sender: takes back, cancels and sends the attempts of the store.
 *
 * No request is made within a transaction. The one before it writes that the request is about to
 * leave, and when; the one after it writes the outcome. A process that ends in between leaves an
 * attempt that is `sending`. The process that takes the account over resolves it.
 *
 * Attempts are judged one after the other, each with those before it counted as live. Only the
 * answers are waited for side by side, so that one that does not come holds nothing else up.
 *
 * @since 0.1.0
 */
import { Effect, FiberSet, Option, Result } from "effect"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { OrderAttempt, VenueAccount } from "../../../domain/VenueAccount.ts"
import { VenueError, VenueNotSent } from "../../../domain/VenueError.ts"
import { noteEquities, notePrice, notePrices, noteRequest } from "./accountBounds.ts"
import {
  type AgentState,
  asOwner,
  asOwnerFor,
  bookOf,
  type Ousted,
  requestOf,
  ringFollower,
  wakeSender,
  withBook
} from "./agentState.ts"
import { type AttemptWork, sendingWork } from "./attemptWork.ts"
import { endPause, noteDefect, noteError, noteFailure, unhinder } from "./hinder.ts"
import type { AttemptVerdict } from "./attemptVerdict.ts"
import { judgeNow } from "./judgeNow.ts"
import {
  attemptAgain,
  endOrderAttempt,
  keptAttempt,
  moveAttempt,
  noteUnknown,
  noteWorking
} from "./moveAttempt.ts"
import type { SentAs } from "./payableEntry.ts"
import { moveOrder } from "../../bots/orderRecords.ts"
import { isEntry, isProtective } from "../../orderLegs.ts"

/** Requests that are under way at once, where the venue's capabilities name no number. */
const requestsAtOnceCount = 4

/** An attempt whose request is to leave now; null where nothing is to be sent. */
type Prepared = OrderAttempt | null

/** Writes that the request of an attempt is about to leave. */
const markSending = Effect.fnUntraced(function* (
  agent: AgentState,
  attempt: OrderAttempt,
  account: VenueAccount,
  as: SentAs | undefined
): Effect.fn.Return<Prepared, StoreError> {
  const { ports, prices } = agent
  const nowMs = yield* ports.venueAccounts.nowMs
  const { bounds, shares } = bookOf(account)
  const { order, reference_price } = attempt
  const priced = notePrices(notePrice(bounds, order.symbol, Number(reference_price)), prices)
  const noted = noteEquities(noteRequest(priced, nowMs), shares, nowMs)
  yield* ports.venueAccounts.put(withBook(account, { shares, bounds: noted }))
  const sent = { ...as, sent_at_ms: nowMs, miss_count: 0 }
  return yield* moveAttempt(agent, attempt, "sent", sent)
})

/** Shows why an entry is not sent yet; null once it is. */
const noteWait = Effect.fnUntraced(function* (
  { ports }: AgentState,
  attempt: OrderAttempt,
  reason: string | null
): Effect.fn.Return<void, StoreError> {
  if (!isEntry(attempt)) return
  const { bot_id: botId, client_order_id: clientOrderId } = attempt
  const order = Option.getOrNull(yield* ports.orders.get(botId, clientOrderId))
  if (order === null || order.reason === reason) return
  yield* moveOrder(ports, botId, clientOrderId, "submit", { reason })
})

/** Judges an attempt as it is kept, and writes the judgement. */
const prepare = (agent: AgentState, { bot_id, id }: OrderAttempt) =>
  asOwnerFor(
    agent,
    bot_id,
    Effect.fnUntraced(function* (account, bot): Effect.fn.Return<
      { readonly sent: Prepared; readonly isOver: boolean; readonly wakes?: string | undefined },
      StoreError
    > {
      const attempt = yield* keptAttempt(agent, id)
      if (attempt?.state !== "written") return { sent: null, isOver: false }
      const verdict: AttemptVerdict = attempt.is_cancel_wanted
        ? { type: "end", outcome: "cancelled", why: "taken back before it was sent" }
        : yield* judgeNow(agent, attempt, account, bot)
      if (verdict.type === "wait") {
        yield* noteWait(agent, attempt, verdict.why)
        return { sent: null, isOver: false, wakes: verdict.wakes }
      }
      if (verdict.type === "send") {
        yield* noteWait(agent, attempt, null)
        const sent = yield* markSending(agent, attempt, account, verdict.as)
        return { sent, isOver: false }
      }
      yield* endOrderAttempt(agent, attempt, { ...verdict, on: "withdrawn" })
      return { sent: null, isOver: true }
    })
  )

/** Sends an order; interrupted, it leaves an attempt with an unknown outcome. */
const submit = ({ venue }: AgentState, { id, order, sent_at_ms }: OrderAttempt) =>
  Effect.result(
    requestOf(
      venue.submit({
        id,
        symbol: order.symbol,
        side: order.side,
        type: order.type,
        quantity: order.quantity,
        limitPrice: order.limit_price,
        stopPrice: order.stop_price,
        isReduceOnly: order.is_reduce_only,
        ...(order.is_immediate === true && { isImmediate: true }),
        ...(order.expires_at_ms !== undefined && { expiresAtMs: order.expires_at_ms }),
        sentAtMs: sent_at_ms ?? 0
      })
    )
  )

/** Writes the outcome of a request. */
const keepOutcome = (
  agent: AgentState,
  { bot_id, id }: OrderAttempt,
  outcome: Result.Result<void, VenueError>
) =>
  asOwnerFor(
    agent,
    bot_id,
    Effect.fnUntraced(function* (_, bot): Effect.fn.Return<void, StoreError> {
      const attempt = yield* keptAttempt(agent, id)
      if (attempt === null) return
      if (Result.isSuccess(outcome)) return yield* noteWorking(agent, attempt)
      const { reason } = outcome.failure
      switch (reason._tag) {
        case "VenueNotSent": {
          yield* moveAttempt(agent, attempt, "not_sent")
          return
        }
        case "VenueRefused": {
          if (reason.code !== "too_late") {
            const why = `${reason.code}: ${reason.why}`
            return yield* endOrderAttempt(agent, attempt, {
              on: "refused",
              outcome: "rejected",
              why
            })
          }
          // The window has passed, and the venue says that it will not have the order.
          const refused = yield* moveAttempt(agent, attempt, "refused", { reason: reason.why })
          if (refused !== null) yield* attemptAgain(agent, refused, bot)
          return
        }
        default:
          return yield* noteUnknown(agent, attempt, reason.why)
      }
    })
  )

/** Reports a stop that the venue has refused; other orders end, and their bots report that. */
const tellRefused = (
  { report }: AgentState,
  attempt: OrderAttempt,
  { reason }: VenueError
): Effect.Effect<void> => {
  if (reason._tag !== "VenueRefused" || reason.code === "too_late" || !isProtective(attempt)) {
    return Effect.void
  }
  const { bot_id: botId, client_order_id: clientOrderId, order } = attempt
  const why = `${reason.code}: ${reason.why}`
  return report({ type: "stop_refused", botId, clientOrderId, symbol: order.symbol, why })
}

/** Has a request under way beside the work of the sender, which looks for more once it is over. */
const goAlong = (
  agent: AgentState,
  { id, leg }: OrderAttempt,
  request: Effect.Effect<void, StoreError | Ousted>
): Effect.Effect<void> => {
  const { underWay, requests } = agent
  underWay.set(id, leg)
  const over = Effect.andThen(
    Effect.sync(() => underWay.delete(id)),
    wakeSender(agent)
  )
  const kept = Effect.catchTag(request, "StoreError", (error) => noteError(agent, error)).pipe(
    Effect.catchDefect((defect) => noteDefect(agent, defect))
  )
  return Effect.asVoid(FiberSet.run(requests, Effect.ensuring(kept, over)))
}

const halted = new VenueError({
  reason: new VenueNotSent({ why: "the account is halted", pause_ms: 0 })
})

const sendNow = Effect.fnUntraced(function* (
  agent: AgentState,
  sent: OrderAttempt
): Effect.fn.Return<void, StoreError | Ousted> {
  // The switch may have been turned while the store took its time to keep that the order leaves.
  if (isEntry(sent) && (yield* agent.ports.haltFlag.isHaltedHere(agent.accountId))) {
    return yield* keepOutcome(agent, sent, Result.fail(halted))
  }
  const outcome = yield* submit(agent, sent)
  if (Result.isFailure(outcome)) yield* noteFailure(agent, outcome.failure)
  yield* keepOutcome(agent, sent, outcome)
  const isTaken = Result.isSuccess(outcome)
  if (isTaken) unhinder(agent, "paused")
  else yield* tellRefused(agent, sent, outcome.failure)
  // A bot counts a stop as missing until it has audited that the venue has it.
  if (!isTaken || isProtective(sent)) yield* agent.wake(sent.bot_id)
  yield* ringFollower(agent, "trades")
})

/** Looks at orders again that were hinted at while a request hid its own from the follower. */
const land = (agent: AgentState, id: string, isSent: boolean): Effect.Effect<void> =>
  Effect.suspend(() => {
    agent.inFlight.delete(id)
    const isHidden = agent.inFlight.size > 0
    if (!agent.isHintedInFlight || (isHidden && !isSent)) return Effect.void
    // The hint may have been about one that is under way still.
    agent.isHintedInFlight = isHidden
    return ringFollower(agent, "orders")
  })

/** The time until a bot is woken again for the same attempt. */
const wakeAgainMs = 1_000

/**
 * Wakes the bot whose exits an attempt waits for. A bot that looks at its exits rings the sender.
 * Two that find nothing to do would so ring and wake each other without a pause.
 */
const wakeFor = Effect.fnUntraced(function* (
  { ports, wake, wokenFor }: AgentState,
  { id }: OrderAttempt,
  botId: string
): Effect.fn.Return<void, StoreError> {
  const nowMs = yield* ports.venueAccounts.nowMs
  const lastMs = wokenFor.get(id)
  if (lastMs !== undefined && nowMs < lastMs + wakeAgainMs) return
  wokenFor.set(id, nowMs)
  yield* wake(botId)
})

const sendOne = (
  agent: AgentState,
  attempt: OrderAttempt
): Effect.Effect<void, StoreError | Ousted> => {
  const { id } = attempt
  const sending = Effect.gen(function* () {
    const { sent, isOver, wakes } = yield* prepare(agent, attempt)
    if (isOver) yield* agent.wake(attempt.bot_id)
    if (wakes === undefined) agent.wokenFor.delete(id)
    else yield* wakeFor(agent, attempt, wakes)
    if (sent === null) return yield* land(agent, id, false)
    yield* goAlong(agent, sent, Effect.ensuring(sendNow(agent, sent), land(agent, id, true)))
  })
  agent.inFlight.add(id)
  return Effect.onError(sending, () => land(agent, id, false))
}

/** The time until a cancel is asked for again. */
const cancelAgainMs = 1_000

const cancelNow = Effect.fnUntraced(function* (
  agent: AgentState,
  { id, order }: OrderAttempt
): Effect.fn.Return<void, StoreError> {
  const { toCheck, venue } = agent
  const outcome = yield* Effect.result(requestOf(venue.cancel(order.symbol, id)))
  if (Result.isFailure(outcome)) yield* noteFailure(agent, outcome.failure)
  // A look-up shows whether it is over, and how much was filled before.
  toCheck.add(id)
  yield* ringFollower(agent, "trades")
})

const cancelOne = Effect.fnUntraced(function* (
  agent: AgentState,
  attempt: OrderAttempt
): Effect.fn.Return<void, StoreError | Ousted> {
  const { cancelled, ports, venue } = agent
  const { id } = attempt
  const nowMs = yield* ports.venueAccounts.nowMs
  const lastMs = cancelled.get(id)
  const waitMs = cancelAgainMs + venue.capabilities.readLagMs
  if (lastMs !== undefined && nowMs < lastMs + waitMs) return
  // A process that lost the account asks for nothing any more.
  yield* asOwner(agent, (account) => {
    const { bounds, shares } = bookOf(account)
    return ports.venueAccounts.put(
      withBook(account, { shares, bounds: noteRequest(bounds, nowMs) })
    )
  })
  cancelled.set(id, nowMs)
  yield* goAlong(agent, attempt, cancelNow(agent, attempt))
})

const sendOrCancel = (agent: AgentState, { attempt, type }: AttemptWork) =>
  type === "cancel" ? cancelOne(agent, attempt) : sendOne(agent, attempt)

/** Whether requests may leave now. */
const maySend = Effect.fnUntraced(function* ({
  isReady,
  pausedUntilMs,
  ports
}: AgentState): Effect.fn.Return<boolean, StoreError> {
  return isReady && (pausedUntilMs === 0 || (yield* ports.venueAccounts.nowMs) >= pausedUntilMs)
})

/** Whether the request of some work may be under way beside those that are. */
const hasRoom = ({ underWay, venue }: AgentState, { attempt, type }: AttemptWork): boolean => {
  if (underWay.has(attempt.id)) return false
  // An order that was never sent can be cancelled in any state of the venue.
  if (type === "withdraw") return true
  const { requestsAtOnceMax = requestsAtOnceCount } = venue.capabilities
  if (underWay.size >= requestsAtOnceMax) return false
  if (type === "cancel" || !isEntry(attempt)) return true
  // The last place is kept for exits and cancels, where there is more than one.
  const entryCount = [...underWay.values()].filter((leg) => isEntry({ leg })).length
  return entryCount < Math.max(1, requestsAtOnceMax - 1)
}

/**
 * Sends the requests that the store has for the sender, as far as there is room. An entry is
 * followed by another look at the store, so that an exit that was written meanwhile goes before the
 * next entry.
 */
export const sendAttempts = Effect.fnUntraced(function* (
  agent: AgentState
): Effect.fn.Return<void, StoreError | Ousted> {
  const { key, ports } = agent
  yield* endPause(agent)
  const done = new Set<string>()
  for (let isMore = true; isMore;) {
    isMore = false
    const open = yield* ports.venueAccounts.listOpenAttempts(key)
    for (const work of sendingWork(open, yield* ports.venueAccounts.nowMs)) {
      if (done.has(work.attempt.id) || !hasRoom(agent, work)) continue
      if (work.type !== "withdraw" && !(yield* maySend(agent))) continue
      done.add(work.attempt.id)
      yield* sendOrCancel(agent, work)
      isMore = work.type === "send" && isEntry(work.attempt)
      if (isMore) break
    }
  }
})
