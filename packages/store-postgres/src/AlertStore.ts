/**
 * Alerts in SQL.
 *
 * @since 0.1.0
 */
import { Alert, AlertStore } from "@candlewick/core"
import { Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { decoderOf } from "./internal/decoderOf.ts"
import { jsonText } from "./internal/jsonText.ts"
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

/** An `AlertStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  AlertStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const { get, insert, list, listWhere, remove, update } = ownedRecords<Alert>(sql, {
      entity: "alert",
      table: "alerts",
      read: "json_build_array(record, seen)",
      decode: (row) => {
        const [record, seen] = decodeRow(row)
        return decode({ ...record, ...seen })
      },
      columns: (alert) => ({
        bot_id: alert.bot_id,
        price_symbol: alert.kind === "price" && alert.bot_id === null ? alert.symbol : null,
        is_enabled: alert.is_enabled,
        seen: seenOf(alert)
      })
    })
    return AlertStore.of({
      get,
      insert,
      list,
      remove,
      update,
      keepState: (alert) =>
        toStoreError(
          Effect.asVoid(
            sql`update alerts set is_enabled = ${alert.is_enabled}, seen = ${seenOf(alert)}
              where id = ${alert.id} and account_id = ${alert.account_id}`
          )
        ),
      listOfBot: (accountId, botId) =>
        listWhere(sql`bot_id = ${botId} and account_id = ${accountId} and is_enabled`),
      listOfSymbol: (symbol) => listWhere(sql`price_symbol = ${symbol} and is_enabled`)
    })
  })
)
