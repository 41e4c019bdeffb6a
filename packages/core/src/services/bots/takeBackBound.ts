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
import type { StoreError } from "../../domain/StoreError.ts"
import { type OrderRequest, showEnded } from "@candlewick/engine/kernel"
import { cancelAtVenue } from "../venues/bots/writeOrders.ts"
import type { BotPorts } from "./botPorts.ts"
import type { BotSession } from "./botSession.ts"
import { moveOrder } from "./orderRecords.ts"

/** Takes a live bot's orders back that end with a position; a matcher on paper ends them itself. */
export const takeBackBound = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  market: number
): Effect.fn.Return<void, StoreError> {
  const { orders } = session.account.books[market]!
  if (session.live === null || orders.length === 0) return
  const reason = "the position is closed"
  const book = yield* Effect.catchTag(ports.venueBooks.read(bot.id), "BooksError", Effect.die)
  const held = new Set(book.markets[market]!.lots.map(({ id }) => id))
  /** Whether a part of an entry has filled, and is held no more. */
  const isClosed = (id: string) => Number(book.orders[id]?.filled ?? "0") > 0 && !held.has(id)
  const isLeft = ({ endsWithPosition, id, leg, type }: OrderRequest) =>
    leg === "entry" ? endsWithPosition === true || isClosed(id) : type !== "market"
  for (const { id } of orders.filter(isLeft)) {
    yield* moveOrder(ports, bot.id, id, "cancelled", { reason })
    showEnded(session.account, { orderId: id, market, outcome: "cancelled", reason })
    yield* cancelAtVenue(ports, bot, session, market, id)
  }
})
