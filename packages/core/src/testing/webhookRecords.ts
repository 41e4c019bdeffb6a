/**
 * Endpoints and deliveries of one test, which are gone when it ends: claims look at every account.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Option, Struct } from "effect"
import { TestClock } from "effect/testing"
import type {
  Delivery,
  ListedDelivery,
  NewDelivery,
  WebhookEndpoint
} from "../domain/WebhookEndpoint.ts"
import type { DeliveryOutcome } from "../domain/webhooks/foldOutcomes.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { DeliveryQueue } from "../ports/DeliveryQueue.ts"
import { DeliveryStore } from "../ports/DeliveryStore.ts"
import { deliveryRecord, endpointRecord, evidenceRecord, recordTime } from "./records.ts"

/** Deliveries as lists give them. @category testing @since 0.1.0 */
export const listedOf = (deliveries: ReadonlyArray<Delivery>): ReadonlyArray<ListedDelivery> =>
  deliveries.map((delivery) => Struct.omit(delivery, ["body"]))

/** The time around which the deliveries of tests are due. @category testing @since 0.1.0 */
export const dueMs = 1_768_469_400_000

/** How long a claim of `claimDue` holds. @category testing @since 0.1.0 */
export const leaseMs = 60_000

/** The options of a test's claim; the rest asks for every delivery that is due at `dueMs`. */
interface ClaimFields {
  readonly nowMs?: number
  readonly leaseMs?: number
  readonly slowAfterMs?: number
  readonly limit?: number
  readonly accountMax?: number
  readonly accountKept?: number
  readonly allowances?: ReadonlyMap<string, number>
}

/**
 * Claims at a time of the store's, which follows the test's clock.
 *
 * @category testing
 * @since 0.1.0
 */
export const claimDue = ({ nowMs = dueMs, ...fields }: ClaimFields = {}) =>
  Effect.andThen(
    TestClock.setTime(nowMs),
    Effect.flatMap(DeliveryQueue, ({ claim }) =>
      claim({
        leaseMs,
        slowAfterMs: 2 * leaseMs,
        limit: 1_000,
        accountMax: 1_000,
        accountKept: 0,
        allowances: new Map<string, number>(),
        ...fields
      })
    )
  )

/** When the next delivery is due or the next lease ends. @category testing @since 0.1.0 */
export const nextDueAtMs = Effect.gen(function* () {
  const { nextDueInMs } = yield* DeliveryQueue
  const nowMs = yield* Clock.currentTimeMillis
  return Option.map(yield* nextDueInMs, (inMs) => nowMs + inMs)
})

/** A delivery as a store gives it back. @category testing @since 0.1.0 */
export const keptDeliveryRecord = (
  endpoint: Pick<WebhookEndpoint, "id" | "account_id">,
  fields: Partial<Delivery> = {}
): Delivery => {
  const { due_in_ms: _due, ...delivery } = deliveryRecord(endpoint)
  return { ...delivery, due_at_ms: Date.parse(recordTime), sequence: 1, ...fields }
}

/** A new delivery as it is given back if it is made at `dueMs`. @category testing @since 0.1.0 */
export const madeOf = (
  { due_in_ms: dueInMs, ...delivery }: NewDelivery,
  sequence: number
): Delivery => ({ ...delivery, due_at_ms: dueMs + dueInMs, sequence, version: 1 })

/**
 * Inserts an endpoint that is removed, with its deliveries, when the test ends. It takes any number
 * of deliveries at once, unless the test says otherwise. It is `dueMs` from then on.
 *
 * @category testing
 * @since 0.1.0
 */
export const ownEndpoint = (fields: Partial<WebhookEndpoint> = {}) =>
  Effect.acquireRelease(
    Effect.andThen(
      TestClock.setTime(dueMs),
      Effect.flatMap(EndpointStore, ({ insert }) =>
        insert(endpointRecord({ max_concurrency: 1_000, ...fields }))
      )
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
  fields: Partial<NewDelivery> = {}
) =>
  Effect.andThen(
    TestClock.setTime(dueMs),
    Effect.flatMap(DeliveryStore, ({ insert: insertDelivery }) =>
      Effect.forEach(afterMs, (ms) =>
        insertDelivery(deliveryRecord(endpoint, { due_in_ms: ms, ...fields }))
      )
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
