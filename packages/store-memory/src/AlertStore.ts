/**
 * Keeps alerts in memory.
 *
 * @since 0.1.0
 */
import { type Alert, AlertStore, StoreError } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { keyOf } from "./internal/Collection.ts"
import { Database } from "./internal/Database.ts"
import { nextVersion, ownedRecords } from "./internal/ownedRecords.ts"
import { versionConflict } from "./internal/refusals.ts"

/** The sign that another caller has changed an alert or moved it on. */
const guarded = ["version", "is_enabled", "fired_count", "last_candle_at"] as const

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
    update: (alert) =>
      database.write((tables): Alert | StoreError => {
        const next = nextVersion(tables.alerts, "alert", alert)
        if (next instanceof StoreError) return next
        const { fired_count, last_candle_at, last_fired_at } = tables.alerts.get(alert.id) ?? next
        const kept = { ...next, fired_count, last_candle_at, last_fired_at }
        tables.alerts = tables.alerts.put(kept)
        return kept
      }),
    keepState: ({ id, ...seen }, before) =>
      database.write((tables): StoreError | undefined => {
        const kept = tables.alerts.get(id)
        if (kept === undefined || kept.account_id !== seen.account_id) return undefined
        if (guarded.some((name) => kept[name] !== before[name])) {
          return versionConflict("alert", id, before.version)
        }
        tables.alerts = tables.alerts.put({
          ...kept,
          is_enabled: seen.is_enabled,
          is_armed: seen.is_armed,
          last_value: seen.last_value,
          last_candle_at: seen.last_candle_at,
          fired_count: seen.fired_count,
          last_fired_at: seen.last_fired_at
        })
        return undefined
      }),
    listOfBots: (accountId, botIds) =>
      database.read(({ alerts }) =>
        [...new Set(botIds)]
          .flatMap((botId) => [...alerts.oldest(keyOf("bot", accountId, botId))])
          .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      ),
    listOfSymbol: (symbol) =>
      database.read(({ alerts }) => [...alerts.oldest(keyOf("symbol", symbol))])
  }))
)
