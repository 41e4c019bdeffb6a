/**
 * Orders the closing of a bot's open positions at the market.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Option } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import type { BooksError } from "../../domain/BooksError.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { type Book, exitOrder, type OrderRequest } from "@candlewick/engine/kernel"
import type { BotPorts } from "./botPorts.ts"
import { type BotSession, isDustIn } from "./botSession.ts"
import { toClientId } from "./clientIds.ts"
import { closeAgainMs } from "./lateParts.ts"
import { takeBackBound, takeBackEntries } from "./takeBackBound.ts"
import { intend, type Intent } from "./intend.ts"

/** The largest part of a quantity that rounding may leave of it. */
const restMax = 1e-10

/** The id, or one after it: at the same candle an order may have been made and cancelled before. */
export const freeExitId = Effect.fnUntraced(function* (
  { orders }: BotPorts,
  bot: Bot,
  { epoch }: BotSession,
  market: number,
  id: string
): Effect.fn.Return<string, StoreError> {
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? id : `${id}-${count}`
    const clientId = toClientId(bot, epoch, market, candidate)
    if (Option.isNone(yield* orders.get(bot.id, clientId))) return candidate
  }
})

/** How much exits at the market are about to close, of a position or of one lot. */
export const marketExitsOf = ({ orders }: Pick<Book, "orders">, lot: string | null): number =>
  orders
    .filter((one) => one.leg === "exit" && one.type === "market")
    .filter((one) => lot === null || one.lot === lot)
    .reduce((sum, { quantity }) => sum + quantity, 0)

/** How much of a position no exit at the market is about to close. */
const restOf = (book: Book): number => {
  const held = Math.abs(book.position?.quantity ?? 0)
  const leaving = marketExitsOf(book, null)
  return held - leaving <= held * restMax ? 0 : held - leaving
}

/** How much of a bot's position in a market can be sold and no exit is about to close. */
const closableIn = (session: BotSession, market: number, book: Book): number =>
  book.position === null || isDustIn(session, market) ? 0 : restOf(book)

/** Whether a bot holds a part of a position that can be sold and that no exit is about to close. */
export const canClose = (session: BotSession): boolean =>
  session.account.books.some((book, market) => closableIn(session, market, book) > 0)

/**
 * Closes every open position at market, but for quantities that are too small to be sold. At a
 * venue, an exit that is under way keeps its part: two that overlap might sell others' coins. A
 * matcher on paper cuts an exit to what is held.
 */
export const intendClose = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  reason: OrderRequest["reason"]
): Effect.fn.Return<ReadonlyArray<Intent>, StoreError> {
  const intents: Array<Intent> = []
  for (const [market, book] of session.account.books.entries()) {
    const rest = closableIn(session, market, book)
    if (rest === 0) continue
    yield* takeBackEntries(ports, bot, session, market)
    const id = yield* freeExitId(ports, bot, session, market, `f${book.index}`)
    const request = {
      ...exitOrder(book, reason),
      id,
      ...(session.live !== null && { quantity: rest })
    }
    intents.push(yield* intend(ports, bot, session, market, request))
  }
  return intents
})

/** A bot that is being stopped. */
interface Closing {
  readonly ports: BotPorts
  readonly session: BotSession
  /** When its stop asked last for positions to be closed; null where it has not. */
  closeAskedMs: number | null
}

/**
 * Closes a stop's positions, and ends the exits of those that are too small to be sold. A venue
 * that refuses an exit is not asked again at once.
 */
export const closeForStop = Effect.fnUntraced(function* (
  closing: Closing,
  bot: Bot
): Effect.fn.Return<ReadonlyArray<Intent>, StoreError> {
  const { closeAskedMs, ports, session } = closing
  const nowMs = yield* Clock.currentTimeMillis
  // The clock of the process may have been set back since.
  const waitedMs = closeAskedMs === null ? Infinity : Math.abs(nowMs - closeAskedMs)
  const isTooSoon = waitedMs < closeAgainMs
  if (session.live !== null && isTooSoon) return []
  for (const market of session.account.books.keys()) {
    // No exit at market follows, whose fill would end the others.
    if (isDustIn(session, market)) yield* takeBackBound(ports, bot, session, market, "all")
  }
  const closes = yield* intendClose(ports, bot, session, "force_exit")
  if (closes.length > 0) closing.closeAskedMs = nowMs
  return closes
})

/**
 * Whether a bot holds something that can be sold, or its venue may still fill an order that it took
 * back.
 */
export const mayHold = Effect.fnUntraced(function* (
  { venueBooks }: BotPorts,
  bot: Bot,
  session: BotSession
): Effect.fn.Return<boolean, BooksError | StoreError> {
  const { account, live } = session
  const isHeld = ({ position }: Book, market: number) =>
    position !== null && !isDustIn(session, market)
  if (account.books.some(isHeld)) return true
  if (live === null) return false
  const { openOrders } = yield* venueBooks.account(bot.id)
  return openOrders.length > 0
})
