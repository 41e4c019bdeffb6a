/**
 * Deliveries in memory that take the place of stored ones.
 *
 * @since 0.1.0
 */
import { type DeliveryChange, dueFrom, type ListedDelivery, StoreError } from "@candlewick/core"
import { notFound, versionConflict } from "./refusals.ts"
import type { Tables } from "./tables.ts"

/**
 * Replaces a delivery that is still at its version, or says why it can't.
 *
 * @category models
 * @since 0.1.0
 */
export function replaceDelivery<A extends ListedDelivery>(
  tables: Tables,
  delivery: DeliveryChange<A>,
  nowMs: number
): A | StoreError {
  const { id, version } = delivery
  const stored = tables.deliveries.get(id)
  if (stored === undefined || stored.webhook_id !== delivery.webhook_id) {
    return notFound("delivery", id)
  }
  if (stored.version !== version) return versionConflict("delivery", id, version)
  const next = { ...dueFrom(delivery, nowMs), version: version + 1 }
  tables.deliveries = tables.deliveries.put({ ...next, body: stored.body })
  return next
}

/** The record, or nothing where it was refused. @category models @since 0.1.0 */
export function keptOf<A extends ListedDelivery>(result: A | StoreError): ReadonlyArray<A> {
  return result instanceof StoreError ? [] : [result]
}
