/**
 * Alerts in SQL.
 *
 * @since 0.1.0
 */
import { Alert, AlertStore, StoreError } from "@candlewick/core"
import { Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { decoderOf } from "./internal/decoderOf.ts"
import { jsonText } from "./internal/jsonText.ts"
import { alertColumns } from "./internal/listColumns.ts"
import { ownedRecords } from "./internal/ownedRecords.ts"
import { toStoreError } from "./internal/toStoreError.ts"

const decode = decoderOf(Alert)
const decodeRow = Schema.decodeUnknownSync(
  Schema.Tuple([
    Schema.Record(Schema.String, Schema.Json),
    Schema.Record(Schema.String, Schema.Json)
  ])
)

/** What is kept without a new version: it takes the place of what the record says. */
const seenOf = (alert: Alert) =>
  jsonText(
    Struct.pick(alert, [
      "is_enabled",
      "is_armed",
      "last_value",
      "last_candle_at",
      "fired_count",
      "last_fired_at"
    ])
  )

/** Alerts as records, with a column for each fact that a query asks for. */
const recordsOf = (sql: SqlClient.SqlClient) =>
  ownedRecords<Alert>(sql, {
    entity: "alert",
    table: "alerts",
    read: "json_build_array(record, seen)",
    decode: (row) => {
      const [record, seen] = decodeRow(row)
      return decode({ ...record, ...seen })
    },
    columns: (alert) => ({
      ...alertColumns(alert),
      bot_id: alert.bot_id,
      price_symbol: alert.kind === "price" && alert.bot_id === null ? alert.symbol : null,
      is_enabled: alert.is_enabled
    }),
    firstColumns: (alert) => ({ seen: seenOf(alert) })
  })

/** An `AlertStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  AlertStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const { count, get, insert, list, listWhere, remove, update: replace } = recordsOf(sql)

    /** What a caller sets of what was seen; the rest stays, whoever has moved it on since. */
    const setSeen = ({ id, is_armed, is_enabled, last_value }: Alert) =>
      sql`update alerts set seen = json_build_object(
          'is_enabled', ${is_enabled}::boolean,
          'is_armed', ${is_armed}::boolean,
          'last_value', ${jsonText(last_value)}::json,
          'last_candle_at', seen->'last_candle_at',
          'fired_count', seen->'fired_count',
          'last_fired_at', seen->'last_fired_at'
        ) where id = ${id}`

    const update = (alert: Alert) =>
      toStoreError(
        sql.withTransaction(
          Effect.gen(function* () {
            const kept = yield* replace(alert)
            yield* setSeen(kept)
            return Option.getOrElse(yield* get(kept.account_id, kept.id), () => kept)
          })
        )
      )

    const keepState = Effect.fnUntraced(function* (alert: Alert, before: Alert) {
      const { account_id: accountId, id } = alert
      const changed = yield* toStoreError(
        sql`update alerts set is_enabled = ${alert.is_enabled}, seen = ${seenOf(alert)}
          where id = ${id} and account_id = ${accountId}
            and version = ${before.version} and is_enabled = ${before.is_enabled}
            and (seen->>'fired_count')::int = ${before.fired_count}
            and seen->>'last_candle_at' is not distinct from ${before.last_candle_at}::text
          returning id`
      )
      if (changed.length > 0 || Option.isNone(yield* get(accountId, id))) return
      return yield* StoreError.versionConflict("alert", id, before.version)
    })

    return AlertStore.of({
      count,
      get,
      insert,
      list,
      remove,
      update,
      keepState,
      listOfBots: (accountId, botIds) =>
        listWhere(
          sql`bot_id = any(${botIds}::text[]) and account_id = ${accountId} and is_enabled`
        ),
      listOfSymbol: (symbol) => listWhere(sql`price_symbol = ${symbol} and is_enabled`)
    })
  })
)
