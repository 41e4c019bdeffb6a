/**
 * Holds events that were written together with the change they announce, until every publisher has
 * them.
 *
 * An adapter that provides `Outbox` must pass `OutboxSuite` from `@candlewick/core/testing`, which
 * is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { DomainEvent } from "../domain/DomainEvent.ts"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Events waiting to be published, oldest first.
 *
 * @category ports
 * @since 0.1.0
 */
export class Outbox extends Context.Service<
  Outbox,
  {
    /**
     * Adds an event, in the transaction of the change that it announces. Fails with `AlreadyExists`
     * if its id waits already.
     */
    readonly append: (event: DomainEvent) => Effect.Effect<void, StoreError>

    /** Up to `limit` events that are not acknowledged, oldest first by id. */
    readonly peek: (limit: number) => Effect.Effect<ReadonlyArray<DomainEvent>, StoreError>

    /**
     * As `peek`, inside a transaction, and whoever else takes waits until that one ends: two
     * processes that drain at once don't publish the same events, and keep their order.
     */
    readonly take: (limit: number) => Effect.Effect<ReadonlyArray<DomainEvent>, StoreError>

    /** Takes an event out of the waiting ones; one that is gone already is no error. */
    readonly acknowledge: (eventId: string) => Effect.Effect<void, StoreError>

    /** Takes many events out, as `acknowledge` does. */
    readonly acknowledgeAll: (eventIds: ReadonlyArray<string>) => Effect.Effect<void, StoreError>
  }
>()("@candlewick/core/ports/Outbox") {}
