/**
 * The end of orders at an exchange whose position is left: exits at a price, and entries that add
 * to it or of which a part was in it.
 *
 * Such an exit would sell others' coins, or lock the quantity of an exit at market. Such an entry,
 * a safety order for one, would open a position that no rule asked for.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import { decimalOfUnsafe } from "../../domain/decimals.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { type MatchFill, type OrderRequest, showEnded } from "@candlewick/engine/kernel"
import { isUnsellable } from "../venues/books/bookTrade.ts"
import { lotsQuantity, type VenueBook } from "../venues/books/venueBook.ts"
import { cancelAtVenue } from "../venues/bots/writeOrders.ts"
import type { BotPorts } from "./botPorts.ts"
import type { BotSession } from "./botSession.ts"
import { moveOrder } from "./orderRecords.ts"
import { positionClosedReason as reason } from "./takenBack.ts"

/** The part of a market's position that is left: all of it, or one lot. */
type LeftPart = "all" | { readonly lot: string }

const bookOf = ({ venueBooks }: BotPorts, { id }: Bot): Effect.Effect<VenueBook, StoreError> =>
  Effect.catchTag(venueBooks.read(id), "BooksError", Effect.die)

/** Takes a live bot's orders back that end with a position; a matcher on paper ends them itself. */
export const takeBackBound = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  market: number,
  left: LeftPart
): Effect.fn.Return<void, StoreError> {
  const { orders } = session.account.books[market]!
  if (session.live === null || orders.length === 0) return
  const book = yield* bookOf(ports, bot)
  const hasFilled = (id: string) => Number(book.orders[id]?.filled ?? "0") > 0
  const isBound = ({ endsWithPosition, id, leg, type }: OrderRequest): boolean => {
    if (left !== "all") return leg === "entry" && id === left.lot
    return leg === "entry" ? endsWithPosition === true || hasFilled(id) : type !== "market"
  }
  for (const { id } of orders.filter(isBound)) {
    yield* moveOrder(ports, bot.id, id, "cancelled", { reason })
    showEnded(session.account, { orderId: id, market, outcome: "cancelled", reason })
    yield* cancelAtVenue(ports, bot, session, market, id)
  }
})

/** The part of a position that an exit's fill has left. A rest that can't be sold is none. */
const leftBy = (book: VenueBook, { lot, market, price }: MatchFill): LeftPart | null => {
  const state = book.markets[market]!
  const isGone = (quantity: ReturnType<typeof decimalOfUnsafe>) =>
    isUnsellable(book, market, quantity, price)
  if (lot === undefined) return isGone(lotsQuantity(state)) ? "all" : null
  const rest = state.lots.find(({ id }) => id === lot)?.quantity ?? "0"
  return isGone(decimalOfUnsafe(rest)) ? { lot } : null
}

/** Takes back the orders that end with the position, or with the lot, that a fill has closed. */
export const takeBackAfter = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  fill: MatchFill
): Effect.fn.Return<void, StoreError> {
  const { effect, market } = fill
  const { orders } = session.account.books[market]!
  if (session.live === null || orders.length === 0) return
  if (effect !== "close" && effect !== "reduce") return
  const left = effect === "close" ? "all" : leftBy(yield* bookOf(ports, bot), fill)
  if (left !== null) yield* takeBackBound(ports, bot, session, market, left)
})
