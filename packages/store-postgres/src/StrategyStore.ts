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
import { strategyColumns } from "./internal/listColumns.ts"
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
      hasSymbols: true,
      columns: (strategy) => ({
        ...strategyColumns(strategy),
        is_unfinished: strategy.status === "generating",
        is_queued: strategy.status === "generating" && strategy.step === "queue"
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
