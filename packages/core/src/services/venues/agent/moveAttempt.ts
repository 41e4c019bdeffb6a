/**
 * Moves of attempts, with the facts and the order records that follow them.
 *
 * To be run in a transaction.
 *
 * @since 0.1.0
 */
import { BigDecimal, Effect, Option } from "effect"
import { type AttemptFact, AttemptMachine } from "../../../domain/AttemptMachine.ts"
import type { Bot } from "../../../domain/Bot.ts"
import { decimalOfUnsafe } from "../../../domain/decimals.ts"
import * as StateTable from "../../../domain/StateTable.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import { type EndFact, endIdOf, type OrderAttempt } from "../../../domain/VenueAccount.ts"
import { venueIdOf, venueIdText } from "../../../domain/venueIds.ts"
import { moveOrder } from "../../bots/orderRecords.ts"
import { sha256Hex } from "../../sha256.ts"
import { isHalted } from "../../accounts/killSwitch.ts"
import type { AgentState } from "./agentState.ts"
import { entryRefusal, isWanted } from "./judgeAttempt.ts"
import { asksForRest, isCutDown, unfilledOf, restToAsk } from "./payableEntry.ts"
import { isEntry, isProtective } from "../../orderLegs.ts"

/** More attempts than that in a row to have one order are a fault, not bad luck. */
const attemptsMax = 5

/**
 * How many attempts of an order have come to nothing in a row, this one included. Their numbers do
 * not say: a stop has a further attempt each time that it moves.
 */
const failedInRow = Effect.fnUntraced(function* (
  { ports }: Pick<AgentState, "ports">,
  { bot_id: botId, client_order_id: clientOrderId, number: last }: OrderAttempt
): Effect.fn.Return<number, StoreError> {
  const attempts = yield* ports.venueAccounts.attemptsOf(botId, clientOrderId)
  const before = attempts.filter(({ number }) => number < last)
  const hadByVenue = before.filter(({ state }) => state !== "absent" && state !== "refused")
  const had = Math.max(0, ...hadByVenue.map(({ number }) => number))
  return 1 + before.filter(({ number }) => number > had).length
})

/** The attempt as it is kept; null where it is gone. */
export const keptAttempt = ({ key, ports }: AgentState, id: string) =>
  Effect.map(ports.venueAccounts.findAttempt(key, id), Option.getOrNull)

/** Moves an attempt; a fact that comes late or twice leaves it as it is, and gives null. */
export const moveAttempt = Effect.fnUntraced(function* (
  { ports }: Pick<AgentState, "ports">,
  attempt: OrderAttempt,
  fact: AttemptFact,
  changes: Partial<OrderAttempt> = {}
): Effect.fn.Return<OrderAttempt | null, StoreError> {
  const state = Option.getOrNull(StateTable.moveIfLegal(AttemptMachine, attempt.state, fact))
  if (state === null) return null
  return yield* ports.venueAccounts.putAttempt({ ...attempt, ...changes, state })
})

/** Whether all of an attempt is filled. */
export const isAttemptFilled = ({ filled_quantity, order }: OrderAttempt): boolean =>
  BigDecimal.isGreaterThanOrEqualTo(
    decimalOfUnsafe(filled_quantity),
    decimalOfUnsafe(order.quantity)
  )

/** Keeps the end of a bot's order, once. */
export const keepEnd = (
  { key, ports }: Pick<AgentState, "key" | "ports">,
  attempt: OrderAttempt,
  outcome: EndFact["outcome"],
  reason: string
) =>
  ports.venueAccounts.keepFacts(key, [
    {
      type: "ended",
      id: endIdOf(attempt.id),
      bot_id: attempt.bot_id,
      client_order_id: attempt.client_order_id,
      symbol: attempt.order.symbol,
      outcome,
      reason
    }
  ])

/** The end of an attempt, and of the order unless it was filled whole. */
export const endOrderAttempt = Effect.fnUntraced(function* (
  agent: Pick<AgentState, "key" | "ports">,
  attempt: OrderAttempt,
  end: {
    readonly on: AttemptFact
    readonly outcome: EndFact["outcome"]
    readonly why: string
  }
): Effect.fn.Return<void, StoreError> {
  const moved = yield* moveAttempt(agent, attempt, end.on, { reason: end.why })
  if (moved === null || (isAttemptFilled(moved) && !isCutDown(moved))) return
  yield* keepEnd(agent, attempt, end.outcome, end.why)
})

/** Ends an attempt that is filled whole, and the order of one that was cut down. */
export const endFilled = (
  agent: Pick<AgentState, "key" | "ports">,
  attempt: OrderAttempt
): Effect.Effect<void, StoreError> =>
  isCutDown(attempt)
    ? endOrderAttempt(agent, attempt, {
        on: "ended",
        outcome: "cancelled",
        why: isEntry(attempt) ? "the bot had no money for the rest" : "the bot held no more"
      })
    : Effect.asVoid(moveAttempt(agent, attempt, "ended"))

