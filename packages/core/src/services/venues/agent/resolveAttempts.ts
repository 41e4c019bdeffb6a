/**
 * Resolves attempts with an unknown outcome, and working ones that may be over, by the venue's
 * answers.
 *
 * @since 0.1.0
 */
import { BigDecimal, Effect, Option, Result } from "effect"
import type { Bot } from "../../../domain/Bot.ts"
import { decimalOfUnsafe } from "../../../domain/decimals.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import type { VenueOrderState } from "../../../ports/Venue.ts"
import {
  type AgentError,
  type AgentState,
  asOwnerFor,
  type Ousted,
  questionOf,
  requestOf,
  wakeSender
} from "./agentState.ts"
import { isLapsed } from "./attemptWork.ts"
import { hinder, noteFailure, unhinder } from "./hinder.ts"
import { asksForRest } from "./payableEntry.ts"
import {
  absenceOf,
  beyondLimitReason,
  askForRest,
  attemptAgain,
  endOrderAttempt,
  keepEnd,
  keptAttempt,
  moveAttempt,
  noteUnknown,
  noteWorking
} from "./moveAttempt.ts"
import { judgeMiss } from "./timeFence.ts"
import { isEntry, isProtective } from "../../orderLegs.ts"

/** Writes about an attempt as it is kept. */
const write = (
  agent: AgentState,
  { bot_id, id }: OrderAttempt,
  work: (attempt: OrderAttempt, bot: Bot | null) => Effect.Effect<void, StoreError>
): Effect.Effect<void, StoreError | Ousted> =>
  asOwnerFor(agent, bot_id, (_, bot) =>
    Effect.flatMap(keptAttempt(agent, id), (attempt) =>
      attempt === null ? Effect.void : work(attempt, bot)
    )
  )

const lookUp = ({ venue }: AgentState, { id, order }: OrderAttempt) =>
  Effect.map(questionOf(venue.order(order.symbol, id)), Option.getOrNull)

/** Gives up an attempt at a venue that can't prove anything. */
const giveUp = Effect.fnUntraced(function* (
  agent: AgentState,
  attempt: OrderAttempt
): Effect.fn.Return<void, AgentError> {
  const why = "the venue does not know the order, and has no window that proves its absence"
  yield* write(
    agent,
    attempt,
    Effect.fnUntraced(function* (kept): Effect.fn.Return<void, StoreError> {
      const moved = yield* moveAttempt(agent, kept, "given_up", { reason: why })
      if (moved !== null && isEntry(moved)) yield* keepEnd(agent, moved, "expired", why)
    })
  )
  if (isEntry(attempt)) return yield* agent.wake(attempt.bot_id)
  const { bot_id: botId, client_order_id: clientOrderId, id: exchangeOrderId } = attempt
  yield* agent.report({ type: "asks_operator", botId, clientOrderId, exchangeOrderId, why })
})

/**
 * Cancels an order that the venue took and does not show, once, before another takes its place: it
 * may live all the same. Returns whether the venue is to be asked for it once more.
 */
const cancelUnseen = Effect.fnUntraced(function* (
  agent: AgentState,
  attempt: OrderAttempt,
  askedAtMs: number
): Effect.fn.Return<boolean, AgentError> {
  const { cancelled, misses, venue } = agent
  const { id, order } = attempt
  if (cancelled.has(id)) {
    cancelled.delete(id)
    return false
  }
  // A process that lost the account asks for nothing any more.
  yield* write(agent, attempt, () => Effect.void)
  const outcome = yield* Effect.result(requestOf(venue.cancel(order.symbol, id)))
  // Only an answer of the venue shows that the order is not there, or no more.
  if (Result.isFailure(outcome) && outcome.failure.reason._tag !== "VenueRefused") {
    yield* noteFailure(agent, outcome.failure)
    return true
  }
  cancelled.set(id, askedAtMs)
  misses.set(id, askedAtMs)
  return true
})

