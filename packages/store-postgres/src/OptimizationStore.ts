/**
 * Optimizations in SQL.
 *
 * @since 0.1.0
 */
import { Optimization, OptimizationStore } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { decoderOf } from "./internal/decoderOf.ts"
import { runRecords } from "./internal/runRecords.ts"

const decode = decoderOf(Optimization)

/** An `OptimizationStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  OptimizationStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    runRecords<Optimization>(sql, { entity: "optimization", table: "optimizations", decode })
  )
)
