/**
 * The health of endpoints in memory, which changes without a new version.
 *
 * @since 0.1.0
 */
import { endpointHealth, type WebhookEndpoint } from "@candlewick/core"
import { Struct } from "effect"
import type { Tables } from "./tables.ts"

/** The part of an endpoint that sending finds out. @category models @since 0.1.0 */
export function healthOf(endpoint: WebhookEndpoint) {
  return Struct.pick(endpoint, endpointHealth)
}

/** Keeps the health of an endpoint and leaves the rest. @category models @since 0.1.0 */
export function putHealth(tables: Tables, endpoint: WebhookEndpoint): void {
  const kept = tables.endpoints.get(endpoint.id)
  if (kept === undefined || kept.account_id !== endpoint.account_id) return
  tables.endpoints = tables.endpoints.put({ ...kept, ...healthOf(endpoint) })
}
