/**
 * Backtests in memory.
 *
 * @since 0.1.0
 */
import { type Backtest, BacktestStore, finishedRunStatuses } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { MemoryDatabase } from "./internal/MemoryDatabase.ts"
import { everyRecord, recordMethods } from "./internal/recordTable.ts"

/** A `BacktestStore` in memory. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  BacktestStore,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const table = database.table<Backtest>(({ account_id }) => account_id)
    const { insert, get, update, list } = recordMethods(database, table, "backtest")
    return BacktestStore.of({
      insert,
      get,
      update,
      list,
      listUnfinished: database.run(() =>
        everyRecord(table).filter(({ status }) => !finishedRunStatuses.includes(status))
      )
    })
  })
)
