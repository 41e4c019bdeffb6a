/**
 * Whether a written attempt may be sent, has to wait, or is over before it began.
 *
 * @since 0.1.0
 */
import { timeframeMs } from "@candlewick/engine"
import type { Order } from "../../../domain/Order.ts"
import { openOrderStatuses } from "../../../domain/OrderMachine.ts"
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import { brokenBound, isRateReached, mayBeLive } from "./accountBounds.ts"
import { brokenFeeCoin } from "./feeCoins.ts"
import { isEntry } from "../../orderLegs.ts"
import { otherFilledReason, outOfTimeReason, partClosedReason } from "../../bots/takenBack.ts"
import { type AttemptContext, type AttemptVerdict, end, sendAs, wait } from "./attemptVerdict.ts"
import { isPastTime } from "./attemptWork.ts"
import { exceed, judgeExit } from "./judgeExit.ts"
import { asDecided, isUnpayable, payableEntry } from "./payableEntry.ts"

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

/** Judges a written attempt. */
export const judgeAttempt = (attempt: OrderAttempt, context: AttemptContext): AttemptVerdict => {
  if (!isWanted(context)) return end("cancelled", "the order is no longer wanted")
  if (isPastTime(attempt, context.nowMs)) return end("expired", outOfTimeReason)
  return isEntry(attempt) ? judgeEntry(attempt, context) : judgeExit(attempt, context)
}
