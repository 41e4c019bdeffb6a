/**
 * The orders of a bot as they are listed.
 *
 * Orders of a live bot have their ids at its exchange.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import type { OrderPageRequest } from "../../domain/listFilters.ts"
import type { ListedOrder, Order } from "../../domain/Order.ts"
import type { Page } from "../../domain/Page.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { BotPorts } from "./botPorts.ts"

/** Orders whose attempts are asked for at once. */
const lookUpsMaxCount = 8

/** The order with the id of its newest attempt that has left for the exchange. */
const withExchangeId = Effect.fnUntraced(function* (
  { venueAccounts }: Pick<BotPorts, "venueAccounts">,
  order: Order
): Effect.fn.Return<ListedOrder, StoreError> {
  const attempts = yield* venueAccounts.attemptsOf(order.bot_id, order.client_order_id)
  const sent = attempts.findLast(({ sent_at_ms }) => sent_at_ms !== null)
  return sent === undefined ? order : { ...order, exchange_order_id: sent.id }
})

/** A page of a bot's orders, newest first. */
export const listOrders = Effect.fnUntraced(function* (
  ports: Pick<BotPorts, "orders" | "venueAccounts">,
  bot: Bot,
  page: OrderPageRequest
): Effect.fn.Return<Page<ListedOrder>, StoreError> {
  const listed = yield* ports.orders.list(bot.account_id, bot.id, page)
  if (bot.mode !== "live") return listed
  const items = yield* Effect.forEach(listed.items, (order) => withExchangeId(ports, order), {
    concurrency: lookUpsMaxCount
  })
  return { ...listed, items }
})
