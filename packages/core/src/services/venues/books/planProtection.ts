/**
 * The steps from the protective orders that are at a venue to those that are wanted there.
 *
 * A caller that follows the steps and plans again comes to an end. An order that is open already is
 * never placed beside itself, and one that the venue keeps refusing is left to the audit.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import { decimalOfUnsafe } from "../../../domain/decimals.ts"
import { openAttemptStates } from "../../../domain/AttemptMachine.ts"
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import { isEndedThere, restOfAttempt } from "./protectionStatus.ts"
import { mayOverlap, type ProtectingCapabilities, type WantedExit } from "./wantedExits.ts"

/** The present steps; more may follow once they are done. */
export interface ProtectionPlan {
  readonly place: ReadonlyArray<WantedExit>
  readonly cancel: ReadonlyArray<OrderAttempt>
  /** Exits that the venue has refused again and again, as they are, within a minute. */
  readonly refused: ReadonlyArray<WantedExit>
}

/** Times within a minute that an exit is placed although it is refused. */
const refusalsMax = 3
const refusedForMs = 60_000

/** The venue has the order, or may have it: a proof that it hasn't is yet to come. */
export const mayRest = ({ state }: OrderAttempt): boolean => openAttemptStates.includes(state)

/** It can't be known whether the venue has the order, which is therefore never sent again. */
const isLost = ({ state }: OrderAttempt): boolean => state === "given_up"

const isSameAmount = (one: string | null, other: string | null): boolean =>
  one === null || other === null
    ? one === other
    : BigDecimal.equals(decimalOfUnsafe(one), decimalOfUnsafe(other))

/** Whether an attempt is at the price of a wanted exit, and of its kind. */
const hasTerms = ({ order }: OrderAttempt, wanted: WantedExit): boolean =>
  order.type === wanted.type &&
  order.side === wanted.side &&
  isSameAmount(order.stop_price, wanted.stopPrice) &&
  isSameAmount(order.limit_price, wanted.limitPrice)

/** A sale at the market as it was decided: the sender cuts it down to the holdings of its bot. */
const isCutSale = (attempt: OrderAttempt, wanted: WantedExit): boolean => {
  const { decided_order: decided, filled_quantity: filled } = attempt
  if (decided === undefined || wanted.type !== "market" || wanted.asked !== undefined) return false
  const rest = BigDecimal.subtract(decimalOfUnsafe(decided.quantity), decimalOfUnsafe(filled))
  return BigDecimal.equals(rest, decimalOfUnsafe(wanted.quantity))
}

const isAsWanted = (attempt: OrderAttempt, wanted: WantedExit): boolean =>
  hasTerms(attempt, wanted) &&
  (BigDecimal.equals(restOfAttempt(attempt), decimalOfUnsafe(wanted.quantity)) ||
    isCutSale(attempt, wanted))

/**
 * Whether an order was refused: by the venue, or by the sender, which has not sent it. A venue may
 * take it first, and end it then.
 */
const isTurnedDown = (attempt: OrderAttempt): boolean => {
  const { is_cancel_wanted, sent_at_ms, state } = attempt
  const isUnsent = state === "over" && sent_at_ms === null && !is_cancel_wanted
  return state === "refused" || isUnsent || isEndedThere(attempt)
}

/** Until when orders were refused often enough for now; null where they were not. */
const refusalsEndMs = (attempts: ReadonlyArray<OrderAttempt>, nowMs: number): number | null => {
  const ends = attempts
    .filter(isTurnedDown)
    .map(({ written_at_ms: writtenMs }) => writtenMs + refusedForMs)
    .filter((endMs) => nowMs < endMs)
    .toSorted((one, other) => other - one)
  return ends[refusalsMax - 1] ?? null
}

/** Whether sales at the market, of the attempts of one exit, were refused often enough for now. */
export const isSaleRefused = (attempts: ReadonlyArray<OrderAttempt>, nowMs: number): boolean => {
  const sales = attempts.filter(({ order }) => order.type === "market")
  return refusalsEndMs(sales, nowMs) !== null
}

/** Until when an exit is refused often enough for now; null where it may be placed. */
const refusedUntilMs = (
  attempts: ReadonlyArray<OrderAttempt>,
  wanted: WantedExit,
  nowMs: number
): number | null => {
  const own = attempts.filter(
    (attempt) =>
      attempt.client_order_id === wanted.clientOrderId &&
      hasTerms(attempt, wanted) &&
      isSameAmount(attempt.order.quantity, wanted.quantity)
  )
  return refusalsEndMs(own, nowMs)
}

