/**
 * Keeps webhook endpoints and deliveries in memory.
 *
 * @since 0.1.0
 */
import {
  allMissing,
  endpointHealth,
  type Delivery,
  type DeliveryOutcome,
  DeliveryMachine,
  foldOutcomes,
  type ListedDelivery,
  StateTable,
  StoreError,
  type WebhookEndpoint,
  WebhookStore,
  withoutSpentSecret
} from "@candlewick/core"
import { Effect, Layer, Option, Struct } from "effect"
import { claimDeliveries } from "./internal/claimDeliveries.ts"
import { keyOf } from "./internal/Collection.ts"
import { Database } from "./internal/Database.ts"
import { frozenCopy } from "./internal/frozenCopy.ts"
import { nextVersion, ownedRecords, ownRecord } from "./internal/ownedRecords.ts"
import { pageOf } from "./internal/pages.ts"
import { alreadyExists, notFound, versionConflict } from "./internal/refusals.ts"
import { replaysOf } from "./internal/replaysOf.ts"
import { claimableAt, type TakeableNotice, type Tables } from "./internal/tables.ts"

/**
 * `WebhookStore` over the shared memory.
 *
 * **Details**
 *
 * Unfinished deliveries are indexed by when they may be claimed, so that a claim takes as long as
 * there are endpoints with something waiting, however many deliveries were ever made.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<WebhookStore, never, Database> = Layer.effect(
  WebhookStore,
  Effect.map(Database, (database) => ({
    ...endpointsOf(database),
    ...deliveriesOf(database),
    ...replaysOf(database),
    ...noticesOf(database),
    claim: (request) =>
      database.write((tables) => {
        const claimed = claimDeliveries(tables.deliveries, tables.endpoints, request)
        for (const delivery of claimed) tables.deliveries = tables.deliveries.put(delivery)
        return claimed
      }),
    nextDueAt: database.read(({ deliveries }) => {
      const first = deliveries.first("waiting")
      return Option.fromNullishOr(first === undefined ? undefined : claimableAt(first))
    })
  }))
)

function endpointsOf(
  database: Database["Service"]
): Pick<
  WebhookStore["Service"],
  | "insert"
  | "get"
  | "getMany"
  | "update"
  | "keepHealth"
  | "remove"
  | "list"
  | "listSubscribed"
  | "eraseSpentSecrets"
> {
  return {
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
  }
}

function cancelDeliveries(
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

/** Cancels what waits, and gives the id of the oldest that was not over. */
function cancelWaiting(tables: Tables, webhookId: string): string | undefined {
  const unfinished = Array.from(
    tables.deliveries.oldest(keyOf("waitingOf", webhookId)),
    ({ id }) => id
  )
  cancelDeliveries(tables, webhookId, ({ status }) => status !== "sending")
  return unfinished.sort()[0]
}

function healthOf(endpoint: WebhookEndpoint) {
  return Struct.pick(endpoint, endpointHealth)
}

function putHealth(tables: Tables, endpoint: WebhookEndpoint): void {
  const kept = tables.endpoints.get(endpoint.id)
  if (kept === undefined || kept.account_id !== endpoint.account_id) return
  tables.endpoints = tables.endpoints.put({ ...kept, ...healthOf(endpoint) })
}

function addDelivery(tables: Tables, delivery: Omit<Delivery, "sequence">): Delivery | StoreError {
  const { id, webhook_id } = delivery
  if (tables.deliveries.get(id) !== undefined) return alreadyExists("delivery", id)
  const endpoint = ownRecord(tables.endpoints, "webhook", delivery.account_id, webhook_id)
  if (endpoint instanceof StoreError) return endpoint
  const sequence = endpoint.sequence + 1
  const inserted = { ...delivery, sequence, version: 1 }
  tables.endpoints = tables.endpoints.put({ ...endpoint, sequence })
  tables.deliveries = tables.deliveries.put(inserted)
  return inserted
}

function replaceDelivery<A extends ListedDelivery>(tables: Tables, delivery: A): A | StoreError {
  const { id, version } = delivery
  const stored = tables.deliveries.get(id)
  if (stored === undefined || stored.webhook_id !== delivery.webhook_id) {
    return notFound("delivery", id)
  }
  if (stored.version !== version) return versionConflict("delivery", id, version)
  const next = { ...delivery, version: version + 1 }
  tables.deliveries = tables.deliveries.put({ ...next, body: stored.body })
  return next
}

