/**
 * Keeps deliveries in memory.
 *
 * @since 0.1.0
 */
import { type Delivery, DeliveryStore, type NewDelivery, StoreError } from "@candlewick/core"
import { Effect, Layer, Option, Struct } from "effect"
import { keyOf } from "./internal/Collection.ts"
import { Database } from "./internal/Database.ts"
import { ownRecord } from "./internal/ownedRecords.ts"
import { pageOf } from "./internal/pages.ts"
import { alreadyExists } from "./internal/refusals.ts"
import { keptOf, replaceDelivery } from "./internal/replaceDelivery.ts"
import { claimableAt, type Tables } from "./internal/tables.ts"

/** `DeliveryStore` over the shared memory. @category layers @since 0.1.0 */
export const layer: Layer.Layer<DeliveryStore, never, Database> = Layer.effect(
  DeliveryStore,
  Effect.map(Database, (database) => ({
    insert: (delivery) =>
      database.writeAt((tables, nowMs): Delivery | StoreError => {
        const { event_id, webhook_id } = delivery
        const made = tables.deliveries.first(keyOf("event", webhook_id, event_id))
        return made ?? addDelivery(tables, delivery, nowMs)
      }),
    insertMany: (deliveries) =>
      database.writeAt((tables, nowMs) =>
        deliveries.flatMap((delivery) => {
          const { event_id, webhook_id } = delivery
          const key = keyOf("event", webhook_id, event_id)
          if (tables.deliveries.first(key) !== undefined) return []
          return keptOf(addDelivery(tables, delivery, nowMs))
        })
      ),
    get: (webhookId, id) =>
      database.read(({ deliveries }) =>
        Option.filter(
          Option.fromUndefinedOr(deliveries.get(id)),
          ({ webhook_id }) => webhook_id === webhookId
        )
      ),
    list: (webhookId, { after, before, event, limit, status }) =>
      database
        .read(({ deliveries }) =>
          pageOf(
            downTo(deliveries.newest(keyOf("endpoint", webhookId), before), after),
            limit,
            ({ id }) => id,
            (delivery) =>
              (status === undefined || delivery.status === status) &&
              (event === undefined || delivery.event === event)
          )
        )
        .pipe(
          Effect.map(({ items, next }) => ({
            items: items.map((delivery) => Struct.omit(delivery, ["body"])),
            next
          }))
        ),
    update: (delivery) =>
      database.writeAt((tables, nowMs) => replaceDelivery(tables, delivery, nowMs)),
    updateMany: (deliveries) =>
      database.writeAt((tables, nowMs) =>
        deliveries.flatMap((delivery) => keptOf(replaceDelivery(tables, delivery, nowMs)))
      ),
    removeFinished: ({ before, limit }) =>
      database.write((tables) => {
        const old: Array<string> = []
        for (const delivery of tables.deliveries.all()) {
          if (delivery.id >= before || old.length >= limit) break
          if (claimableAt(delivery) === null) old.push(delivery.id)
        }
        for (const id of old) tables.deliveries = tables.deliveries.remove(id)
        return old.length
      })
  }))
)

function addDelivery(
  tables: Tables,
  { due_in_ms: dueInMs, ...delivery }: NewDelivery,
  nowMs: number
): Delivery | StoreError {
  const { id, webhook_id } = delivery
  if (tables.deliveries.get(id) !== undefined) return alreadyExists("delivery", id)
  const endpoint = ownRecord(tables.endpoints, "webhook", delivery.account_id, webhook_id)
  if (endpoint instanceof StoreError) return endpoint
  const sequence = endpoint.sequence + 1
  const inserted = { ...delivery, due_at_ms: nowMs + dueInMs, sequence, version: 1 }
  tables.endpoints = tables.endpoints.put({ ...endpoint, sequence })
  tables.deliveries = tables.deliveries.put(inserted)
  return inserted
}

function* downTo(deliveries: Iterable<Delivery>, after: string | undefined): Generator<Delivery> {
  for (const delivery of deliveries) {
    if (after !== undefined && delivery.id <= after) return
    yield delivery
  }
}
