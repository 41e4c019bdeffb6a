/**
 * The records of alerts, and the columns beside them.
 *
 * @since 0.1.0
 */
import { Alert } from "@candlewick/core"
import { Schema, Struct } from "effect"
import type { SqlClient } from "effect/sql"
import { decoderOf } from "./decoderOf.ts"
import { jsonText } from "./jsonText.ts"
import { alertColumns } from "./listColumns.ts"
import { ownedRecords } from "./ownedRecords.ts"

const decode = decoderOf(Alert)
const decodeRow = Schema.decodeUnknownSync(
  Schema.Tuple([
    Schema.Record(Schema.String, Schema.Json),
    Schema.Record(Schema.String, Schema.Json)
  ])
)

/**
 * The fields that are kept without a new version: they take the place of the record's.
 *
 * @category conversions
 * @since 0.1.0
 */
export const seenOf = (alert: Alert) =>
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

/**
 * Alerts as records, with a column for each fact that a query asks for.
 *
 * @category models
 * @since 0.1.0
 */
export const alertRecords = (sql: SqlClient.SqlClient) =>
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
