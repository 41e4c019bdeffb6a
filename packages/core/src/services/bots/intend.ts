/**
 * An order that a bot decides on: its record, its place in the bot's own picture, and its way to
 * the venue. All of it is one transaction.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import type { Order } from "../../domain/Order.ts"
import { OrderMachine } from "../../domain/OrderMachine.ts"
import * as StateTable from "../../domain/StateTable.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { type OrderRequest, placeOrder } from "@candlewick/engine/kernel"
import { nowTimestamp } from "../events/announce.ts"
import { placeAtVenue } from "../venues/bots/writeOrders.ts"
import { withClientIds } from "./botLadders.ts"
import { type BotPorts, log } from "./botPorts.ts"
import type { BotSession, LevelMove } from "./botSession.ts"
import { toClientId } from "./clientIds.ts"
import { countOrder } from "./countOrder.ts"
import { describeOrder, reasonFields, reasonOf, reasonText } from "./describeOrder.ts"
import { decidedAt, sideOf } from "./orderRecords.ts"

/** A message to the broker after the transaction. */
export type Intent =
  | { readonly type: "place"; readonly market: number; readonly order: OrderRequest }
  | ({ readonly type: "move" } & LevelMove)
  | { readonly type: "cancel"; readonly market: number; readonly orderId: string }

/** Keeps an order that is about to be placed. */
const keepOrder = Effect.fnUntraced(function* (
  { ids, orders }: BotPorts,
  bot: Bot,
  session: BotSession,
  market: number,
  request: OrderRequest
): Effect.fn.Return<Order, StoreError> {
  const now = yield* nowTimestamp
  return yield* orders.insert({
    id: yield* ids.make("order"),
    account_id: bot.account_id,
    bot_id: bot.id,
    client_order_id: request.id,
    symbol: bot.symbols[market]!,
    side: sideOf(request.side),
    type: request.type,
    leg: request.leg,
    quantity: request.quantity,
    filled_quantity: 0,
    limit_price: request.limit,
    stop_price: request.stop,
    is_reduce_only: request.leg === "exit",
    status: StateTable.move(OrderMachine, OrderMachine.initial, "submit"),
    reason: request.leg === "exit" ? request.reason : null,
    version: 1,
    created_at: now,
    updated_at: now,
    candle_time: decidedAt(session, market)
  })
})

/** Keeps an order, shows it to the bot's own picture, and has it sent. */
export const intend = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  market: number,
  request: OrderRequest
): Effect.fn.Return<Intent, StoreError> {
  const id = toClientId(bot, session.epoch, market, request.id)
  const order = { ...withClientIds(bot, session, market, request), id }
  yield* keepOrder(ports, bot, session, market, order)
  placeOrder(session.account, market, order)
  yield* placeAtVenue(ports, bot, session, market, order)
  yield* countOrder(bot, order.leg)
  const found = reasonOf(session, market, request)
  yield* log(
    ports,
    bot.id,
    "info",
    "order.placed",
    describeOrder({ ...order, id: request.id }, bot.symbols[market]!) + reasonText(found),
    { client_order_id: order.id, reason: request.reason, ...reasonFields(found) }
  )
  return { type: "place", market, order }
})
