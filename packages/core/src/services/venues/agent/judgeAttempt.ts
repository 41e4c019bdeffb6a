/**
 * Whether a written attempt may be sent, has to wait, or is over before it began.
 *
 * @since 0.1.0
 */
import { timeframeMs } from "@candlewick/engine"
import { ownedBy } from "../../../domain/AccountBook.ts"
import type { Bot } from "../../../domain/Bot.ts"
import type { Order } from "../../../domain/Order.ts"
import { openOrderStatuses } from "../../../domain/OrderMachine.ts"
import type { EndFact, OrderAttempt } from "../../../domain/VenueAccount.ts"
import { brokenBound, isRateReached, mayBeLive } from "./accountBounds.ts"
import { brokenFeeCoin, type FeePayingAccount } from "./feeCoins.ts"
import { isEntry } from "../../orderLegs.ts"
import { otherFilledReason, outOfTimeReason, partClosedReason } from "../../bots/takenBack.ts"
import { isPastTime } from "./attemptWork.ts"
import {
  asDecided,
  exitOf,
  isAtOnce,
  isRestingExit,
  isUnpayable,
  payableEntry,
  type SentAs,
  type PayingAccount
} from "./payableEntry.ts"

/** The next step of a written attempt. */
export type AttemptVerdict =
  | {
      readonly type: "send"
      /** The changes by which an order is sent as its bot can pay for it, or has it to close. */
      readonly as?: SentAs
    }
  | {
      readonly type: "wait"
      readonly why: string
      /** The bot whose exits have to go first, which does not know of the attempt. */
      readonly wakes?: string
    }
  | { readonly type: "end"; readonly outcome: EndFact["outcome"]; readonly why: string }

/** The facts when an attempt is about to be sent. */
export interface AttemptContext extends PayingAccount, FeePayingAccount {
  /** Whether an exit may be sent beside another one that it takes the place of. */
  readonly mayOverlap: boolean
  /** Whether a resting exit leaves a stop its quantity. */
  readonly canShareQuantity: boolean
  /** The bot's own record of the order. */
  readonly order: Pick<Order, "status" | "reason"> | null
  readonly bot: Pick<Bot, "status" | "trading_state" | "timeframe"> | null
  /** Whether the kill switch of the account is on, here or in the store. */
  readonly isHalted: boolean
  /**
   * The order of the bot there that has filled since it decided on an entry; null for none. It is
   * an entry that the bot took back, another of the group, an exit of the position that the entry
   * adds to, or one of a part of its own.
   */
  readonly overtakenBy: "taken_back" | "group" | "exit" | "own_exit" | null
  /** The part of what an exit on spot would sell that the venue lacks. */
  readonly lacking: number
  /** Whether an exit that was to go before an entry is over, and has left its position there. */
  readonly hasLostExit: boolean
  /** The quantity that is left of the lot that an exit closes; null for an exit of any lot. */
  readonly lotRest: number | null
}

/** The part of a cost that rounding may add to it. */
const roundingMax = 1e-9

const send: AttemptVerdict = { type: "send" }

/** Sends an attempt with the order of another form of it. */
const sendAs = (attempt: OrderAttempt, form: OrderAttempt): AttemptVerdict => {
  const { decided_order, order, terms } = form
  return form === attempt ? send : { type: "send", as: { decided_order, order, terms } }
}

const end = (outcome: EndFact["outcome"], why: string): AttemptVerdict => ({
  type: "end",
  outcome,
  why
})

const wait = (why: string, wakes?: string): AttemptVerdict => ({
  type: "wait",
  why,
  ...(wakes !== undefined && { wakes })
})

/** Whether the bot's side still wants an order, as its record says. */
export const isWanted = ({ order }: { readonly order: Pick<Order, "status"> | null }): boolean =>
  order !== null && openOrderStatuses.includes(order.status)

/** The reason for which a bot opens nothing now, or for which its decision is too old. */
export const entryRefusal = (
  { written_at_ms: writtenAtMs }: OrderAttempt,
  { bot, isHalted, nowMs, order }: Pick<AttemptContext, "bot" | "isHalted" | "nowMs" | "order">
): AttemptVerdict | null => {
  if (bot === null || bot.status !== "running") return end("cancelled", "the bot is not running")
  if (bot.trading_state !== "active") return end("cancelled", `trading is ${bot.trading_state}`)
  if (isHalted) return end("cancelled", "the account is halted")
  if (nowMs <= writtenAtMs + timeframeMs(bot.timeframe)) return null
  const waited = order?.reason ?? null
  const why = "the decision is older than one candle"
  return end("expired", waited === null ? why : `${why}: ${waited}`)
}

