/**
 * The time limits of a live bot's orders, which end by the bot's candles.
 *
 * A venue that ends orders by itself may be quicker, and so may the agent of the account. Both go
 * by a clock, and on recordings that is another one than the candles'.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { Bot } from "../../../domain/Bot.ts"
import type { BooksError } from "../../../domain/BooksError.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { BotPorts } from "../../bots/botPorts.ts"
import type { BotSession } from "../../bots/botSession.ts"
import { outOfTimeReason } from "../../bots/takenBack.ts"
import type { VenueBook } from "../books/venueBook.ts"
import { cancelAtVenue, endUnfilled } from "./writeOrders.ts"

type RestingOrder = BotSession["account"]["books"][number]["orders"][number]

/** Whether no candle is to fill an order any more. */
const isOverdue = (
  { expiresAfter, id, until }: RestingOrder,
  { orders, markets }: VenueBook,
  { market, nextOpenMs }: { readonly market: number; readonly nextOpenMs: number }
): boolean => {
  const placedAt = orders[id]?.placedAt
  const isLast =
    expiresAfter !== null &&
    placedAt !== undefined &&
    markets[market]!.index >= placedAt + expiresAfter
  return isLast || (until !== undefined && nextOpenMs >= until)
}

/**
 * Ends the orders that the candle that has closed was the last of, and has them cancelled at the
 * venue. A fill that is quicker counts.
 */
export const cancelOverdue = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  nextOpenMs: number
): Effect.fn.Return<void, StoreError | BooksError> {
  const { books } = session.account
  const isLimited = ({ expiresAfter, until }: RestingOrder): boolean =>
    expiresAfter !== null || until !== undefined
  if (session.live === null || !books.some(({ orders }) => orders.some(isLimited))) return
  const book = yield* ports.venueBooks.read(bot.id)
  for (const [market, { orders }] of books.entries()) {
    for (const { id } of orders.filter((one) => isOverdue(one, book, { market, nextOpenMs }))) {
      yield* endUnfilled(ports, bot, session, {
        market,
        id,
        outcome: "expired",
        why: outOfTimeReason
      })
      yield* cancelAtVenue(ports, bot, session, market, id)
    }
  }
})
