/**
 * Bots and their states in SQL.
 *
 * @since 0.1.0
 */
import { Bot, BotState, BotStore, restingStates, StoreError } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { decoderOf } from "./internal/decoderOf.ts"
import { jsonText } from "./internal/jsonText.ts"
import { ownedRecords } from "./internal/ownedRecords.ts"
import { toStoreError } from "./internal/toStoreError.ts"

interface StateRow {
  readonly bot_id: string
  readonly cursor: string | number | bigint | null
  readonly version: number
  readonly snapshot: unknown
}

const resting = restingStates.map((state) => `'${state}'`).join(", ")

const decodeBot = decoderOf(Bot)
const decodeState = decoderOf(BotState)
const toState = (row: StateRow): BotState =>
  decodeState({ ...row, cursor: row.cursor === null ? null : Number(row.cursor) })

/** A `BotStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  BotStore,
  Effect.map(SqlClient.SqlClient, (sql) => makeStore(sql))
)

const botsOf = (sql: SqlClient.SqlClient) =>
  ownedRecords<Bot>(sql, {
    entity: "bot",
    table: "bots",
    decode: decodeBot,
    columns: ({ status }) => ({ status })
  })

const makeStore = (sql: SqlClient.SqlClient): BotStore["Service"] => {
  const { count, get, hold, insert, list, listWhere, update } = botsOf(sql)

  const remove = Effect.fnUntraced(function* (accountId: string, id: string, version?: number) {
    const isAtVersion = version === undefined ? sql`true` : sql`version = ${version}`
    const removed = yield* toStoreError(
      sql`with removed as (
          delete from bots where id = ${id} and account_id = ${accountId} and ${isAtVersion}
          returning id
        ), states as (
          delete from bot_states where bot_id in (select id from removed)
        )
        select id from removed`
    )
    if (removed.length > 0) return
    const isThere = version !== undefined && Option.isSome(yield* get(accountId, id))
    return yield* isThere
      ? StoreError.versionConflict("bot", id, version)
      : StoreError.notFound("bot", id)
  })

  const putState = Effect.fnUntraced(function* (state: BotState) {
    const { bot_id: botId, cursor, snapshot, version } = state
    const kept: BotState = { ...state, version: version + 1 }
    const rows = yield* toStoreError(
      version === 0
        ? sql`insert into bot_states (bot_id, cursor, version, snapshot)
            values (${botId}, ${cursor}, 1, ${jsonText(snapshot)})
            on conflict (bot_id) do nothing returning bot_id`
        : sql`update bot_states
            set cursor = ${cursor}, version = ${kept.version}, snapshot = ${jsonText(snapshot)}
            where bot_id = ${botId} and version = ${version} returning bot_id`
    )
    if (rows.length === 0) return yield* StoreError.versionConflict("bot state", botId, version)
    return kept
  })

  const holdState = Effect.fnUntraced(function* (botId: string, version: number) {
    const held = yield* toStoreError(
      sql`select bot_id from bot_states where bot_id = ${botId} and version = ${version} for update`
    )
    if (held.length === 0) return yield* StoreError.versionConflict("bot state", botId, version)
  })

  return BotStore.of({
    insert,
    get,
    hold,
    update,
    list,
    count,
    remove,
    // In these words, which those of the index are.
    listActive: listWhere(sql`status not in (${sql.literal(resting)})`),
    getState: (botId) =>
      toStoreError(
        Effect.map(
          sql<StateRow>`select bot_id, cursor, version, snapshot from bot_states
            where bot_id = ${botId}`,
          ([row]) => Option.map(Option.fromUndefinedOr(row), toState)
        )
      ),
    putState,
    holdState
  })
}
