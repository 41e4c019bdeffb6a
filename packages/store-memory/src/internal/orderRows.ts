/**
 * Writes of orders and trades, each refused where its record is not as its writer knows it.
 *
 * @since 0.1.0
 */
import type { Order, StoreError, Trade } from "@candlewick/core"
import { keyOf } from "./Collection.ts"
import { alreadyExists, notFound, versionConflict } from "./refusals.ts"
import type { Tables } from "./tables.ts"

/** Adds an order. @since 0.1.0 */
export const insertOrder = (tables: Tables, order: Order): StoreError | undefined => {
  const id = order.client_order_id
  if (tables.orders.get(keyOf(order.bot_id, id)) !== undefined) return alreadyExists("order", id)
  if (tables.orders.first(keyOf("id", order.id)) !== undefined) {
    return alreadyExists("order", order.id)
  }
  tables.orders = tables.orders.put(order)
  return undefined
}

/** Replaces an order that is at a version. @since 0.1.0 */
export const replaceOrder = (
  tables: Tables,
  order: Order,
  versionBefore: number
): StoreError | undefined => {
  const id = order.client_order_id
  const stored = tables.orders.get(keyOf(order.bot_id, id))
  const isOther = stored?.id !== order.id || stored.account_id !== order.account_id
  if (stored === undefined || isOther) return notFound("order", id)
  if (stored.version !== versionBefore) return versionConflict("order", id, versionBefore)
  tables.orders = tables.orders.put(order)
  return undefined
}

/** Adds a trade. @since 0.1.0 */
export const appendTrade = (tables: Tables, trade: Trade): StoreError | undefined => {
  if (tables.trades.get(trade.id) !== undefined) return alreadyExists("trade", trade.id)
  tables.trades = tables.trades.put(trade)
  return undefined
}
