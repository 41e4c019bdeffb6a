/**
 * Keeps orders and trades in memory.
 *
 * @since 0.1.0
 */
import {
  type Bot,
  passesFilter,
  openAttemptStates,
  type Order,
  OrderStore,
  type Page,
  type PageRequest,
  type StoreError
} from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { type Collection, keyOf } from "./internal/Collection.ts"
import { Database } from "./internal/Database.ts"
import { pageOf } from "./internal/pages.ts"
import { appendTrade, insertOrder, replaceOrder } from "./internal/orderRows.ts"
import type { Tables } from "./internal/tables.ts"

/** A page of an account's records that the filter leaves, of one bot where it is named. */
const ownPage = <A extends Pick<Order, "id" | "account_id" | "bot_id">>(
  { archivedBots, bots }: Pick<Tables, "archivedBots" | "bots">,
  records: Collection<A>,
  accountId: string,
  botId: string | null,
  { mode, ...page }: PageRequest & { readonly mode?: Bot["mode"] | undefined },
  timeOf: string
): Page<A> => {
  const group = botId === null ? keyOf("account", accountId) : keyOf("bot", botId)
  const isAsked = passesFilter(page, timeOf)
  const isOfMode = ({ bot_id: id }: A): boolean =>
    mode === undefined || (bots.get(id) ?? archivedBots.get(id))?.mode === mode
  const isWanted = (record: A): boolean => isAsked(record) && isOfMode(record)
  return pageOf(
    records.newest(group, page.before),
    page.limit,
    ({ id }) => id,
    (record) => record.account_id === accountId && isWanted(record)
  )
}

/**
 * `OrderStore` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<OrderStore, never, Database> = Layer.effect(
  OrderStore,
  Effect.map(Database, (database) => ({
    ...ordersOf(database),
    appendTrade: (trade) => database.write((tables) => appendTrade(tables, trade)),
    listTrades: (accountId, botId, page) =>
      database.read((tables) =>
        ownPage(tables, tables.trades, accountId, botId, page, "executed_at")
      ),
    removeOfBot: (botId) =>
      database.write((tables) => {
        const group = keyOf("bot", botId)
        for (const order of tables.orders.oldest(group)) {
          tables.orders = tables.orders.remove(keyOf(botId, order.client_order_id))
        }
        for (const { id } of tables.trades.oldest(group)) tables.trades = tables.trades.remove(id)
        for (const { attempt } of tables.orderAttempts.oldest(group)) {
          if (openAttemptStates.includes(attempt.state)) continue
          const id = keyOf(attempt.account_key, attempt.id)
          tables.orderAttempts = tables.orderAttempts.remove(id)
        }
        for (const { fact, key } of tables.venueFacts.oldest(group)) {
          tables.venueFacts = tables.venueFacts.remove(keyOf(key, fact.id))
        }
      })
  }))
)

function ordersOf(
  database: Database["Service"]
): Pick<OrderStore["Service"], "insert" | "get" | "update" | "list" | "listOpen"> {
  return {
    insert: (order) =>
      database.write((tables): Order | StoreError => {
        const inserted = { ...order, version: 1 }
        return insertOrder(tables, inserted) ?? inserted
      }),
    get: (botId, clientOrderId) =>
      database.read(({ orders }) =>
        Option.fromUndefinedOr(orders.get(keyOf(botId, clientOrderId)))
      ),
    update: (order) =>
      database.write((tables): Order | StoreError => {
        const next = { ...order, version: order.version + 1 }
        return replaceOrder(tables, next, order.version) ?? next
      }),
    list: (accountId, botId, page) =>
      database.read((tables) =>
        ownPage(tables, tables.orders, accountId, botId, page, "candle_time")
      ),
    listOpen: (botId) => database.read(({ orders }) => [...orders.oldest(keyOf("open", botId))])
  }
}