/** Writes the meaning of a look-up that found nothing. */
const keepMiss = Effect.fnUntraced(function* (
  agent: AgentState,
  attempt: OrderAttempt,
  askedAtMs: number
): Effect.fn.Return<void, AgentError> {
  const { misses, venue } = agent
  const lastMissAtMs = misses.get(attempt.id) ?? null
  const miss = judgeMiss({ askedAtMs, attempt, lastMissAtMs }, venue.capabilities)
  if (miss === "too_early" || miss === "too_soon") return
  if (miss === "first") {
    misses.set(attempt.id, askedAtMs)
    return yield* write(agent, attempt, (kept) =>
      kept.state === "unknown"
        ? Effect.asVoid(agent.ports.venueAccounts.putAttempt({ ...kept, miss_count: 1 }))
        : Effect.void
    )
  }
  if (attempt.was_taken === true && (yield* cancelUnseen(agent, attempt, askedAtMs))) return
  misses.delete(attempt.id)
  if (miss === "given_up") return yield* giveUp(agent, attempt)
  yield* write(
    agent,
    attempt,
    Effect.fnUntraced(function* (kept, bot): Effect.fn.Return<void, StoreError> {
      const reason = absenceOf(kept)
      const moved = yield* moveAttempt(agent, kept, "absent", { reason })
      if (moved !== null) yield* attemptAgain(agent, moved, bot)
    })
  )
  yield* agent.wake(attempt.bot_id)
})

const desertedReason = "its bot is deleted, and nobody knows the outcome"

/** Ends an attempt that was given up, once its bot is deleted: no owner of it is left to answer. */
const endDeserted = (agent: AgentState, attempt: OrderAttempt) =>
  write(agent, attempt, (kept, bot) =>
    bot !== null || kept.state !== "given_up"
      ? Effect.void
      : Effect.asVoid(moveAttempt(agent, kept, "ended", { reason: desertedReason }))
  )

/**
 * Asks for an attempt of an unknown outcome. `askedAtMs` is the store's time before the trades were
 * read to their end: a trade that proves the order would have been among them.
 */
export const resolveUnknown = Effect.fnUntraced(function* (
  agent: AgentState,
  attempt: OrderAttempt,
  askedAtMs: number
): Effect.fn.Return<void, AgentError> {
  if (attempt.state === "sending") {
    const why = "the process that sent it has ended"
    yield* write(agent, attempt, (kept) => noteUnknown(agent, kept, why))
  }
  const found = yield* lookUp(agent, attempt)
  if (found === null) {
    return attempt.state === "given_up"
      ? yield* endDeserted(agent, attempt)
      : yield* keepMiss(agent, attempt, askedAtMs)
  }
  agent.misses.delete(attempt.id)
  agent.cancelled.delete(attempt.id)
  yield* write(agent, attempt, (kept) => noteWorking(agent, kept))
  if (isProtective(attempt)) yield* agent.wake(attempt.bot_id)
  yield* followOrder(agent, attempt, found)
})

const outcomes = {
  filled: "cancelled",
  cancelled: "cancelled",
  expired: "expired",
  rejected: "rejected"
} as const

/** Ends an attempt that is over at the venue, unless another one asks for its rest. */
const endFollowed = Effect.fnUntraced(function* (
  agent: AgentState,
  attempt: OrderAttempt,
  status: keyof typeof outcomes
): Effect.fn.Return<void, StoreError> {
  if (asksForRest(attempt) && !attempt.is_cancel_wanted && status !== "rejected") {
    if (yield* askForRest(agent, attempt)) return
    const end = { on: "ended", outcome: "cancelled", why: beyondLimitReason } as const
    return yield* endOrderAttempt(agent, attempt, end)
  }
  const why = `the venue says that the order is ${status}`
  // An order that was to fill at once or end, or whose time was over, was not cancelled.
  const hasLapsed = isLapsed(attempt, yield* agent.ports.venueAccounts.nowMs)
  const outcome = hasLapsed && !attempt.is_cancel_wanted ? "expired" : outcomes[status]
  yield* endOrderAttempt(agent, attempt, { on: "ended", outcome, why })
})

/**
 * Ends a working attempt that is over at the venue, once all its fills are kept. Until then the
 * agent asks for it again.
 */
