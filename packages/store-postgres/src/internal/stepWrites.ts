/**
 * The writes of many bots' steps: a statement for each table, whose rows are those of all bots.
 *
 * @since 0.1.0
 */
import {
  type BotState,
  type EquityPoint,
  type EquityRange,
  fromTimestamp,
  Limits,
  type LogEntry,
  logLevels,
  openOrderStatuses,
  type Order,
  type OrderWrite,
  type StoreError,
  type Trade
} from "@candlewick/core"
import { Effect, type Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { columnText } from "./filters.ts"
import { jsonText } from "./jsonText.ts"
import { orderColumns, tradeColumns } from "./listColumns.ts"
import { alreadyExists, notFound, versionConflict } from "./refusals.ts"
import { type ColumnTexts, type IdRow, leftOut, recordRows } from "./recordRows.ts"
import { toStoreError } from "./toStoreError.ts"

/** States, each of which is to be at the version that it names. */
export const writeStates = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  states: ReadonlyArray<BotState>
): Effect.fn.Return<void, StoreError> {
  const rows = recordRows(sql, states, {
    bot_id: ({ bot_id }) => bot_id,
    cursor: ({ cursor }) => (cursor === null ? "" : String(cursor)),
    version: ({ version }) => String(version),
    snapshot: ({ snapshot }) => jsonText(snapshot)
  })
  const written = yield* toStoreError(
    sql<IdRow>`update bot_states
      set cursor = nullif(new.cursor, '')::bigint, version = bot_states.version + 1,
        snapshot = new.snapshot::json
      from ${rows}
      where bot_states.bot_id = new.bot_id and bot_states.version = new.version::int
      returning bot_states.bot_id as id`
  )
  const late = leftOut(states, written, ({ bot_id }) => bot_id)
  if (late !== undefined) return yield* versionConflict("bot state", late.bot_id, late.version)
})

/** A bot's paper account. @category models @since 0.1.0 */
interface PaperWrite {
  readonly botId: string
  readonly paper: Schema.Json
}

/** Snapshots of paper accounts. @category models @since 0.1.0 */
export const writePapers = (
  sql: SqlClient.SqlClient,
  papers: ReadonlyArray<PaperWrite>
): Effect.Effect<void, StoreError> => {
  const rows = recordRows(sql, papers, {
    bot_id: ({ botId }) => botId,
    snapshot: ({ paper }) => jsonText(paper)
  })
  return toStoreError(
    Effect.asVoid(
      sql`insert into paper_accounts (bot_id, snapshot)
        select bot_id, snapshot::json from ${rows}
        on conflict (bot_id) do update set snapshot = excluded.snapshot`
    )
  )
}

/** Equity of bots; a point at the same time is replaced. */
export const writeEquity = (
  sql: SqlClient.SqlClient,
  points: ReadonlyArray<EquityPoint & { readonly botId: string }>
): Effect.Effect<void, StoreError> => {
  const rows = recordRows(sql, points, {
    bot_id: ({ botId }) => botId,
    at_ms: ({ time }) => String(fromTimestamp(time)),
    time: ({ time }) => time,
    equity: ({ equity }) => jsonText(equity)
  })
  return toStoreError(
    Effect.asVoid(
      sql`insert into bot_equity (bot_id, at_ms, time, equity)
        select bot_id, at_ms::bigint, time, equity::float8 from ${rows}
        on conflict (bot_id, at_ms) do update set time = excluded.time, equity = excluded.equity`
    )
  )
}

/** Leaves the last point of each UTC day of a bot's range; each bot is named once. */
export const thinEquity = (
  sql: SqlClient.SqlClient,
  ranges: ReadonlyArray<EquityRange & { readonly botId: string }>
): Effect.Effect<void, StoreError> => {
  const rows = recordRows(sql, ranges, {
    bot_id: ({ botId }) => botId,
    from_ms: ({ from = Number.MIN_SAFE_INTEGER }) => String(from),
    before_ms: ({ before }) => String(before)
  })
  return toStoreError(
    Effect.asVoid(
      sql`delete from bot_equity where ctid = any(array(
        select ctid from (
          select point.*,
            lead(at_ms) over (partition by new.bot_id order by at_ms) as next_at_ms
          from ${rows} cross join lateral (
            select ctid, at_ms from bot_equity
            where bot_equity.bot_id = new.bot_id and at_ms >= new.from_ms::bigint
              and at_ms < new.before_ms::bigint
          ) point
        ) old
        where floor(at_ms / 86400000.0) = floor(next_at_ms / 86400000.0)
      ))`
    )
  )
}

const ofOrder: ColumnTexts<Order> = {
  bot_id: ({ bot_id }) => bot_id,
  client_order_id: ({ client_order_id }) => client_order_id,
  id: ({ id }) => id,
  account_id: ({ account_id }) => account_id,
  symbol: (order) => orderColumns(order).symbol,
  side: (order) => orderColumns(order).side,
  leg: (order) => orderColumns(order).leg,
  status: (order) => orderColumns(order).status,
  at_ms: (order) => String(orderColumns(order).at_ms),
  is_open: ({ status }) => String(openOrderStatuses.includes(status)),
  version: ({ version }) => String(version),
  record: (order) => jsonText(order)
}

const hasOrder = (sql: SqlClient.SqlClient, where: Statement.Fragment) =>
  toStoreError(
    Effect.map(sql<IdRow>`select id from orders where ${where}`, (found) => found.length > 0)
  )

