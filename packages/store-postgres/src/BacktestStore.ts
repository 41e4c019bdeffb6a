/**
 * Backtests in SQL.
 *
 * @since 0.1.0
 */
import { Backtest, BacktestStore, finishedRunStatuses } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { decoderOf } from "./internal/decoderOf.ts"
import { ownedRecords } from "./internal/ownedRecords.ts"

const decode = decoderOf(Backtest)

/** A `BacktestStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  BacktestStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const { get, insert, list, listWhere, update } = ownedRecords<Backtest>(sql, {
      entity: "backtest",
      table: "backtests",
      decode,
      columns: ({ status }) => ({ is_unfinished: !finishedRunStatuses.includes(status) })
    })
    return { insert, get, update, list, listUnfinished: listWhere(sql`is_unfinished`) }
  })
)
