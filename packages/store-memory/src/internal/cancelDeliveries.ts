/**
 * Deliveries in memory that no endpoint wants any more.
 *
 * @since 0.1.0
 */
import { type Delivery, DeliveryMachine, StateTable } from "@candlewick/core"
import { keyOf } from "./Collection.ts"
import type { Tables } from "./tables.ts"

/** Cancels some of an endpoint's unfinished deliveries. @category models @since 0.1.0 */
export function cancelDeliveries(
  tables: Tables,
  webhookId: string,
  isMeant: (delivery: Delivery) => boolean
): void {
  for (const delivery of tables.deliveries.oldest(keyOf("waitingOf", webhookId))) {
    if (!isMeant(delivery)) continue
    tables.deliveries = tables.deliveries.put({
      ...delivery,
      status: StateTable.move(DeliveryMachine, delivery.status, "cancel"),
      leased_until_ms: null,
      version: delivery.version + 1
    })
  }
}

/**
 * Cancels the waiting deliveries, and returns the id of the oldest that was not over.
 *
 * @category models
 * @since 0.1.0
 */
export function cancelWaiting(tables: Tables, webhookId: string): string | undefined {
  const unfinished = Array.from(
    tables.deliveries.oldest(keyOf("waitingOf", webhookId)),
    ({ id }) => id
  )
  cancelDeliveries(tables, webhookId, ({ status }) => status !== "sending")
  return unfinished.sort()[0]
}
