/**
 * The states of bots' runners, in SQL.
 *
 * @since 0.1.0
 */
import { type BotState, BotStateStore, StoreError } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { jsonText } from "./internal/jsonText.ts"
import { type StateRow, toState } from "./internal/stateRow.ts"
import { toStoreError } from "./internal/toStoreError.ts"

/** A `BotStateStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  BotStateStore,
  Effect.map(SqlClient.SqlClient, (sql) => makeStore(sql))
)

const makeStore = (sql: SqlClient.SqlClient): BotStateStore["Service"] => ({
  get: (botId) =>
    toStoreError(
      Effect.map(
        sql<StateRow>`select bot_id, cursor, version, snapshot from bot_states
          where bot_id = ${botId}`,
        ([row]) => Option.map(Option.fromUndefinedOr(row), toState)
      )
    ),

  // As they were written, and not checked once more: thousands of them are read for a sum.
  getMany: (botIds) =>
    toStoreError(
      Effect.map(
        sql<StateRow>`select bot_id, cursor, version, snapshot from bot_states
          where bot_id = any(${botIds}::text[])`,
        (rows) =>
          rows.map((row): BotState => {
            const cursor = row.cursor === null ? null : Number(row.cursor)
            return { ...(row as BotState), cursor }
          })
      )
    ),

  put: Effect.fnUntraced(function* (state) {
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
  }),

  hold: Effect.fnUntraced(function* (botId, version) {
    const held = yield* toStoreError(
      sql`select bot_id from bot_states where bot_id = ${botId} and version = ${version} for update`
    )
    if (held.length === 0) return yield* StoreError.versionConflict("bot state", botId, version)
  })
})
