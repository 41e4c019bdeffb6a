/**
 * Publishes an event to the outside, or queues it for a sender.
 *
 * An adapter that provides `EventPublisher` must pass `EventPublisherSuite` from
 * `@candlewick/core/testing`.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { DomainEvent } from "../domain/DomainEvent.ts"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Delivers events at least once.
 *
 * **Details**
 *
 * `publish` runs inside the transaction that acknowledges the event; its writes to the stores are
 * kept exactly if the acknowledgement is. It must not wait for the outside. Publishing the same
 * event again must be harmless.
 *
 * @category ports
 * @since 0.1.0
 */
export class EventPublisher extends Context.Service<
  EventPublisher,
  {
    /** Accepts an event for delivery. */
    readonly publish: (event: DomainEvent) => Effect.Effect<void, StoreError>

    /** Accepts many events in one step, in this order, as `publish` would each of them. */
    readonly publishAll: (events: ReadonlyArray<DomainEvent>) => Effect.Effect<void, StoreError>
  }
>()("@candlewick/core/ports/EventPublisher") {}
