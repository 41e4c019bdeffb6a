/**
 * The end of exits at a price whose position is left.
 *
 * At an exchange such an exit would sell others' coins, or lock the quantity of an exit at market.
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

/** Takes the exits at a price of a live bot's market back; a matcher on paper ends them itself. */
export const takeBackExits = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  market: number
): Effect.fn.Return<void, StoreError> {
  if (session.live === null) return
  const reason = "the position is closed"
  const isLeft = ({ leg, type }: OrderRequest) => leg !== "entry" && type !== "market"
  for (const { id } of session.account.books[market]!.orders.filter(isLeft)) {
    yield* moveOrder(ports, bot.id, id, "cancelled", { reason })
    showEnded(session.account, { orderId: id, market, outcome: "cancelled", reason })
    yield* cancelAtVenue(ports, bot, session, market, id)
  }
})
