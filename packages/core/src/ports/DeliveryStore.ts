/**
 * Keeps the deliveries to webhook endpoints, numbered within each.
 *
 * An adapter that provides `DeliveryStore` must pass `DeliveryStoreSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { EventName } from "../domain/DomainEvent.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type {
  Delivery,
  DeliveryChange,
  ListedDelivery,
  NewDelivery
} from "../domain/WebhookEndpoint.ts"

/**
 * Storage for deliveries: made, read, replaced and forgotten.
 *
 * **Details**
 *
 * `due_in_ms` counts from the store's own time: PostgreSQL's clock, or Effect's `Clock` in memory.
 * The store gives back `due_at_ms` in its place.
 *
 * @category ports
 * @since 0.1.0
 */
export class DeliveryStore extends Context.Service<
  DeliveryStore,
  {
    /**
     * Adds a delivery at version 1 and numbers it within its endpoint. A delivery that the endpoint
     * already has of an event is left as it is, so that fanning out twice is harmless. The call
     * then returns the stored one. Fails with `NotFound` if there is no such endpoint.
     */
    readonly insert: (delivery: NewDelivery) => Effect.Effect<Delivery, StoreError>

    /**
     * Adds many deliveries in one step, numbered in this order, and gives those that were made.
     * A delivery is left out if its endpoint has one of that event already, if its id is taken, or
     * whose endpoint is gone.
     */
    readonly insertMany: (
      deliveries: ReadonlyArray<NewDelivery>
    ) => Effect.Effect<ReadonlyArray<Delivery>, StoreError>

    /** Finds a delivery of an endpoint by id. */
    readonly get: (
      webhookId: string,
      id: string
    ) => Effect.Effect<Option.Option<Delivery>, StoreError>

    /**
     * An endpoint's deliveries, newest first and without their bodies, down to the id `after`,
     * which is left out.
     */
    readonly list: (
      webhookId: string,
      page: PageRequest & {
        readonly after?: string | undefined
        readonly status?: Delivery["status"] | undefined
        readonly event?: EventName | undefined
      }
    ) => Effect.Effect<Page<ListedDelivery>, StoreError>

    /**
     * Replaces a delivery and returns it with the next version. Fails with `VersionConflict` if it
     * changed.
     */
    readonly update: (delivery: DeliveryChange) => Effect.Effect<Delivery, StoreError>

    /**
     * Replaces many deliveries in one step and returns the replaced ones, in this order and at
     * their next versions. A delivery that changed since, or is gone, is left out. Bodies stay as
     * they were stored, and need not be given.
     */
    readonly updateMany: <A extends ListedDelivery>(
      deliveries: ReadonlyArray<DeliveryChange<A>>
    ) => Effect.Effect<ReadonlyArray<A>, StoreError>

    /**
     * Removes up to `limit` finished deliveries of all accounts with ids below `before`, and
     * returns their number.
     */
    readonly removeFinished: (request: {
      readonly before: string
      readonly limit: number
    }) => Effect.Effect<number, StoreError>
  }
>()("@candlewick/core/ports/DeliveryStore") {}
