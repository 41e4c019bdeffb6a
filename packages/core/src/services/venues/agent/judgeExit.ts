/**
 * Whether an exit may be sent, and for how much: no more than its bot, or its lot, has to close.
 *
 * @since 0.1.0
 */
import { ownedBy } from "../../../domain/AccountBook.ts"
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import { isEntry } from "../../orderLegs.ts"
import { mayBeLive } from "./accountBounds.ts"
import { type AttemptContext, type AttemptVerdict, end, sendAs, wait } from "./attemptVerdict.ts"
import { asDecided, exitOf, isAtOnce, isRestingExit } from "./payableEntry.ts"

/** The part of a cost that rounding may add to it. */
const roundingMax = 1e-9

/**
 * The quantity that other exits of the bot are about to close at once. One with an unknown outcome
 * counts until a person has answered: it may have filled.
 */
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
        mayBeLive(one)
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
export const exceed = (
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

/** Whether a person is asked about an exit of the bot there, which may have closed the same. */
const isAsked = (
  { bot_id: botId, order: { side, symbol } }: OrderAttempt,
  { open }: Pick<AttemptContext, "open">
): boolean =>
  open.some(
    (one) =>
      one.bot_id === botId &&
      one.state === "given_up" &&
      !isEntry(one) &&
      isAtOnce(one) &&
      one.order.symbol === symbol &&
      one.order.side === side
  )

/**
 * An exit that ends at once is cut down to what its lot and its bot have left to close. The bot
 * itself cuts an exit that rests.
 */
export const judgeExit = (attempt: OrderAttempt, context: AttemptContext): AttemptVerdict => {
  if (isLocked(attempt, context)) return wait("an order that is being taken back locks the coins")
  if (crowdsOthers(attempt, context)) {
    return wait("exits beside it would close more than the bot holds", attempt.bot_id)
  }
  const isResting = isRestingExit(attempt)
  const decided = isResting ? attempt : asDecided(attempt)
  const { canShareQuantity, lotRest, mayOverlap } = context
  const restOfLot = lotRest === null || isResting ? Infinity : lotRest
  const closable = closableOf(decided, context)
  const exit = exitOf(decided, Math.min(restOfLot, closable))
  if (exit !== null) return sendAs(attempt, exit)
  // Its bot sizes it anew, once its books know of the fill that has left less.
  if (isResting && attempt.leg === "exit" && !mayOverlap && !canShareQuantity) {
    return wait("its bot books an exit first", attempt.bot_id)
  }
  if (isAsked(attempt, context)) return wait("a person is asked about the exit before it")
  const owner = restOfLot < closable ? "lot" : "bot"
  return end("rejected", `exceeds_holdings: the ${owner} has less than the order would close`)
}