/** When the first of refused exits may be placed again; null for none. */
export const placedAgainMs = (
  refused: ReadonlyArray<WantedExit>,
  attempts: ReadonlyArray<OrderAttempt>,
  nowMs: number
): number | null => {
  const times = refused.flatMap((exit) => refusedUntilMs(attempts, exit, nowMs) ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

/** A stop whose price was passed before it could rest is an exit at the market. */
const asPlaced = (wanted: WantedExit, open: ReadonlyArray<OrderAttempt>): WantedExit => {
  const isDue = wanted.type === "stop" && wanted.isPassed
  // A stop that rests at this price is being filled.
  const isFilling = open.some((attempt) => !isLost(attempt) && hasTerms(attempt, wanted))
  if (!isDue || isFilling) return wanted
  return { ...wanted, type: "market", stopPrice: null }
}

const isResting = ({ type }: WantedExit): boolean => type !== "market"

/** The inputs of a plan besides orders. */
interface PlanContext {
  readonly capabilities: ProtectingCapabilities
  /** The lot that a protective order was placed for. */
  readonly lotOf: (clientOrderId: string) => string
  /** The store's time. */
  readonly nowMs: number
}

/** The plan of one lot: its exits, and the attempts that may rest for it. */
const planLot = (
  asked: ReadonlyArray<WantedExit>,
  resting: ReadonlyArray<OrderAttempt>,
  all: ReadonlyArray<OrderAttempt>,
  { capabilities, nowMs }: PlanContext
): ProtectionPlan => {
  const wanted = asked.map((exit) => asPlaced(exit, resting))
  // A lot that leaves at the market does not wait for a stop with an unknown outcome.
  const open = wanted.some(isResting)
    ? resting
    : resting.filter((attempt) => !isLost(attempt) || attempt.order.type === "market")
  // An order that may rest beside a stop is no sale at the market, unless that can only reduce.
  const isShared =
    mayOverlap(capabilities) || (capabilities.canShareQuantity && wanted.every(isResting))
  const kept = new Map<WantedExit, OrderAttempt>()
  for (const exit of wanted) {
    const known = open.find(
      (attempt) =>
        attempt.client_order_id === exit.clientOrderId &&
        !attempt.is_cancel_wanted &&
        isAsWanted(attempt, exit)
    )
    if (known !== undefined) kept.set(exit, known)
  }
  const keptAttempts = [...kept.values()]
  const others = open.filter((attempt) => !keptAttempts.includes(attempt))
  const cancellable = others.filter((attempt) => !attempt.is_cancel_wanted)
  const missing = wanted.filter((exit) => !kept.has(exit))
  const refused = missing.filter((exit) => refusedUntilMs(all, exit, nowMs) !== null)
  const left = missing.filter((exit) => !refused.includes(exit))
  if (!isShared) {
    // A resting order locks the funds that a new order needs.
    return { place: others.length === 0 ? left : [], cancel: cancellable, refused }
  }
  const isNewWorking = left.length === 0 && keptAttempts.every(({ state }) => state === "working")
  if (isNewWorking && refused.length === 0) return { place: [], cancel: cancellable, refused }
  const crowds = left.map((exit) => others.filter(isOf(exit))).filter(({ length }) => length > 1)
  // Two sales at the market would fill together, and reduce another bot's position.
  const isExiting = others.some(({ order }) => order.type === "market")
  return {
    place: left.filter(
      (exit) => others.filter(isOf(exit)).length <= 1 && !(isExiting && !isResting(exit))
    ),
    cancel: crowds.flatMap(besidesBest).filter((attempt) => cancellable.includes(attempt)),
    refused
  }
}

const isOf =
  ({ clientOrderId }: WantedExit) =>
  ({ client_order_id: id }: OrderAttempt): boolean =>
    id === clientOrderId

/** Orders that are to go before a further one is placed: all but one that works, if one does. */
const besidesBest = (crowd: ReadonlyArray<OrderAttempt>): ReadonlyArray<OrderAttempt> => {
  const best = crowd.find(({ is_cancel_wanted, state }) => !is_cancel_wanted && state === "working")
  return best === undefined ? [] : crowd.filter((attempt) => attempt !== best)
}

/**
 * Plans the protective orders of a bot.
 *
 * **Details**
 *
 * Where quantity can be shared or orders only reduce, a new order is placed first. The old one is
 * cancelled once the new one works. Elsewhere the old one is cancelled, and the new one is placed
 * once the old one is gone. An exit at the market comes in place of all that rests for its lot.
 */
export const planProtection = (
  wanted: ReadonlyArray<WantedExit>,
  /** The bot's attempts of protective orders: open ones, and those that were refused. */
  attempts: ReadonlyArray<OrderAttempt>,
  context: PlanContext
): ProtectionPlan => {
  const { lotOf } = context
  const open = attempts.filter(mayRest)
  const lots = new Set([
    ...wanted.map(({ lot }) => lot),
    ...open.map(({ client_order_id: id }) => lotOf(id))
  ])
  const plans = [...lots].map((lot) =>
    planLot(
      wanted.filter((exit) => exit.lot === lot),
      open.filter(({ client_order_id: id }) => lotOf(id) === lot),
      attempts,
      context
    )
  )
  return {
    place: plans.flatMap(({ place }) => place),
    cancel: plans.flatMap(({ cancel }) => cancel),
    refused: plans.flatMap(({ refused }) => refused)
  }
}