/** Notes that the venue has the order of an attempt. */
export const noteWorking = Effect.fnUntraced(function* (
  agent: AgentState,
  attempt: OrderAttempt
): Effect.fn.Return<void, StoreError> {
  const moved = yield* moveAttempt(agent, attempt, "accepted", { miss_count: 0 })
  if (moved === null) return
  const { bot_id: botId, client_order_id: clientOrderId } = attempt
  const order = Option.getOrNull(yield* agent.ports.orders.get(botId, clientOrderId))
  // The reason of a stop is why it was refused before.
  const isTold = isProtective(attempt) && isWanted({ order }) && order?.reason !== null
  const changes = isTold ? { reason: null } : {}
  yield* moveOrder(agent.ports, botId, clientOrderId, "accepted", changes)
})

/** Notes that it is unknown whether the venue has the order of an attempt. */
export const noteUnknown = Effect.fnUntraced(function* (
  agent: AgentState,
  attempt: OrderAttempt,
  why: string,
  changes: Pick<OrderAttempt, "was_taken"> = {}
): Effect.fn.Return<void, StoreError> {
  const moved = yield* moveAttempt(agent, attempt, "lost", { reason: why, ...changes })
  if (moved === null) return
  yield* moveOrder(agent.ports, attempt.bot_id, attempt.client_order_id, "timed_out")
})

/** The absence of an order, in words. */
export const absenceOf = ({ was_taken: wasTaken }: OrderAttempt): string =>
  wasTaken === true ? "the venue has the order no more" : "the venue never had the order"

const neverTaken = `the venue took none of ${attemptsMax} attempts`

/** Whether an order whose attempt came to nothing is to have another one; the reason if not. */
const reasonAgainst = Effect.fnUntraced(function* (
  agent: AgentState,
  attempt: OrderAttempt,
  bot: Bot | null
): Effect.fn.Return<string | null, StoreError> {
  const { accountId, ports } = agent
  if (attempt.is_cancel_wanted) return "the bot took the order back"
  if ((yield* failedInRow(agent, attempt)) >= attemptsMax) return neverTaken
  const order = Option.getOrNull(yield* ports.orders.get(attempt.bot_id, attempt.client_order_id))
  if (!isWanted({ order })) return "the order is no longer wanted"
  if (!isEntry(attempt)) return null
  const refusal = entryRefusal(attempt, {
    bot,
    order,
    isHalted: yield* isHalted(ports, accountId),
    nowMs: yield* ports.venueAccounts.nowMs
  })
  return refusal?.type === "end" ? refusal.why : null
})

/** Writes another attempt of an order, with another id. */
const putNext = Effect.fnUntraced(function* (
  agent: AgentState,
  attempt: OrderAttempt
): Effect.fn.Return<void, StoreError> {
  const number = attempt.number + 1
  const digest = yield* sha256Hex(
    venueIdText({
      botId: attempt.bot_id,
      epoch: agent.epoch,
      market: attempt.market,
      decision: attempt.client_order_id,
      leg: attempt.leg,
      attempt: number
    })
  )
  const { was_taken: _taken, ...next } = attempt
  yield* agent.ports.venueAccounts.putAttempt({
    ...next,
    id: venueIdOf(digest, agent.venue.capabilities.idForm),
    number,
    state: AttemptMachine.initial,
    sent_at_ms: null,
    filled_quantity: "0",
    miss_count: 0,
    reason: null,
    version: 0
  })
})

/**
 * Follows an attempt that the venue has proved not to have. Another attempt with another id takes
 * its place where the order is still wanted; otherwise the order ends. Of an order that the venue
 * has lost after a part of it filled, the rest alone is asked for.
 */
export const attemptAgain = Effect.fnUntraced(function* (
  agent: AgentState,
  attempt: OrderAttempt,
  bot: Bot | null
): Effect.fn.Return<void, StoreError> {
  const against = yield* reasonAgainst(agent, attempt, bot)
  if (against !== null) {
    const outcome = attempt.is_cancel_wanted ? "cancelled" : "expired"
    // The bot decides anew by its position; a person ought to know that an exit never came.
    if (!isEntry(attempt) && against === neverTaken) {
      const { bot_id: botId, client_order_id: clientOrderId } = attempt
      yield* agent.report({ type: "never_taken", botId, clientOrderId, why: against })
    }
    yield* keepEnd(agent, attempt, outcome, `${absenceOf(attempt)}, and ${against}`)
    return
  }
  const hasFilled = BigDecimal.isPositive(decimalOfUnsafe(attempt.filled_quantity))
  yield* putNext(agent, hasFilled ? unfilledOf(attempt) : attempt)
})

/** The reason for which the rest of an entry has not filled. */
export const beyondLimitReason = "the market went beyond the price that the bot can pay"

/**
 * Follows an entry whose rest has ended because its bot's money did not reach the price of the
 * market. Returns whether another attempt asks for the rest.
 */
export const askForRest = Effect.fnUntraced(function* (
  agent: AgentState,
  attempt: OrderAttempt
): Effect.fn.Return<boolean, StoreError> {
  const { bot_id: botId, client_order_id: clientOrderId } = attempt
  const { orders, venueAccounts } = agent.ports
  const order = Option.getOrNull(yield* orders.get(botId, clientOrderId))
  const attempts = yield* venueAccounts.attemptsOf(botId, clientOrderId)
  const next = restToAsk(attempt, attempts.filter(asksForRest))
  if (next === null || !isWanted({ order })) return false
  const moved = yield* moveAttempt(agent, attempt, "ended", { reason: beyondLimitReason })
  if (moved !== null) yield* putNext(agent, next)
  return true
})
