/**
 * Alerts in SQL.
 *
 * @since 0.1.0
 */
import { type Alert, AlertStore, StoreError } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { alertRecords, seenOf } from "./internal/alertRecords.ts"
import { jsonText } from "./internal/jsonText.ts"
import { toStoreError } from "./internal/toStoreError.ts"

/** An `AlertStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  AlertStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const { count, get, insert, list, listWhere, remove, update: replace } = alertRecords(sql)

    /**
     * The fields that a caller sets. The rest of the alert stays, also where it has fired since.
     */
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
