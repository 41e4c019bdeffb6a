/**
 * Strategies in memory.
 *
 * @since 0.1.0
 */
import { type Strategy, StrategyStore } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { MemoryDatabase } from "./internal/MemoryDatabase.ts"
import { everyRecord, recordMethods } from "./internal/recordTable.ts"

/** A `StrategyStore` in memory. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  StrategyStore,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const table = database.table<Strategy>(({ account_id }) => account_id)
    const { insert, get, update, list, remove } = recordMethods(database, table, "strategy")
    return StrategyStore.of({
      insert,
      get,
      update,
      list,
      remove,
      listUnfinished: database.run(() =>
        everyRecord(table).filter(({ status }) => status === "generating")
      )
    })
  })
)
