/**
 * Endpoints and deliveries of one test, which are gone when it ends: claims look at those of every
 * account.
 *
 * @since 0.1.0
 */
import { Effect, Struct } from "effect"
import type { Delivery, ListedDelivery, WebhookEndpoint } from "../domain/WebhookEndpoint.ts"
import type { DeliveryOutcome } from "../domain/webhooks/foldOutcomes.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { DeliveryStore } from "../ports/DeliveryStore.ts"
import { deliveryRecord, endpointRecord, evidenceRecord } from "./records.ts"

/** Deliveries as lists give them. @category testing @since 0.1.0 */
export const listedOf = (deliveries: ReadonlyArray<Delivery>): ReadonlyArray<ListedDelivery> =>
  deliveries.map((delivery) => Struct.omit(delivery, ["body"]))

/** The time around which the deliveries of tests are due. @category testing @since 0.1.0 */
export const dueMs = 1_768_469_400_000

/** How long a claim of `claimRequest` holds. @category testing @since 0.1.0 */
export const leaseMs = 60_000

/**
 * A claim of everything that is due; a test names what it is about.
 *
 * @category testing
 * @since 0.1.0
 */
export const claimRequest = (
  fields: {
    nowMs?: number
    leaseUntilMs?: number
    slowUntilMs?: number
    limit?: number
    accountMax?: number
    accountKept?: number
    allowances?: ReadonlyMap<string, number>
  } = {}
) => ({
  nowMs: dueMs,
  leaseUntilMs: (fields.nowMs ?? dueMs) + leaseMs,
  slowUntilMs: 0,
  limit: 1_000,
  accountMax: 1_000,
  accountKept: 0,
  allowances: new Map<string, number>(),
  ...fields
})

/**
 * Inserts an endpoint that is removed, with what waits for it, when the test ends; it takes as many
 * deliveries at once as there are, unless the test says otherwise.
 *
 * @category testing
 * @since 0.1.0
 */
export const ownEndpoint = (fields: Partial<WebhookEndpoint> = {}) =>
  Effect.acquireRelease(
    Effect.flatMap(EndpointStore, ({ insert }) =>
      insert(endpointRecord({ max_concurrency: 1_000, ...fields }))
    ),
    ({ account_id, id }) =>
      Effect.flatMap(EndpointStore, ({ remove }) => Effect.ignore(remove(account_id, id)))
  )

/**
 * Inserts deliveries to an endpoint, due at these times after `dueMs`.
 *
 * @category testing
 * @since 0.1.0
 */
export const insertDue = (
  endpoint: WebhookEndpoint,
  afterMs: ReadonlyArray<number>,
  fields: Partial<Delivery> = {}
) =>
  Effect.flatMap(DeliveryStore, ({ insert: insertDelivery }) =>
    Effect.forEach(afterMs, (ms) =>
      insertDelivery(deliveryRecord(endpoint, { due_at_ms: dueMs + ms, ...fields }))
    )
  )

/** A delivery that arrived. @category testing @since 0.1.0 */
export const succeeded = (delivery: Delivery): Delivery => ({
  ...delivery,
  status: "succeeded",
  leased_until_ms: null
})

/** A delivery that was given up. @category testing @since 0.1.0 */
export const failed = (delivery: Delivery): Delivery => ({
  ...delivery,
  status: "failed",
  leased_until_ms: null
})

/**
 * An outcome after which its receiver wants no request any more.
 *
 * @category testing
 * @since 0.1.0
 */
export const ending = (delivery: Delivery, endedAtMs = dueMs): DeliveryOutcome => ({
  delivery: failed(delivery),
  evidence: evidenceRecord({ ends: "gone", endedAtMs })
})
