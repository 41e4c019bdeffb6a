/**
 * Keeps alerts in memory.
 *
 * @since 0.1.0
 */
import { type Alert, AlertStore } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { keyOf } from "./internal/Collection.ts"
import { Database } from "./internal/Database.ts"
import { ownedRecords } from "./internal/ownedRecords.ts"

/**
 * `AlertStore` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<AlertStore, never, Database> = Layer.effect(
  AlertStore,
  Effect.map(Database, (database) => ({
    ...ownedRecords<Alert>(database, "alert", "alerts"),
    keepState: ({ id, ...seen }) =>
      database.write((tables) => {
        const kept = tables.alerts.get(id)
        if (kept === undefined || kept.account_id !== seen.account_id) return
        tables.alerts = tables.alerts.put({
          ...kept,
          is_enabled: seen.is_enabled,
          is_armed: seen.is_armed,
          last_value: seen.last_value,
          last_candle_at: seen.last_candle_at,
          fired_count: seen.fired_count,
          last_fired_at: seen.last_fired_at
        })
      }),
    listOfBot: (accountId, botId) =>
      database.read(({ alerts }) => [...alerts.oldest(keyOf("bot", accountId, botId))]),
    listOfSymbol: (symbol) =>
      database.read(({ alerts }) => [...alerts.oldest(keyOf("symbol", symbol))])
  }))
)
