/**
 * Deleted bots in SQL.
 *
 * @since 0.1.0
 */
import {
  ArchivedBot,
  BotArchive,
  BotState,
  fromTimestamp,
  StoreError,
  toPage
} from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { afterEveryId } from "./internal/afterEveryId.ts"
import { decoderOf } from "./internal/decoderOf.ts"
import { filteredBy } from "./internal/filters.ts"
import { jsonText } from "./internal/jsonText.ts"
import { botColumns } from "./internal/listColumns.ts"
import { toStoreError } from "./internal/toStoreError.ts"

interface RecordRow {
  readonly record: unknown
}

const decodeBot = decoderOf(ArchivedBot)
const decodeState = decoderOf(BotState)

/** A `BotArchive` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  BotArchive,
  Effect.map(SqlClient.SqlClient, (sql) => BotArchive.of({ ...writesOf(sql), ...readsOf(sql) }))
)

function writesOf(sql: SqlClient.SqlClient): Pick<BotArchive["Service"], "insert" | "remove"> {
  return {
    insert: Effect.fnUntraced(function* (bot, state) {
      // A refused insert that raised would end the transaction around it.
      const inserted = yield* toStoreError(
        sql`insert into archived_bots ${sql.insert({
          ...botColumns(bot),
          id: bot.id,
          account_id: bot.account_id,
          archived_at_ms: fromTimestamp(bot.archived_at),
          record: jsonText(bot),
          state: state === null ? null : jsonText(state)
        })} on conflict (id) do nothing returning id`
      )
      if (inserted.length === 0) return yield* StoreError.alreadyExists("archived bot", bot.id)
    }),
    remove: Effect.fnUntraced(function* (accountId, id) {
      const removed = yield* toStoreError(
        sql`delete from archived_bots where id = ${id} and account_id = ${accountId} returning id`
      )
      if (removed.length === 0) return yield* StoreError.notFound("archived bot", id)
    })
  }
}

function readsOf(
  sql: SqlClient.SqlClient
): Pick<BotArchive["Service"], "get" | "getState" | "list" | "listBefore"> {
  return {
    get: (accountId, id) =>
      // A text in SQL has no NUL character; a caller's text may have one.
      id.includes("\0")
        ? Effect.succeedNone
        : toStoreError(
            Effect.map(
              sql<RecordRow>`select record from archived_bots
                where id = ${id} and account_id = ${accountId}`,
              ([row]) => Option.map(Option.fromUndefinedOr(row), ({ record }) => decodeBot(record))
            )
          ),
    getState: (botId) =>
      toStoreError(
        Effect.map(
          sql<{ readonly state: unknown }>`select state from archived_bots
            where id = ${botId} and state is not null`,
          ([row]) => Option.map(Option.fromUndefinedOr(row), ({ state }) => decodeState(state))
        )
      ),
    list: (accountId, page) =>
      toStoreError(
        Effect.map(
          sql<RecordRow>`select record from archived_bots
            where account_id = ${accountId} and id < ${page.before ?? afterEveryId}
              and ${filteredBy(sql, page, { hasSymbols: true })}
            order by id desc limit ${page.limit + 1}`,
          (rows) =>
            toPage(
              rows.map(({ record }) => decodeBot(record)),
              page.limit,
              ({ id }) => id
            )
        )
      ),
    listBefore: ({ beforeMs, limit }) =>
      toStoreError(
        sql<Pick<ArchivedBot, "id" | "account_id">>`select id, account_id from archived_bots
          where archived_at_ms < ${beforeMs} order by archived_at_ms, id limit ${limit}`
      )
  }
}
