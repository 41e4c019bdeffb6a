/**
 * Gives deliveries to senders from memory.
 *
 * @since 0.1.0
 */
import {
  allMissing,
  type Delivery,
  type DeliveryOutcome,
  DeliveryQueue,
  foldOutcomes
} from "@candlewick/core"
import { Clock, Effect, Layer, Option } from "effect"
import { cancelWaiting } from "./internal/cancelDeliveries.ts"
import { claimDeliveries } from "./internal/claimDeliveries.ts"
import { Database } from "./internal/Database.ts"
import { putHealth } from "./internal/endpointHealth.ts"
import { frozenCopy } from "./internal/frozenCopy.ts"
import { keptOf, replaceDelivery } from "./internal/replaceDelivery.ts"
import { claimableAt, type Tables } from "./internal/tables.ts"

/**
 * `DeliveryQueue` over the shared memory.
 *
 * **Details**
 *
 * Unfinished deliveries are indexed by the time of their next claim. So the time of a claim grows
 * with the endpoints that have waiting deliveries, and not with all deliveries ever made.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<DeliveryQueue, never, Database> = Layer.effect(
  DeliveryQueue,
  Effect.map(Database, (database) => ({
    claim: (request) =>
      database.writeAt((tables, nowMs) => {
        const timed = { ...request, nowMs }
        const claimed = claimDeliveries(tables.deliveries, tables.endpoints, timed)
        for (const delivery of claimed) tables.deliveries = tables.deliveries.put(delivery)
        return claimed
      }),
    nextDueInMs: Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      database.read(({ deliveries }) => {
        const first = deliveries.first("waiting")
        const dueMs = first === undefined ? null : claimableAt(first)
        return Option.fromNullOr(dueMs === null ? null : dueMs - nowMs)
      })
    ),
    countOpen: database.read(({ deliveries }) => deliveries.countOf("waiting")),
    keepOutcomes: (outcomes) =>
      database.writeAt((tables, nowMs) => keepOutcomes(tables, outcomes, nowMs)),
    cancelWaiting: (webhookId) =>
      database.write((tables) => Option.fromUndefinedOr(cancelWaiting(tables, webhookId)))
  }))
)

function keepOutcomes(
  tables: Tables,
  outcomes: ReadonlyArray<DeliveryOutcome>,
  nowMs: number
): ReadonlyArray<Delivery> {
  const kept = outcomes.flatMap((outcome) =>
    keptOf(replaceDelivery(tables, outcome.delivery, nowMs)).map((delivery) => ({
      ...outcome,
      delivery
    }))
  )
  const ids = new Set(kept.map(({ delivery }) => delivery.webhook_id))
  const before = [...ids].flatMap((id) => tables.endpoints.get(id) ?? [])
  const { cancelled, endpoints, notices } = foldOutcomes(before, kept)
  for (const owed of notices) {
    tables.notices = tables.notices.put({ owed: frozenCopy(owed), dueMs: nowMs })
  }
  // After all deliveries were kept: one that is to be tried again waits too, whichever it was.
  const oldest = new Map<string, string>()
  for (const id of cancelled) {
    const first = cancelWaiting(tables, id)
    if (first !== undefined) oldest.set(id, first)
  }
  for (const endpoint of allMissing(endpoints, oldest)) putHealth(tables, endpoint)
  return kept.map(({ delivery }) => delivery)
}