/** New orders. */
export const insertOrders = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  orders: ReadonlyArray<Order>
): Effect.fn.Return<void, StoreError> {
  const written = yield* toStoreError(
    sql<IdRow>`insert into orders (bot_id, client_order_id, id, account_id, symbol, side, leg,
        status, at_ms, is_open, version, record)
      select bot_id, client_order_id, id, account_id, symbol, side, leg, status, at_ms::bigint,
        is_open::boolean, version::int, record::json
      from ${recordRows(sql, orders, ofOrder)} order by place
      on conflict do nothing returning id`
  )
  const known = leftOut(orders, written, ({ id }) => id)
  if (known === undefined) return
  const { bot_id: botId, client_order_id: clientId, id } = known
  const isOfBot = yield* hasOrder(sql, sql`bot_id = ${botId} and client_order_id = ${clientId}`)
  return yield* alreadyExists("order", isOfBot ? clientId : id)
})

/** Changed orders, each of which is to be at the version before. */
export const updateOrders = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  orders: ReadonlyArray<OrderWrite>
): Effect.fn.Return<void, StoreError> {
  const columns = Object.entries(ofOrder).map(
    ([name, textOf]) => [name, ({ order }: OrderWrite) => textOf(order)] as const
  )
  const rows = recordRows(sql, orders, {
    ...Object.fromEntries(columns),
    version_before: ({ versionBefore }) => String(versionBefore)
  })
  const written = yield* toStoreError(
    sql<IdRow>`update orders
      set symbol = new.symbol, side = new.side, leg = new.leg, status = new.status,
        at_ms = new.at_ms::bigint, is_open = new.is_open::boolean, version = new.version::int,
        record = new.record::json
      from ${rows}
      where orders.bot_id = new.bot_id and orders.client_order_id = new.client_order_id
        and orders.id = new.id and orders.account_id = new.account_id
        and orders.version = new.version_before::int
      returning orders.id`
  )
  const late = leftOut(orders, written, ({ order }) => order.id)
  if (late === undefined) return
  const { account_id: accountId, bot_id: botId, client_order_id: clientId, id } = late.order
  const isThere = yield* hasOrder(
    sql,
    sql`bot_id = ${botId} and client_order_id = ${clientId} and id = ${id}
      and account_id = ${accountId}`
  )
  return yield* isThere
    ? versionConflict("order", clientId, late.versionBefore)
    : notFound("order", clientId)
})

/** New trades. */
export const insertTrades = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  trades: ReadonlyArray<Trade>
): Effect.fn.Return<void, StoreError> {
  const rows = recordRows(sql, trades, {
    id: ({ id }) => id,
    account_id: ({ account_id }) => account_id,
    bot_id: ({ bot_id }) => bot_id,
    symbol: (trade) => tradeColumns(trade).symbol,
    side: (trade) => tradeColumns(trade).side,
    leg: (trade) => tradeColumns(trade).leg,
    at_ms: (trade) => String(tradeColumns(trade).at_ms),
    record: (trade) => jsonText(trade)
  })
  const written = yield* toStoreError(
    sql<IdRow>`insert into trades (id, account_id, bot_id, symbol, side, leg, at_ms, record)
      select id, account_id, bot_id, symbol, side, leg, at_ms::bigint, record::json
      from ${rows} order by place on conflict (id) do nothing returning id`
  )
  const known = leftOut(trades, written, ({ id }) => id)
  if (known !== undefined) return yield* alreadyExists("trade", known.id)
})

/**
 * Lines of logs. The count of each bot is locked until the end of the transaction, so that numbers
 * have no holes. Each line pushes out the one whose number is that many below its own. The search
 * goes by number and not from the oldest line on, because dropped lines stay in the index until a
 * vacuum takes them. The limit adds nothing to the numbers: a database that expects more rows than
 * that reads the whole table.
 */
export const appendLines = (
  sql: SqlClient.SqlClient,
  lines: ReadonlyArray<Omit<LogEntry, "seq">>
): Effect.Effect<void, StoreError> => {
  const rows = recordRows(sql, lines, {
    bot_id: ({ bot_id }) => bot_id,
    level: ({ level }) => String(logLevels.indexOf(level)),
    at_ms: ({ timestamp }) => String(fromTimestamp(timestamp)),
    event: ({ event }) => columnText(event),
    record: (line) => jsonText(line)
  })
  return toStoreError(
    Effect.asVoid(
      sql`with new as (select * from ${rows}),
        added as (select bot_id, count(*)::integer as added_count from new group by bot_id),
        counted as (
          insert into bot_log_counts as counts (bot_id, line_count)
          select bot_id, added_count from added order by bot_id
          on conflict (bot_id) do update set line_count = counts.line_count + excluded.line_count
          returning bot_id, line_count
        ), dropped as (
          delete from bot_logs where ctid = any(array(
            select old.ctid
            from (
              select bot_id, added_count,
                line_count - ${Limits.logsPerBotMaxCount}::integer as dropped_seq
              from counted join added using (bot_id)
            ) newest cross join lateral (
              select ctid from bot_logs
              where bot_id = newest.bot_id and seq > dropped_seq - added_count
                and seq <= dropped_seq
              order by seq limit added_count
            ) old
            where dropped_seq > 0
          ))
        )
        insert into bot_logs (bot_id, seq, level, at_ms, event, record)
        select bot_id, line_count - added_count
            + (row_number() over (partition by bot_id order by place))::integer,
          level::smallint, at_ms::bigint, event, record::json
        from new join counted using (bot_id) join added using (bot_id)`
    )
  )
}
