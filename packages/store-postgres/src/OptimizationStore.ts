/**
 * Optimizations in SQL.
 *
 * @since 0.1.0
 */
import { Optimization, OptimizationStore, finishedRunStatuses } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { decoderOf } from "./internal/decoderOf.ts"
import { ownedRecords } from "./internal/ownedRecords.ts"

const decode = decoderOf(Optimization)

/** An `OptimizationStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  OptimizationStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const { get, insert, list, listWhere, update } = ownedRecords<Optimization>(sql, {
      entity: "optimization",
      table: "optimizations",
      decode,
      columns: ({ status }) => ({ is_unfinished: !finishedRunStatuses.includes(status) })
    })
    return { insert, get, update, list, listUnfinished: listWhere(sql`is_unfinished`) }
  })
)
