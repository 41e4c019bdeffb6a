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
  Schema.Tuple([Fields, Fields, Schema.Int, Schema.String, Schema.NullOr(Fields)])
)

const chatFields = ["format", "chat_id", "sealed_url"] as const

const noChat = { format: "candlewick", chat_id: null, sealed_url: null } as const

/** Whether there is something to keep of a chat: one that is left leaves its address sealed. */
const isChatted = ({ format, sealed_url }: WebhookEndpoint): boolean =>
  format !== noChat.format || sealed_url !== null

/** The health of an endpoint as its column has it. @category models @since 0.1.0 */
export const healthColumn = (endpoint: WebhookEndpoint) =>
  jsonText(Struct.pick(endpoint, endpointHealth))

/** The records of the table of endpoints. @category models @since 0.1.0 */
export const endpointRecords = (sql: SqlClient.SqlClient) =>
  ownedRecords<WebhookEndpoint>(sql, {
    entity: "webhook",
    table: "webhooks",
    read: `json_build_array(record, health,
      (select last from webhook_sequences where webhook_id = webhooks.id), payload, chat)`,
    decode: (row) => {
      const [record, health, sequence, payload, chat] = decodeRow(row)
      // A record of an older version has less in it.
      return decode({
        ...record,
        held_until: null,
        repaired_at: null,
        missed_since: null,
        ...health,
        sequence,
        payload,
        ...(chat ?? noChat)
      })
    },
    columns: (endpoint) => ({
      max_concurrency: endpoint.max_concurrency,
      payload: endpoint.payload,
      chat: isChatted(endpoint) ? jsonText(Struct.pick(endpoint, chatFields)) : null,
      secret_before_until: endpoint.previous_secret_expires_at
    }),
    firstColumns: (endpoint) => ({ health: healthColumn(endpoint) })
  })

/** The endpoints with these ids. @category models @since 0.1.0 */
export const withIds = (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>) =>
  sql`id = any(${ids}::text[])`
