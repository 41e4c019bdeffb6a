/**
 * Orders and trades in SQL.
 *
 * @since 0.1.0
 */
import {
  type Bot,
  openOrderStatuses,
  Order,
  OrderStore,
  type Page,
  type PageRequest,
  toPage,
  Trade
} from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { afterEveryId } from "./internal/afterEveryId.ts"
import { decoderOf } from "./internal/decoderOf.ts"
import { filteredBy } from "./internal/filters.ts"
import { jsonText } from "./internal/jsonText.ts"
import { orderColumns, tradeColumns } from "./internal/listColumns.ts"
import { alreadyExists, notFound, versionConflict } from "./internal/refusals.ts"
import { toStoreError } from "./internal/toStoreError.ts"

interface RecordRow {
  readonly record: unknown
}

const decodeOrder = decoderOf(Order)
const decodeTrade = decoderOf(Trade)
const toOrder = ({ record }: RecordRow): Order => decodeOrder(record)
const toTrade = ({ record }: RecordRow): Trade => decodeTrade(record)
const isOpen = ({ status }: Order): boolean => openOrderStatuses.includes(status)

/** An `OrderStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  OrderStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    OrderStore.of({
      ...ordersOf(sql),
      ...orderListsOf(sql),
      ...tradesOf(sql),
      removeOfBot: removeOfBot(sql)
    })
  )
)

const pageOf = <A extends { readonly id: string }>(
  rows: Effect.Effect<ReadonlyArray<RecordRow>, SqlError.SqlError>,
  decode: (row: RecordRow) => A,
  limit: number
) =>
  toStoreError(
    Effect.map(rows, (found): Page<A> => toPage(found.map(decode), limit, ({ id }) => id))
  )

/** Which rows of an account a page is cut from, of one bot where it is named. */
const listed = (
  sql: SqlClient.SqlClient,
  accountId: string,
  botId: string | null,
  { mode, ...page }: PageRequest & { readonly mode?: Bot["mode"] | undefined }
) =>
  sql.and([
    sql`account_id = ${accountId}`,
    botId === null ? sql`true` : sql`bot_id = ${botId}`,
    sql`id < ${page.before ?? afterEveryId}`,
    mode === undefined
      ? sql`true`
      : sql`bot_id in (
          select id from bots where account_id = ${accountId} and mode = ${mode}
          union all
          select id from archived_bots where account_id = ${accountId} and mode = ${mode}
        )`,
    filteredBy(sql, page)
  ])

function ordersOf(
  sql: SqlClient.SqlClient
): Pick<OrderStore["Service"], "insert" | "get" | "update"> {
  const get = (botId: string, clientOrderId: string) =>
    sql<RecordRow>`select record from orders
      where bot_id = ${botId} and client_order_id = ${clientOrderId}`.pipe(
      Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), toOrder)),
      (effect) => toStoreError(effect)
    )

  const insert = Effect.fnUntraced(function* (order: Order) {
    const { account_id: accountId, bot_id: botId, client_order_id: clientId, id } = order
    const kept: Order = { ...order, version: 1 }
    const inserted = yield* toStoreError(
      sql`insert into orders ${sql.insert({
        ...orderColumns(kept),
        bot_id: botId,
        client_order_id: clientId,
        id,
        account_id: accountId,
        is_open: isOpen(kept),
        version: 1,
        record: jsonText(kept)
      })} on conflict do nothing returning id`
    )
    if (inserted.length > 0) return kept
    const isOfBot = Option.isSome(yield* get(botId, clientId))
    return yield* alreadyExists("order", isOfBot ? clientId : id)
  })

  const update = Effect.fnUntraced(function* (order: Order) {
    const { account_id: accountId, bot_id: botId, client_order_id: clientId, id, version } = order
    const kept: Order = { ...order, version: version + 1 }
    const ofOrder = sql`bot_id = ${botId} and client_order_id = ${clientId} and id = ${id}
      and account_id = ${accountId}`
    const changed = yield* toStoreError(
      sql`update orders
        set ${sql.update({
          ...orderColumns(kept),
          is_open: isOpen(kept),
          version: kept.version,
          record: jsonText(kept)
        })}
        where ${ofOrder} and version = ${version} returning id`
    )
    if (changed.length > 0) return kept
    const found = yield* toStoreError(sql`select id from orders where ${ofOrder}`)
    return yield* found.length > 0
      ? versionConflict("order", clientId, version)
      : notFound("order", clientId)
  })

  return { get, insert, update }
}

function orderListsOf(sql: SqlClient.SqlClient): Pick<OrderStore["Service"], "list" | "listOpen"> {
  return {
    list: (accountId, botId, page) =>
      pageOf(
        sql<RecordRow>`select record from orders where ${listed(sql, accountId, botId, page)}
          order by id desc limit ${page.limit + 1}`,
        toOrder,
        page.limit
      ),
    listOpen: (botId) =>
      sql<RecordRow>`select record from orders
        where bot_id = ${botId} and is_open order by id`.pipe(
        Effect.map((rows) => rows.map(toOrder)),
        (effect) => toStoreError(effect)
      )
  }
}

function tradesOf(
  sql: SqlClient.SqlClient
): Pick<OrderStore["Service"], "appendTrade" | "listTrades"> {
  return {
    appendTrade: Effect.fnUntraced(function* (trade: Trade) {
      const { account_id: accountId, bot_id: botId, id } = trade
      const inserted = yield* toStoreError(
        sql`insert into trades ${sql.insert({
          ...tradeColumns(trade),
          id,
          account_id: accountId,
          bot_id: botId,
          record: jsonText(trade)
        })} on conflict (id) do nothing returning id`
      )
      if (inserted.length === 0) return yield* alreadyExists("trade", id)
    }),
    listTrades: (accountId, botId, page) =>
      pageOf(
        sql<RecordRow>`select record from trades where ${listed(sql, accountId, botId, page)}
          order by id desc limit ${page.limit + 1}`,
        toTrade,
        page.limit
      )
  }
}

function removeOfBot(sql: SqlClient.SqlClient): OrderStore["Service"]["removeOfBot"] {
  return (botId) =>
    toStoreError(
      Effect.asVoid(
        sql`with removed as (delete from orders where bot_id = ${botId}),
            over as (delete from order_attempts where bot_id = ${botId} and not is_open),
            told as (delete from venue_facts where bot_id = ${botId})
          delete from trades where bot_id = ${botId}`
      )
    )
}
