/**
 * Bots in SQL.
 *
 * @since 0.1.0
 */
import { Bot, type BotRef, BotStore, restingStates, StoreError } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { decoderOf } from "./internal/decoderOf.ts"
import { botColumns } from "./internal/listColumns.ts"
import { ownedRecords } from "./internal/ownedRecords.ts"
import { toStoreError } from "./internal/toStoreError.ts"

const resting = restingStates.map((state) => `'${state}'`).join(", ")

const decodeBot = decoderOf(Bot)

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
    hasSymbols: true,
    columns: (bot) => ({
      ...botColumns(bot),
      status: bot.status,
      desired_status: bot.desired_status,
      live_exchange: bot.mode === "live" ? bot.exchange : null
    })
  })

const makeStore = (sql: SqlClient.SqlClient): BotStore["Service"] => {
  const { count, get, hold, insert, list, update } = botsOf(sql)

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

  return BotStore.of({
    insert,
    get,
    hold,
    update,
    list,
    count,
    remove,
    // The condition has the words of the index.
    listActive: toStoreError(
      sql<BotRef>`select id, account_id, status, version::int as version,
          case when live_exchange is null then 'paper' else 'live' end as mode,
          live_exchange as exchange from bots
        where status not in (${sql.literal(resting)}) order by id`
    ),
    markActive: toStoreError(
      Effect.map(
        sql<{ readonly mark: string }>`select
            count(*) || ' ' || coalesce(sum(hashtextextended(id || version, 0)), 0) as mark
          from bots where status not in (${sql.literal(resting)})`,
        ([row]) => row!.mark
      )
    ),
    listLiveAtRest: toStoreError(
      sql<BotRef>`select id, account_id, status, version::int as version, 'live' as mode,
          live_exchange as exchange from bots
        where live_exchange is not null and status in (${sql.literal(resting)}) order by id`
    )
  })
}
