/**
 * The records of endpoints in SQL, with the health that changes without a new version.
 *
 * @since 0.1.0
 */
import { endpointHealth, WebhookEndpoint } from "@candlewick/core"
import { Schema, Struct } from "effect"
import type { SqlClient } from "effect/sql"
import { decoderOf } from "./decoderOf.ts"
import { jsonText } from "./jsonText.ts"
import { ownedRecords } from "./ownedRecords.ts"

const decode = decoderOf(WebhookEndpoint)
const Fields = Schema.Record(Schema.String, Schema.Json)
const decodeRow = Schema.decodeUnknownSync(
  Schema.Tuple([Fields, Fields, Schema.Int, Schema.String])
)

/** The health of an endpoint as its column has it. @category models @since 0.1.0 */
export const healthOf = (endpoint: WebhookEndpoint) =>
  jsonText(Struct.pick(endpoint, endpointHealth))

/** The records of the table of endpoints. @category models @since 0.1.0 */
export const endpointRecords = (sql: SqlClient.SqlClient) =>
  ownedRecords<WebhookEndpoint>(sql, {
    entity: "webhook",
    table: "webhooks",
    read: `json_build_array(record, health,
      (select last from webhook_sequences where webhook_id = webhooks.id), payload)`,
    decode: (row) => {
      const [record, health, sequence, payload] = decodeRow(row)
      // What an older version wrote has less in it.
      return decode({
        ...record,
        held_until: null,
        repaired_at: null,
        missed_since: null,
        ...health,
        sequence,
        payload
      })
    },
    columns: (endpoint) => ({
      max_concurrency: endpoint.max_concurrency,
      payload: endpoint.payload,
      secret_before_until: endpoint.previous_secret_expires_at
    }),
    firstColumns: (endpoint) => ({ health: healthOf(endpoint) })
  })

/** The endpoints with these ids. @category models @since 0.1.0 */
export const withIds = (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>) =>
  sql`id = any(${ids}::text[])`
