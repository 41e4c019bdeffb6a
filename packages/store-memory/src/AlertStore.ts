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
    listOfBot: (accountId, botId) =>
      database.read(({ alerts }) => [...alerts.oldest(keyOf("bot", accountId, botId))]),
    listOfSymbol: (symbol) =>
      database.read(({ alerts }) => [...alerts.oldest(keyOf("symbol", symbol))])
  }))
)
