/**
 * Webhook endpoints and deliveries in memory.
 *
 * @since 0.1.0
 */
import { type Delivery, type WebhookEndpoint, WebhookStore } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { MemoryDatabase, notFound } from "./internal/MemoryDatabase.ts"
import { pageOf, recordMethods, updateIn } from "./internal/recordTable.ts"

const unfinishedStatuses: ReadonlyArray<Delivery["status"]> = ["pending", "sending", "retrying"]

/** When a delivery may be claimed: once it is due, or once the lease of its claim has ended. */
const claimableAt = (delivery: Delivery): number =>
  delivery.status === "sending" ? (delivery.leased_until_ms ?? 0) : delivery.due_at_ms

/** A `WebhookStore` in memory. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  WebhookStore,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const endpoints = database.table<WebhookEndpoint>(({ account_id }) => account_id)
    const deliveries = database.table<Delivery>(({ webhook_id }) => webhook_id)
    const unfinished = database.table<Delivery>(({ webhook_id }) => webhook_id)
    const idOfEvent = database.table<string>()
    const { insert, get, update, list } = recordMethods(database, endpoints, "webhook")
    const eventKey = (webhookId: string, eventId: string) => `${webhookId} ${eventId}`

    const keep = (delivery: Delivery): Delivery => {
      deliveries.put(delivery.id, delivery)
      if (unfinishedStatuses.includes(delivery.status)) unfinished.put(delivery.id, delivery)
      else unfinished.delete(delivery.id)
      return delivery
    }

    const claim: WebhookStore["Service"]["claim"] = (request) =>
      database.run(() => {
        const { nowMs, leaseUntilMs, limit, limitPerEndpoint } = request
        const queues = unfinished.groups().map((webhookId) => {
          const waiting = unfinished.ascending(webhookId)
          const underWay = waiting.filter(
            ({ status, leased_until_ms }) => status === "sending" && (leased_until_ms ?? 0) > nowMs
          )
          const due = waiting
            .filter((delivery) => !underWay.includes(delivery) && claimableAt(delivery) <= nowMs)
            .toSorted((one, other) => one.due_at_ms - other.due_at_ms)
          return due.slice(0, Math.max(0, limitPerEndpoint - underWay.length))
        })
        // One from each endpoint in turn, the earliest due first within a round.
        const rounds = Math.max(0, ...queues.map((queue) => queue.length))
        const inTurn = Array.from({ length: rounds }, (_, round) =>
          queues
            .flatMap((queue) => queue[round] ?? [])
            .toSorted((one, other) => one.due_at_ms - other.due_at_ms)
        ).flat()
        return inTurn.slice(0, limit).map((delivery) =>
          keep({
            ...delivery,
            status: "sending",
            leased_until_ms: leaseUntilMs,
            version: delivery.version + 1
          })
        )
      })

    return WebhookStore.of({
      insert,
      get,
      update,
      list,
      remove: (accountId, id) =>
        database.run(() => {
          const endpoint = endpoints.get(id)
          if (endpoint?.account_id !== accountId) notFound("webhook", id)
          for (const delivery of unfinished.ascending(id)) {
            keep({ ...delivery, status: "cancelled", version: delivery.version + 1 })
          }
          endpoints.delete(id)
        }),
      listSubscribed: (accountId, event) =>
        database.run(() =>
          endpoints.ascending(accountId).filter(({ events }) => events.includes(event))
        ),
      insertDelivery: (delivery) =>
        database.run(() => {
          const key = eventKey(delivery.webhook_id, delivery.event_id)
          const known = idOfEvent.get(key)
          if (known !== undefined) return deliveries.get(known)!
          const endpoint = endpoints.get(delivery.webhook_id)
          if (endpoint === undefined) return notFound("webhook", delivery.webhook_id)
          const sequence = endpoint.sequence + 1
          // Numbering is the store's own business and leaves the endpoint's version alone.
          endpoints.put(endpoint.id, { ...endpoint, sequence })
          idOfEvent.put(key, delivery.id)
          return keep({ ...delivery, sequence, version: 1 })
        }),
      updateDelivery: (delivery) =>
        database.run(() => keep(updateIn(deliveries, "delivery", delivery.id, delivery))),
      getDelivery: (webhookId, id) =>
        database.run(() => {
          const found = deliveries.get(id)
          return Option.fromUndefinedOr(found?.webhook_id === webhookId ? found : undefined)
        }),
      listDeliveries: (webhookId, page) =>
        database.run(() =>
          pageOf(
            deliveries,
            webhookId,
            page,
            ({ id }) => id,
            ({ status, event }) =>
              (page.status === undefined || page.status === status) &&
              (page.event === undefined || page.event === event)
          )
        ),
      claim,
      nextDueAt: database.run(() => {
        let earliest = Infinity
        for (const webhookId of unfinished.groups()) {
          for (const delivery of unfinished.ascending(webhookId)) {
            earliest = Math.min(earliest, claimableAt(delivery))
          }
        }
        return earliest === Infinity ? Option.none() : Option.some(earliest)
      })
    })
  })
)
