/**
 * Alerts in memory.
 *
 * @since 0.1.0
 */
import { type Alert, AlertStore } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { MemoryDatabase } from "./internal/MemoryDatabase.ts"
import { everyRecord, recordMethods } from "./internal/recordTable.ts"

/** An `AlertStore` in memory. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  AlertStore,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const table = database.table<Alert>(({ account_id }) => account_id)
    return AlertStore.of({
      ...recordMethods(database, table, "alert"),
      listOfBot: (accountId, botId) =>
        database.run(() =>
          table
            .ascending(accountId)
            .filter(({ bot_id, is_enabled }) => bot_id === botId && is_enabled)
        ),
      listOfSymbol: (symbol) =>
        database.run(() =>
          everyRecord(table).filter(
            (alert) => alert.bot_id === null && alert.symbol === symbol && alert.is_enabled
          )
        )
    })
  })
)
