/**
 * Bots and their states in SQL.
 *
 * @since 0.1.0
 */
import {
  AlreadyExists,
  Bot,
  BotState,
  BotStore,
  NotFound,
  type PageRequest,
  StoreError,
  toPage,
  VersionConflict
} from "@candlewick/core"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { toStoreError } from "./internal/toStoreError.ts"

interface BotRow {
  readonly record: unknown
}

interface StateRow {
  readonly bot_id: string
  readonly cursor: string | number | bigint | null
  readonly version: number
  readonly snapshot: unknown
}

const decodeBot = Schema.decodeUnknownSync(Bot)
const decodeState = Schema.decodeUnknownSync(BotState)
const toBot = ({ record }: BotRow): Bot => decodeBot(record)
const toState = (row: StateRow): BotState =>
  decodeState({ ...row, cursor: row.cursor === null ? null : Number(row.cursor) })

const taken = (id: string) => new StoreError({ reason: new AlreadyExists({ entity: "bot", id }) })
const notFound = (id: string) => new StoreError({ reason: new NotFound({ entity: "bot", id }) })
const conflict = (entity: string, id: string, version: number) =>
  new StoreError({ reason: new VersionConflict({ entity, id, version }) })

/** A `BotStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  BotStore,
  Effect.map(SqlClient.SqlClient, (sql) => makeStore(sql))
)

const makeStore = (sql: SqlClient.SqlClient): BotStore["Service"] => {
  const json = (value: unknown) => sql`${JSON.stringify(value)}::text::jsonb`

  const get = (accountId: string, id: string) =>
    sql<BotRow>`select record from bots where id = ${id} and account_id = ${accountId}`.pipe(
      Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), toBot)),
      (effect) => toStoreError(effect)
    )

  const insert = Effect.fnUntraced(function* (bot: Bot) {
    const kept: Bot = { ...bot, version: 1 }
    // A refused insert that raised would end the transaction around it.
    const inserted = yield* toStoreError(
      sql`insert into bots (id, account_id, status, version, record)
        values (${kept.id}, ${kept.account_id}, ${kept.status}, 1, ${json(kept)})
        on conflict (id) do nothing returning id`
    )
    if (inserted.length === 0) return yield* taken(bot.id)
    return kept
  })

  const update = Effect.fnUntraced(function* (bot: Bot) {
    const kept: Bot = { ...bot, version: bot.version + 1 }
    const changed = yield* toStoreError(
      sql<BotRow>`update bots
        set status = ${kept.status}, version = ${kept.version}, record = ${json(kept)}
        where id = ${bot.id} and account_id = ${bot.account_id} and version = ${bot.version}
        returning record`
    )
    if (changed.length > 0) return kept
    const isThere = Option.isSome(yield* get(bot.account_id, bot.id))
    return yield* isThere ? conflict("bot", bot.id, bot.version) : notFound(bot.id)
  })

  const list = (accountId: string, { limit, before }: PageRequest) =>
    sql<BotRow>`select record from bots
      where account_id = ${accountId}
        and (${before ?? null}::text is null or id < ${before ?? null})
      order by id desc limit ${limit + 1}`.pipe(
      Effect.map((rows) => toPage(rows.map(toBot), limit, ({ id }) => id)),
      (effect) => toStoreError(effect)
    )

  const remove = Effect.fnUntraced(function* (accountId: string, id: string) {
    const removed = yield* toStoreError(
      sql.withTransaction(
        Effect.gen(function* () {
          const rows = yield* sql<{ readonly id: string }>`delete from bots
            where id = ${id} and account_id = ${accountId} returning id`
          if (rows.length > 0) yield* sql`delete from bot_states where bot_id = ${id}`
          return rows.length
        })
      )
    )
    if (removed === 0) return yield* notFound(id)
  })

  const putState = Effect.fnUntraced(function* (state: BotState) {
    const { bot_id: botId, cursor, snapshot, version } = state
    const kept: BotState = { ...state, version: version + 1 }
    const rows = yield* toStoreError(
      version === 0
        ? sql`insert into bot_states (bot_id, cursor, version, snapshot)
            values (${botId}, ${cursor}, 1, ${json(snapshot)})
            on conflict (bot_id) do nothing returning bot_id`
        : sql`update bot_states
            set cursor = ${cursor}, version = ${kept.version}, snapshot = ${json(snapshot)}
            where bot_id = ${botId} and version = ${version} returning bot_id`
    )
    if (rows.length === 0) return yield* conflict("bot state", botId, version)
    return kept
  })

  return BotStore.of({
    insert,
    get,
    update,
    list,
    remove,
    listAll: toStoreError(
      Effect.map(sql<BotRow>`select record from bots order by id`, (rows) => rows.map(toBot))
    ),
    getState: (botId) =>
      sql<StateRow>`select bot_id, cursor, version, snapshot from bot_states
        where bot_id = ${botId}`.pipe(
        Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), toState)),
        (effect) => toStoreError(effect)
      ),
    putState
  })
}
