/**
 * Strategies in SQL.
 *
 * @since 0.1.0
 */
import { Strategy, StrategyStore } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { countQueued } from "./internal/countQueued.ts"
import { decoderOf } from "./internal/decoderOf.ts"
import { ownedRecords } from "./internal/ownedRecords.ts"
import { recentOf } from "./internal/recentOf.ts"

const decode = decoderOf(Strategy)

/** A `StrategyStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  StrategyStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const {
      count: _count,
      listWhere,
      ...records
    } = ownedRecords<Strategy>(sql, {
      entity: "strategy",
      table: "strategies",
      decode,
      columns: ({ status, step }) => ({
        is_unfinished: status === "generating",
        is_queued: status === "generating" && step === "queue"
      })
    })
    return {
      ...records,
      listUnfinished: listWhere(sql`is_unfinished`),
      listRecent: (accountId, after) => listWhere(recentOf(sql, "strategies", accountId, after)),
      countQueued: countQueued(sql, "strategies")
    }
  })
)
