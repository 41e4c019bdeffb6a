/**
 * Orders and trades in memory.
 *
 * @since 0.1.0
 */
import { openOrderStatuses, type Order, OrderStore, type Trade } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { alreadyExists, MemoryDatabase } from "./internal/MemoryDatabase.ts"
import { pageOf, updateIn } from "./internal/recordTable.ts"

/** An `OrderStore` in memory. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  OrderStore,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const orders = database.table<Order>(({ bot_id }) => bot_id)
    const open = database.table<Order>(({ bot_id }) => bot_id)
    const idOfClientId = database.table<string>()
    const trades = database.table<Trade>(({ bot_id }) => bot_id)
    const clientKey = (botId: string, clientOrderId: string) => `${botId} ${clientOrderId}`
    const index = (order: Order): void => {
      if (openOrderStatuses.includes(order.status)) open.put(order.id, order)
      else open.delete(order.id)
    }
    return OrderStore.of({
      insert: (order) =>
        database.run(() => {
          const key = clientKey(order.bot_id, order.client_order_id)
          if (idOfClientId.has(key)) alreadyExists("order", order.client_order_id)
          if (orders.has(order.id)) alreadyExists("order", order.id)
          const kept = { ...order, version: 1 }
          orders.put(order.id, kept)
          idOfClientId.put(key, order.id)
          index(kept)
          return kept
        }),
      get: (botId, clientOrderId) =>
        database.run(() => {
          const id = idOfClientId.get(clientKey(botId, clientOrderId))
          return Option.fromUndefinedOr(id === undefined ? undefined : orders.get(id))
        }),
      update: (order) =>
        database.run(() => {
          const kept = updateIn(orders, "order", order.id, order)
          index(kept)
          return kept
        }),
      list: (accountId, botId, page) =>
        database.run(() =>
          pageOf(
            orders,
            botId,
            page,
            ({ id }) => id,
            ({ account_id }) => account_id === accountId
          )
        ),
      listOpen: (botId) => database.run(() => open.ascending(botId)),
      appendTrade: (trade) =>
        database.run(() => {
          if (trades.has(trade.id)) alreadyExists("trade", trade.id)
          trades.put(trade.id, trade)
        }),
      listTrades: (accountId, botId, page) =>
        database.run(() =>
          pageOf(
            trades,
            botId,
            page,
            ({ id }) => id,
            ({ account_id }) => account_id === accountId
          )
        ),
      removeOfBot: (botId) =>
        database.run(() => {
          for (const order of orders.ascending(botId)) {
            idOfClientId.delete(clientKey(botId, order.client_order_id))
            orders.delete(order.id)
            open.delete(order.id)
          }
          for (const { id } of trades.ascending(botId)) trades.delete(id)
        })
    })
  })
)