export const followOrder = Effect.fnUntraced(function* (
  agent: AgentState,
  { bot_id, id }: OrderAttempt,
  { filledQuantity, status }: VenueOrderState
): Effect.fn.Return<void, AgentError> {
  if (status === "open") {
    agent.toCheck.delete(id)
    return
  }
  agent.toCheck.add(id)
  const isOver = yield* asOwnerFor(
    agent,
    bot_id,
    Effect.fnUntraced(function* (): Effect.fn.Return<boolean, StoreError> {
      const kept = yield* keptAttempt(agent, id)
      if (kept?.state !== "working") return true
      const [has, told] = [kept.filled_quantity, filledQuantity].map(decimalOfUnsafe)
      if (BigDecimal.isLessThan(has!, told!)) return false
      yield* endFollowed(agent, kept, status)
      return true
    })
  )
  if (!isOver) return
  agent.toCheck.delete(id)
  agent.cancelled.delete(id)
  yield* agent.wake(bot_id)
})

/** How long a venue may fail to show an order that it has taken, besides the lag of its answers. */
const unseenMaxMs = 10_000

/**
 * Asks again for an order that the venue has taken and does not show. After a while nobody knows
 * what became of it.
 */
const keepUnseen = Effect.fnUntraced(function* (
  agent: AgentState,
  attempt: OrderAttempt
): Effect.fn.Return<void, AgentError> {
  const { misses, ports, toCheck, venue } = agent
  const nowMs = yield* ports.venueAccounts.nowMs
  const sinceMs = misses.get(attempt.id) ?? nowMs
  if (nowMs < sinceMs + unseenMaxMs + venue.capabilities.readLagMs) {
    misses.set(attempt.id, sinceMs)
    toCheck.add(attempt.id)
    return
  }
  misses.delete(attempt.id)
  toCheck.delete(attempt.id)
  const why = "the venue does not show an order that it has taken"
  yield* write(agent, attempt, (kept) => noteUnknown(agent, kept, why, { was_taken: true }))
  yield* agent.wake(attempt.bot_id)
})

/** Asks for working attempts, such as those that are not among the open orders any more. */
export const checkWorking = Effect.fnUntraced(function* (
  agent: AgentState,
  attempts: ReadonlyArray<OrderAttempt>
): Effect.fn.Return<void, AgentError> {
  for (const attempt of attempts) {
    const found = yield* lookUp(agent, attempt)
    if (found === null) {
      yield* keepUnseen(agent, attempt)
      continue
    }
    agent.misses.delete(attempt.id)
    yield* followOrder(agent, attempt, found)
  }
})

/** An order that a person is asked about, and its bot, which takes the answer. */
const askedAbout = ({ bot_id: botId, client_order_id: name, id, reason }: OrderAttempt): string =>
  `order ${id} of ${botId} (${name}): ${reason}`

/** Says which orders have an unknown outcome. */
export const noteUnknownOrders = Effect.fnUntraced(function* (
  agent: AgentState,
  attempts: ReadonlyArray<OrderAttempt>
): Effect.fn.Return<void, StoreError> {
  const unknown = attempts.filter(({ state }) => state === "unknown")
  const givenUp = attempts.filter((one) => one.state === "given_up" && !isEntry(one))
  const [first] = givenUp
  if (first === undefined) unhinder(agent, "asks_operator")
  else yield* hinder(agent, "asks_operator", askedAbout(first))
  if (unknown.length === 0) return unhinder(agent, "unknown_order")
  const symbols = [...new Set(unknown.map(({ order }) => order.symbol))]
  yield* hinder(agent, "unknown_order", `orders of ${symbols.join(", ")} have an unknown outcome`)
})

/** Looks up the attempts that are unknown or may be over, and reports which still are. */
export const resolveOpen = Effect.fnUntraced(function* (
  agent: AgentState,
  askedAtMs: number
): Effect.fn.Return<void, AgentError> {
  const { inFlight, key, ports, toCheck } = agent
  const open = yield* ports.venueAccounts.listOpenAttempts(key)
  const own = open.filter(({ id }) => !inFlight.has(id))
  for (const attempt of own) {
    const isUnknown = attempt.state === "sending" || attempt.state === "unknown"
    if (isUnknown) yield* resolveUnknown(agent, attempt, askedAtMs)
  }
  yield* checkWorking(
    agent,
    own.filter(({ id, state }) => state === "working" && toCheck.has(id))
  )
  const isResolved = own.every(({ state }) => state === "written" || state === "working")
  const left = isResolved ? open : yield* ports.venueAccounts.listOpenAttempts(key)
  yield* noteUnknownOrders(agent, left)
  yield* wakeSender(agent)
})