function noticesOf(
  database: Database["Service"]
): Pick<WebhookStore["Service"], "takeNotices" | "settleNotices"> {
  return {
    takeNotices: ({ leaseUntilMs, limit, nowMs }) =>
      database.write((tables) => {
        const taken: Array<TakeableNotice> = []
        for (const notice of tables.notices.oldest("owed")) {
          if (taken.length >= limit || notice.dueMs > nowMs) break
          taken.push(notice)
        }
        for (const notice of taken) {
          tables.notices = tables.notices.put({ ...notice, dueMs: leaseUntilMs })
        }
        return taken.map(({ owed }) => owed)
      }),
    settleNotices: (attemptIds) =>
      database.write((tables) => {
        for (const id of attemptIds) tables.notices = tables.notices.remove(id)
      })
  }
}

function* downTo(deliveries: Iterable<Delivery>, after: string | undefined): Generator<Delivery> {
  for (const delivery of deliveries) {
    if (after !== undefined && delivery.id <= after) return
    yield delivery
  }
}

function keptOf<A extends ListedDelivery>(result: A | StoreError): ReadonlyArray<A> {
  return result instanceof StoreError ? [] : [result]
}

function keepOutcomes(
  tables: Tables,
  outcomes: ReadonlyArray<DeliveryOutcome>
): ReadonlyArray<Delivery> {
  const kept = outcomes.flatMap((outcome) =>
    keptOf(replaceDelivery(tables, outcome.delivery)).map((delivery) => ({ ...outcome, delivery }))
  )
  const ids = new Set(kept.map(({ delivery }) => delivery.webhook_id))
  const before = [...ids].flatMap((id) => tables.endpoints.get(id) ?? [])
  const { cancelled, endpoints, notices } = foldOutcomes(before, kept)
  for (const owed of notices) {
    tables.notices = tables.notices.put({ owed: frozenCopy(owed), dueMs: owed.at_ms })
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

function deliveriesOf(
  database: Database["Service"]
): Pick<
  WebhookStore["Service"],
  | "insertDelivery"
  | "insertDeliveries"
  | "updateDelivery"
  | "updateDeliveries"
  | "keepOutcomes"
  | "getDelivery"
  | "listDeliveries"
  | "cancelWaiting"
  | "removeDeliveries"
> {
  return {
    insertDelivery: (delivery) =>
      database.write((tables): Delivery | StoreError => {
        const { event_id, webhook_id } = delivery
        const made = tables.deliveries.first(keyOf("event", webhook_id, event_id))
        return made ?? addDelivery(tables, delivery)
      }),
    insertDeliveries: (deliveries) =>
      database.write((tables) =>
        deliveries.flatMap((delivery) => {
          const { event_id, webhook_id } = delivery
          const key = keyOf("event", webhook_id, event_id)
          if (tables.deliveries.first(key) !== undefined) return []
          return keptOf(addDelivery(tables, delivery))
        })
      ),
    updateDelivery: (delivery) => database.write((tables) => replaceDelivery(tables, delivery)),
    updateDeliveries: (deliveries) =>
      database.write((tables) =>
        deliveries.flatMap((delivery) => keptOf(replaceDelivery(tables, delivery)))
      ),
    keepOutcomes: (outcomes) => database.write((tables) => keepOutcomes(tables, outcomes)),
    getDelivery: (webhookId, id) =>
      database.read(({ deliveries }) =>
        Option.filter(
          Option.fromUndefinedOr(deliveries.get(id)),
          ({ webhook_id }) => webhook_id === webhookId
        )
      ),
    cancelWaiting: (webhookId) =>
      database.write((tables) => Option.fromUndefinedOr(cancelWaiting(tables, webhookId))),
    removeDeliveries: ({ before, limit }) =>
      database.write((tables) => {
        const old: Array<string> = []
        for (const delivery of tables.deliveries.all()) {
          if (delivery.id >= before || old.length >= limit) break
          if (claimableAt(delivery) === null) old.push(delivery.id)
        }
        for (const id of old) tables.deliveries = tables.deliveries.remove(id)
        return old.length
      }),
    listDeliveries: (webhookId, { after, before, event, limit, status }) =>
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
        )
  }
}
