/**
 * The reads and writes of many bots' steps, in SQL: a statement for all of them.
 *
 * @since 0.1.0
 */
import {
  Account,
  Bot,
  fromTimestamp,
  type OpenReads,
  type StepRead,
  StepStore,
  StoreError,
  Strategy
} from "@candlewick/core"
import { Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { alertRecords } from "./internal/alertRecords.ts"
import { decoderOf } from "./internal/decoderOf.ts"
import { heldBriefly } from "./internal/heldBriefly.ts"
import { jsonText } from "./internal/jsonText.ts"
import { type StateRow, toState } from "./internal/stateRow.ts"
import { toStoreError } from "./internal/toStoreError.ts"

interface StepRow {
  readonly record: unknown
  readonly state_version: number | null
  readonly paper: Schema.Json
  readonly has_paper: boolean
}

interface OpenRow extends Omit<StateRow, "bot_id" | "version"> {
  readonly record: unknown
  readonly state_version: number | null
}

interface RecordRow {
  readonly record: unknown
}

const decodeBot = decoderOf(Bot)
const decodeAccount = decoderOf(Account)
const decodeStrategy = decoderOf(Strategy)

const toRead = ({ has_paper, paper, record, state_version }: StepRow): StepRead => ({
  bot: decodeBot(record),
  stateVersion: state_version ?? 0,
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
            paper_accounts.snapshot as paper, paper_accounts.bot_id is not null as has_paper
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
    if (states.length > 0) {
      // As texts: a client takes the type of an array from its first number.
      const changed = yield* toStoreError(
        sql<{ readonly bot_id: string }>`update bot_states
          set cursor = nullif(new.cursor, '')::bigint, version = bot_states.version + 1,
            snapshot = new.snapshot::json
          from unnest(
            ${states.map((state) => state.bot_id)}::text[],
            ${states.map(({ cursor }) => (cursor === null ? "" : String(cursor)))}::text[],
            ${states.map(({ version }) => String(version))}::text[],
            ${states.map(({ snapshot }) => jsonText(snapshot))}::text[]
          ) as new (bot_id, cursor, version, snapshot)
          where bot_states.bot_id = new.bot_id and bot_states.version = new.version::int
          returning bot_states.bot_id`
      )
      if (changed.length < states.length) {
        const kept = new Set(changed.map((row) => row.bot_id))
        const { bot_id, version } = states.find((state) => !kept.has(state.bot_id))!
        return yield* StoreError.versionConflict("bot state", bot_id, version)
      }
    }
    const papers = steps.filter(({ paper }) => paper !== undefined)
    if (papers.length > 0) {
      yield* toStoreError(
        sql`insert into paper_accounts (bot_id, snapshot)
          select bot_id, snapshot::json from unnest(
            ${papers.map(({ botId }) => botId)}::text[],
            ${papers.map(({ paper }) => jsonText(paper))}::text[]
          ) as new (bot_id, snapshot)
          on conflict (bot_id) do update set snapshot = excluded.snapshot`
      )
    }
    const points = steps.flatMap(({ botId, equity }) =>
      equity === undefined ? [] : [{ botId, ...equity }]
    )
    if (points.length > 0) {
      yield* toStoreError(
        sql`insert into bot_equity (bot_id, at_ms, time, equity)
          select bot_id, at_ms::bigint, time, equity::float8 from unnest(
            ${points.map(({ botId }) => botId)}::text[],
            ${points.map(({ time }) => String(fromTimestamp(time)))}::text[],
            ${points.map(({ time }) => time)}::text[],
            ${points.map(({ equity }) => jsonText(equity))}::text[]
          ) as new (bot_id, at_ms, time, equity)
          on conflict (bot_id, at_ms) do update set time = excluded.time, equity = excluded.equity`
      )
    }
  })
})
