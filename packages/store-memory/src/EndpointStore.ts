/**
 * Keeps webhook endpoints in memory.
 *
 * @since 0.1.0
 */
import {
  EndpointStore,
  StoreError,
  type WebhookEndpoint,
  withoutSpentSecret
} from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { cancelDeliveries } from "./internal/cancelDeliveries.ts"
import { keyOf } from "./internal/Collection.ts"
import { Database } from "./internal/Database.ts"
import { healthOf, putHealth } from "./internal/endpointHealth.ts"
import { nextVersion, ownedRecords, ownRecord } from "./internal/ownedRecords.ts"

/** `EndpointStore` over the shared memory. @category layers @since 0.1.0 */
export const layer: Layer.Layer<EndpointStore, never, Database> = Layer.effect(
  EndpointStore,
  Effect.map(Database, (database) => ({
    ...ownedRecords<WebhookEndpoint>(database, "webhook", "endpoints"),
    update: (endpoint) =>
      database.write((tables): WebhookEndpoint | StoreError => {
        const next = nextVersion(tables.endpoints, "webhook", endpoint)
        if (next instanceof StoreError) return next
        // Deliveries are made and end meanwhile, so that the caller's number and health may be old.
        const stored = tables.endpoints.get(endpoint.id) ?? endpoint
        const kept = { ...next, sequence: stored.sequence, ...healthOf(stored) }
        tables.endpoints = tables.endpoints.put(kept)
        return kept
      }),
    getMany: (ids) =>
      database.read(({ endpoints }) =>
        ids.flatMap((id) => Option.toArray(Option.fromUndefinedOr(endpoints.get(id))))
      ),
    keepHealth: (endpoint) => database.write((tables) => putHealth(tables, endpoint)),
    remove: (accountId, id) =>
      database.write((tables): StoreError | undefined => {
        const found = ownRecord(tables.endpoints, "webhook", accountId, id)
        if (found instanceof StoreError) return found
        tables.endpoints = tables.endpoints.remove(id)
        cancelDeliveries(tables, id, () => true)
        return undefined
      }),
    listSubscribed: (accountId, event) =>
      database.read(({ endpoints }) =>
        [...endpoints.oldest(keyOf("account", accountId))].filter(({ events }) =>
          events.includes(event)
        )
      ),
    eraseSpentSecrets: ({ limit, until }) =>
      database.write((tables) => {
        const spent = tables.endpoints
          .all()
          .filter(({ previous_secret_expires_at: end }) => end !== null && end <= until)
          .slice(0, limit)
        for (const endpoint of spent) {
          tables.endpoints = tables.endpoints.put(withoutSpentSecret(endpoint))
        }
        return spent.length
      })
  }))
)
