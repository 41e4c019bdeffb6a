/**
 * Optimizations in memory.
 *
 * @since 0.1.0
 */
import { finishedRunStatuses, type Optimization, OptimizationStore } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { MemoryDatabase } from "./internal/MemoryDatabase.ts"
import { everyRecord, recordMethods } from "./internal/recordTable.ts"

/** A `OptimizationStore` in memory. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  OptimizationStore,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const table = database.table<Optimization>(({ account_id }) => account_id)
    const { insert, get, update, list } = recordMethods(database, table, "optimization")
    return OptimizationStore.of({
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
