/**
 * Which process owns which bot, in SQL.
 *
 * @since 0.1.0
 */
import { BotLeases } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { toStoreError } from "./internal/toStoreError.ts"

interface LeaseRow {
  readonly bot_id: string
}

/**
 * `BotLeases` over the client that is provided.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.effect(
  BotLeases,
  Effect.map(SqlClient.SqlClient, (sql) =>
    BotLeases.of({
      claim: (botId, { nowMs, owner, untilMs }) =>
        toStoreError(
          Effect.map(
            sql<LeaseRow>`insert into bot_leases as held (bot_id, owner, until_ms)
              values (${botId}, ${owner}, ${untilMs})
              on conflict (bot_id) do update
                set owner = excluded.owner, until_ms = excluded.until_ms
                where held.owner = excluded.owner or held.until_ms <= ${nowMs}
              returning bot_id`,
            (rows) => rows.length > 0
          )
        ),
      renew: ({ owner, untilMs }) =>
        toStoreError(
          Effect.map(
            sql<LeaseRow>`with renewed as (
              update bot_leases set until_ms = ${untilMs} where owner = ${owner} returning bot_id
            ) select bot_id from renewed order by bot_id`,
            (rows) => rows.map((row) => row.bot_id)
          )
        ),
      release: (botId, owner) =>
        Effect.asVoid(
          toStoreError(sql`delete from bot_leases where bot_id = ${botId} and owner = ${owner}`)
        )
    })
  )
)