/** The direction in which another bot holds a market of a `one_way` venue, or may come to. */
const takenBy = (attempt: OrderAttempt, { book, open }: AttemptContext): string | null => {
  const { bot_id: botId, order } = attempt
  const isOpposite = (quantity: string) => quantity.startsWith("-") === (order.side === "buy")
  for (const [id, { positions }] of Object.entries(book.bots)) {
    const held = positions[order.symbol]
    if (id !== botId && held !== undefined && isOpposite(held)) return id
  }
  const other = open.find(
    (one) =>
      one.bot_id !== botId &&
      isEntry(one) &&
      mayBeLive(one) &&
      one.order.symbol === order.symbol &&
      one.order.side !== order.side
  )
  return other?.bot_id ?? null
}

/** The quantity that other exits of the bot are about to close at once. */
const closingBeside = (
  { bot_id: botId, id, order: { side, symbol } }: OrderAttempt,
  open: AttemptContext["open"]
): number =>
  open
    .filter(
      (one) =>
        one.bot_id === botId &&
        one.id !== id &&
        !isEntry(one) &&
        isAtOnce(one) &&
        one.order.symbol === symbol &&
        one.order.side === side &&
        mayBeLive(one) &&
        one.state !== "given_up"
    )
    .reduce((sum, one) => sum + Number(one.order.quantity) - Number(one.filled_quantity), 0)

/** The quantity that a bot has for an exit to close; negative where it holds the other way. */
export const heldFor = (
  { bot_id: botId, order: { side, symbol } }: OrderAttempt,
  { book, kind }: Pick<AttemptContext, "book" | "kind">
): number =>
  kind === "one_way"
    ? Number(book.bots[botId]?.positions[symbol] ?? "0") * (side === "buy" ? -1 : 1)
    : Number(ownedBy(book, botId)[symbol.split("/")[0]!] ?? "0")

/** The quantity that an exit may close; Infinity where its venue ends the part beyond. */
const closableOf = (attempt: OrderAttempt, context: AttemptContext): number => {
  const { kind, mayOverlap, open } = context
  const { side, type } = attempt.order
  if (kind === "spot" && side === "buy") return Infinity
  const held = heldFor(attempt, context)
  if (kind === "one_way" && mayOverlap) return type === "market" && held <= 0 ? 0 : Infinity
  return held - closingBeside(attempt, open) - context.lacking
}

/** The quantity of a market that a bot of a `one_way` venue holds, long or short. */
const heldBy = ({ bots }: AttemptContext["book"], botId: string, symbol: string): number =>
  Math.abs(Number(bots[botId]?.positions[symbol] ?? "0"))

/** Whether so many exits of one bot would together close more than it holds of their market. */
const exceed = (
  exits: ReadonlyArray<OrderAttempt>,
  { book, kind }: Pick<AttemptContext, "book" | "kind">
): boolean => {
  const [first] = exits
  if (first === undefined) return false
  const closing = exits.reduce(
    (sum, { filled_quantity, order }) => sum + Number(order.quantity) - Number(filled_quantity),
    0
  )
  const held =
    kind === "spot"
      ? heldFor(first, { book, kind })
      : heldBy(book, first.bot_id, first.order.symbol)
  return closing * (1 - roundingMax) > held
}

/**
 * Whether a resting exit, with those beside it and those that it takes the place of, would close
 * more than their bot holds. The rest would be coins or positions of others.
 */
const crowdsOthers = (attempt: OrderAttempt, context: AttemptContext): boolean => {
  const { canShareQuantity, mayOverlap, open } = context
  const { bot_id: botId, id, order } = attempt
  if (mayOverlap || canShareQuantity || order.type === "market") return false
  const beside = open.filter(
    (one) =>
      one.bot_id === botId &&
      one.id !== id &&
      !isEntry(one) &&
      mayBeLive(one) &&
      one.order.symbol === order.symbol &&
      one.order.side === order.side
  )
  return beside.length > 0 && exceed([...beside, attempt], context)
}

