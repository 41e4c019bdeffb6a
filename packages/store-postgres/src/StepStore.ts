/**
 * The reads and writes of many bots' steps, in SQL: a statement for a table.
 *
 * @since 0.1.0
 */
import {
  Account,
  Bot,
  type OpenReads,
  Order,
  type StepRead,
  StepStore,
  Strategy
} from "@candlewick/core"
import { Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { alertRecords } from "./internal/alertRecords.ts"
import { decoderOf } from "./internal/decoderOf.ts"
import { heldBriefly } from "./internal/heldBriefly.ts"
import { type StateRow, toState } from "./internal/stateRow.ts"
import {
  appendLines,
  insertOrders,
  insertTrades,
  thinEquity,
  updateOrders,
  writeEquity,
  writePapers,
  writeStates
} from "./internal/stepWrites.ts"
import { toStoreError } from "./internal/toStoreError.ts"

interface StepRow {
  readonly record: unknown
  readonly state_version: number | null
  readonly paper: Schema.Json
  readonly has_paper: boolean
  readonly open_orders: ReadonlyArray<unknown> | null
}

interface OpenRow extends Omit<StateRow, "bot_id" | "version"> {
  readonly record: unknown
  readonly state_version: number | null
}

interface RecordRow {
  readonly record: unknown
}

const decodeBot = decoderOf(Bot)
const decodeOrder = decoderOf(Order)
const decodeAccount = decoderOf(Account)
const decodeStrategy = decoderOf(Strategy)

const toRead = ({ has_paper, open_orders, paper, record, state_version }: StepRow): StepRead => ({
  bot: decodeBot(record),
  stateVersion: state_version ?? 0,
  openOrders: (open_orders ?? []).map((order) => decodeOrder(order)),
  ...(has_paper && { paper })
})

const toOpen = ({ record, state_version: version, ...row }: OpenRow): OpenReads["bots"][number] => {
  const bot = decodeBot(record)
  return version === null ? { bot } : { bot, state: toState({ ...row, version, bot_id: bot.id }) }
}

const distinct = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)]

/** A `StepStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  StepStore,
  Effect.map(SqlClient.SqlClient, (sql) => makeStore(sql))
)

const isThere = <A>(value: A | undefined): value is A => value !== undefined

const readsOf = (sql: SqlClient.SqlClient): Pick<StepStore["Service"], "hold" | "open"> => {
  const alerts = alertRecords(sql)
  return {
    hold: Effect.fnUntraced(function* (botIds) {
      // In one order, so that no two processes that hold several bots wait for each other.
      yield* toStoreError(
        sql`select id, ${sql.literal(heldBriefly)} from bots
          where id = any(${botIds}::text[]) order by id for update`
      )
      // A statement that had to wait would see the other tables as they were before it waited.
      const rows = yield* toStoreError(
        sql<StepRow>`select bots.record, bot_states.version::int as state_version,
            paper_accounts.snapshot as paper, paper_accounts.bot_id is not null as has_paper,
            (select json_agg(orders.record order by orders.id) from orders
              where orders.bot_id = bots.id and orders.is_open) as open_orders
          from bots
          left join bot_states on bot_states.bot_id = bots.id
          left join paper_accounts on paper_accounts.bot_id = bots.id
          where bots.id = any(${botIds}::text[])`
      )
      const bots = rows.map(toRead)
      const accountIds = distinct(bots.map(({ bot }) => bot.account_id))
      const accounts = yield* toStoreError(
        sql<RecordRow>`select record from accounts where id = any(${accountIds}::text[])`
      )
      return {
        bots,
        accounts: accounts.map(({ record }) => decodeAccount(record)),
        // An alert names its bot without a foreign key: it may be another account's.
        alerts: yield* alerts.listWhere(
          sql`is_enabled and (bot_id, account_id) in
            (select id, account_id from bots where id = any(${botIds}::text[]))`
        )
      }
    }),
    open: Effect.fnUntraced(function* (botIds) {
      const rows = yield* toStoreError(
        sql<OpenRow>`select bots.record, bot_states.version::int as state_version,
            bot_states.cursor, bot_states.snapshot
          from bots left join bot_states on bot_states.bot_id = bots.id
          where bots.id = any(${botIds}::text[])`
      )
      const bots = rows.map(toOpen)
      const strategyIds = distinct(bots.map(({ bot }) => bot.strategy_id))
      const strategies = yield* toStoreError(
        sql<RecordRow>`select record from strategies where id = any(${strategyIds}::text[])`
      )
      return { bots, strategies: strategies.map(({ record }) => decodeStrategy(record)) }
    })
  }
}

const makeStore = (sql: SqlClient.SqlClient): StepStore["Service"] => ({
  ...readsOf(sql),

  write: Effect.fnUntraced(function* (steps) {
    const states = steps.map(({ state }) => state).filter(isThere)
    if (states.length > 0) yield* writeStates(sql, states)
    const papers = steps.flatMap(({ botId, paper }) =>
      paper === undefined ? [] : [{ botId, paper }]
    )
    if (papers.length > 0) yield* writePapers(sql, papers)
    const points = steps.flatMap(({ botId, equity }) =>
      equity === undefined ? [] : [{ botId, ...equity }]
    )
    if (points.length > 0) yield* writeEquity(sql, points)
    const ranges = steps.flatMap(({ botId, thinned }) =>
      thinned === undefined ? [] : [{ botId, ...thinned }]
    )
    if (ranges.length > 0) yield* thinEquity(sql, ranges)
    const orders = steps.flatMap((step) => step.orders ?? [])
    const added = orders.filter(({ versionBefore }) => versionBefore === 0)
    if (added.length > 0)
      yield* insertOrders(
        sql,
        added.map(({ order }) => order)
      )
    const changed = orders.filter(({ versionBefore }) => versionBefore > 0)
    if (changed.length > 0) yield* updateOrders(sql, changed)
    const trades = steps.flatMap((step) => step.trades ?? [])
    if (trades.length > 0) yield* insertTrades(sql, trades)
    const lines = steps.flatMap((step) => step.lines ?? [])
    if (lines.length > 0) yield* appendLines(sql, lines)
  })
})
