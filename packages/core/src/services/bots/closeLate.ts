/**
 * The exit of an entry that fills after its position was closed.
 *
 * Its bot has taken the entry back by then, and the exchange may fill it before the cancel arrives.
 * A bot decides on one position, so that the late part leaves at once, at the market. An exit that
 * the exchange refuses is asked for again, until the part has left or its position is closed.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import { openOrderStatuses } from "../../domain/OrderMachine.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { exitOrder, type MatchFill } from "@candlewick/engine/kernel"
import type { BotPorts } from "./botPorts.ts"
import { type BotSession, isDustIn } from "./botSession.ts"
import { toClientId } from "./clientIds.ts"
import { intend } from "./intend.ts"
import { freeExitId, marketExitsOf } from "./intendClose.ts"
import { askAgainAt, type LatePart } from "./lateParts.ts"
import { isSellable } from "./sellable.ts"

type Late = Pick<BotSession, "account" | "late" | "specs">

/** How much of a part's position, or of its lot, no exit at the market is about to close. */
const freeOf = ({ account }: Pick<Late, "account">, market: number, lot: string | null): number => {
  const book = account.books[market]!
  const whole = lot === null ? book : book.lots?.find(({ id }) => id === lot)
  return Math.abs(whole?.position?.quantity ?? 0) - marketExitsOf(book, lot)
}

/** The quantity of a late part, with a rest that could not be sold after it. */
const lateQuantity = (
  session: Late,
  { market, price, quantity }: Pick<MatchFill, "market" | "price" | "quantity">,
  lot: string | null
): number => {
  const free = freeOf(session, market, lot)
  return isSellable(session.specs[market]!, free - quantity, price)
    ? Math.min(quantity, free)
    : free
}

/** Orders the exit of a part, and remembers it. */
const leave = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  part: Pick<MatchFill, "market" | "price" | "quantity">,
  lot: string | null,
  askedCount: number
): Effect.fn.Return<void, StoreError> {
  const { market } = part
  const book = session.account.books[market]!
  const quantity = lateQuantity(session, part, lot)
  if (book.position === null || quantity <= 0) return
  const id = yield* freeExitId(ports, bot, session, market, `f${book.index}`)
  const exit = { ...exitOrder(book, "force_exit"), id, quantity, ...(lot !== null && { lot }) }
  yield* intend(ports, bot, session, market, exit)
  const clientId = toClientId(bot, session.epoch, market, id)
  const order = Option.getOrNull(yield* ports.orders.get(bot.id, clientId))
  // An exit that its terms refuse has ended already, and no report says so.
  const isOpen = order !== null && openOrderStatuses.includes(order.status)
  const askMs = isOpen ? null : askAgainAt(yield* ports.venueAccounts.nowMs, askedCount)
  session.late = [...(session.late ?? []), { market, lot, exit: clientId, askMs, askedCount }]
})

/** Closes fills of a live bot's entries that had ended with their position before. */
export const closeLate = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  lateFills: ReadonlyArray<MatchFill>
): Effect.fn.Return<void, StoreError> {
  if (session.live === null) return
  for (const fill of lateFills) {
    const lot = session.netting === "hedging" ? fill.orderId : null
    yield* leave(ports, bot, session, fill, lot, 1)
  }
})

/** A part whose exit is not to be asked for again yet; null where it is over, or is to be asked. */
const waiting = (
  session: Pick<BotSession, "dust">,
  part: LatePart,
  isOpen: boolean,
  nowMs: number
): LatePart | null => {
  if (isOpen) return part
  const { askMs, askedCount, market } = part
  if (askMs !== null && nowMs < askMs) return part
  const isAsked = askMs !== null && !isDustIn(session, market)
  return isAsked ? null : { ...part, askMs: askAgainAt(nowMs, askedCount) }
}

/**
 * Asks again for exits of late parts that have ended without closing them. It waits while all that
 * is held in the market is too small to be sold.
 */
export const closeLateAgain = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession
): Effect.fn.Return<void, StoreError> {
  const parts = session.late ?? []
  if (session.live === null || parts.length === 0) return
  const nowMs = yield* ports.venueAccounts.nowMs
  session.late = undefined
  for (const part of parts) {
    const { askedCount, exit, lot, market } = part
    const order = Option.getOrNull(yield* ports.orders.get(bot.id, exit))
    if (order === null || order.status === "filled") continue
    const kept = waiting(session, part, openOrderStatuses.includes(order.status), nowMs)
    if (kept !== null) {
      session.late = [...(session.late ?? []), kept]
      continue
    }
    const price = session.account.books[market]!.lastClose ?? 0
    const quantity = order.quantity - order.filled_quantity
    yield* leave(ports, bot, session, { market, price, quantity }, lot, askedCount + 1)
  }
})