/**
 * The other bot whose exits may close more of a `one_way` market than it holds. They would so close
 * a part of the position that the entry opens. Null without one.
 */
const overlappingBot = (
  { bot_id: botId, order }: OrderAttempt,
  context: AttemptContext
): string | null => {
  if (context.canShareQuantity) return null
  const exits = context.open.filter(
    (one) =>
      one.bot_id !== botId &&
      !isEntry(one) &&
      mayBeLive(one) &&
      one.order.symbol === order.symbol &&
      one.order.side !== order.side
  )
  const ids = new Set(exits.map(({ bot_id }) => bot_id))
  const isOverlapping = (id: string) =>
    exceed(
      exits.filter(({ bot_id }) => bot_id === id),
      context
    )
  return [...ids].find(isOverlapping) ?? null
}

/**
 * Whether an order that the bot takes back may still lock the coins that an exit is to sell, or
 * sell them itself. Two that fill would sell coins of others. One that was given up is waited for
 * no more: a person was asked about it.
 */
const isLocked = (
  { bot_id: botId, lot, order }: OrderAttempt,
  { mayOverlap, open }: AttemptContext
): boolean =>
  (!mayOverlap || lot !== undefined) &&
  open.some(
    (one) =>
      one.bot_id === botId &&
      one.is_cancel_wanted &&
      (!mayOverlap || one.lot?.id === lot?.id) &&
      one.order.symbol === order.symbol &&
      one.order.side === order.side &&
      mayBeLive(one) &&
      one.state !== "given_up"
  )

/**
 * Whether exits of the bot at the market are under way, in the entry's market or in any. They go
 * first: the entry follows the position that they leave, is paid by them, or would be closed by
 * them.
 */
const isLeaving = (
  { bot_id: botId, order }: OrderAttempt,
  { open }: Pick<AttemptContext, "open">,
  where: "here" | "anywhere"
): boolean =>
  open.some(
    (one) =>
      one.bot_id === botId &&
      !isEntry(one) &&
      one.state !== "given_up" &&
      one.order.type === "market" &&
      (where === "anywhere" || one.order.symbol === order.symbol)
  )

/** Whether an entry of the bot may fill still, there or in any market, though it is taken back. */
const isTakingBack = (
  { bot_id: botId, order }: OrderAttempt,
  { open }: Pick<AttemptContext, "open">,
  where: "here" | "anywhere"
): boolean =>
  open.some(
    (one) =>
      one.bot_id === botId &&
      isEntry(one) &&
      one.is_cancel_wanted &&
      one.state !== "given_up" &&
      mayBeLive(one) &&
      (where === "anywhere" || one.order.symbol === order.symbol)
  )

/**
 * An entry waits until an earlier one that its bot took back is over, and ends where that one has
 * filled. A bot decides on an entry by what it holds, and it did not know of that fill. It ends too
 * where another of its group has filled, whether or not its bot has heard of that.
 */
const afterTakenBack = (
  attempt: OrderAttempt,
  { open, overtakenBy }: AttemptContext
): AttemptVerdict | null => {
  if (overtakenBy === "group") return end("cancelled", otherFilledReason)
  if (overtakenBy === "own_exit") return end("cancelled", partClosedReason)
  // It is taken back where the exit has closed the position.
  if (overtakenBy === "exit") return wait("its bot books an exit first", attempt.bot_id)
  if (overtakenBy !== null) return end("cancelled", "an entry that the bot took back has filled")
  return isTakingBack(attempt, { open }, "here")
    ? wait("an entry of the bot is being taken back")
    : null
}

/**
 * Whether an entry at a `one_way` venue would close a position of its own bot. No entry is meant
 * to, and an exit of that position would find nothing to reduce.
 */
const isAgainstOwn = (
  { bot_id: botId, order }: OrderAttempt,
  { book }: Pick<AttemptContext, "book">
): boolean => {
  const held = book.bots[botId]?.positions[order.symbol]
  return held !== undefined && held.startsWith("-") === (order.side === "buy")
}

