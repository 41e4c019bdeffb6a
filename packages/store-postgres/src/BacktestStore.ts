/**
 * Backtests in SQL.
 *
 * @since 0.1.0
 */
import { Backtest, BacktestStore } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { decoderOf } from "./internal/decoderOf.ts"
import { runRecords } from "./internal/runRecords.ts"

const decode = decoderOf(Backtest)

/** A `BacktestStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  BacktestStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    runRecords<Backtest>(sql, { entity: "backtest", table: "backtests", decode })
  )
)