/** Whether an order of the bot that frees money is under way: an exit, or an entry it took back. */
const isFreeing = (attempt: OrderAttempt, context: AttemptContext): boolean =>
  isLeaving(attempt, context, "anywhere") || isTakingBack(attempt, context, "anywhere")

/** The reason for which an entry at a `one_way` venue does not go beside the positions there. */
const besidePositions = (attempt: OrderAttempt, context: AttemptContext): AttemptVerdict | null => {
  if (context.kind === "spot") return null
  if (isAgainstOwn(attempt, context)) {
    return end("cancelled", "the bot holds a position the other way")
  }
  const other = takenBy(attempt, context)
  return other === null ? null : end("rejected", `market_taken: ${other} trades the other way`)
}

/**
 * An entry is cut down to the money that its bot has left. Before that it waits for the money of an
 * exit that is under way, and of an entry that is taken back.
 */
const judgeMoney = (attempt: OrderAttempt, context: AttemptContext): AttemptVerdict => {
  const decided = asDecided(attempt)
  const paid = payableEntry(decided, context)
  const isShort = isUnpayable(paid) || paid.order.quantity !== decided.order.quantity
  if (isShort && isFreeing(attempt, context)) {
    return wait("an order of the bot frees its money first")
  }
  if (isUnpayable(paid)) return end("rejected", paid.why)
  const overlapping = context.kind === "spot" ? null : overlappingBot(attempt, context)
  if (overlapping !== null) return wait("exits of another bot overlap still", overlapping)
  const asked = { ...decided, order: { ...decided.order, quantity: paid.order.quantity } }
  const feeCoin = context.kind === "spot" ? brokenFeeCoin(asked, context) : null
  const bound = feeCoin ?? brokenBound(asked, context)
  if (bound !== null) return end("rejected", bound)
  if (isRateReached(context)) return wait("the account has sent its orders of this minute")
  return sendAs(attempt, paid)
}

const judgeEntry = (attempt: OrderAttempt, context: AttemptContext): AttemptVerdict => {
  const refusal = entryRefusal(attempt, context)
  if (refusal !== null) return refusal
  const isUnknown = ({ order, state }: OrderAttempt) =>
    order.symbol === attempt.order.symbol && (state === "unknown" || state === "sending")
  if (context.open.some(isUnknown)) return wait("an order of the market has an unknown outcome")
  const after = afterTakenBack(attempt, context)
  if (after !== null) return after
  if (isLeaving(attempt, context, "here")) return wait("an exit of the bot goes first")
  if (context.hasLostExit) return end("cancelled", "the exit before it has come to nothing")
  return besidePositions(attempt, context) ?? judgeMoney(attempt, context)
}

/**
 * An exit at the market is cut down to what its lot and its bot have left to close. The bot itself
 * cuts an exit that rests.
 */
const judgeExit = (attempt: OrderAttempt, context: AttemptContext): AttemptVerdict => {
  if (isLocked(attempt, context)) return wait("an order that is being taken back locks the coins")
  if (crowdsOthers(attempt, context)) {
    return wait("exits beside it would close more than the bot holds", attempt.bot_id)
  }
  const isResting = isRestingExit(attempt)
  const decided = isResting ? attempt : asDecided(attempt)
  const { canShareQuantity, lotRest, mayOverlap } = context
  const restOfLot = lotRest === null || decided.order.type !== "market" ? Infinity : lotRest
  const closable = closableOf(decided, context)
  const exit = exitOf(decided, Math.min(restOfLot, closable))
  if (exit !== null) return sendAs(attempt, exit)
  // Its bot sizes it anew, once its books know of the fill that has left less.
  if (isResting && attempt.leg === "exit" && !mayOverlap && !canShareQuantity) {
    return wait("its bot books an exit first", attempt.bot_id)
  }
  const owner = restOfLot < closable ? "lot" : "bot"
  return end("rejected", `exceeds_holdings: the ${owner} has less than the order would close`)
}

/** Judges a written attempt. */
export const judgeAttempt = (attempt: OrderAttempt, context: AttemptContext): AttemptVerdict => {
  if (!isWanted(context)) return end("cancelled", "the order is no longer wanted")
  if (isPastTime(attempt, context.nowMs)) return end("expired", outOfTimeReason)
  return isEntry(attempt) ? judgeEntry(attempt, context) : judgeExit(attempt, context)
}
