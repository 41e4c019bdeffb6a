/**
 * Holds events that are written with the change that they announce, until every publisher has them.
 * It keeps the newest events of each account longer.
 *
 * An adapter that provides `Outbox` must pass `OutboxSuite` from `@candlewick/core/testing`, which
 * is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { DomainEvent, PublishedEvent } from "../domain/DomainEvent.ts"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Events waiting to be published, oldest first, and the published events of each account.
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

    /**
     * Adds many events, as `append` does. Where it fails, the transaction around it is to fail too,
     * because some of them may be added.
     */
    readonly appendAll: (events: ReadonlyArray<DomainEvent>) => Effect.Effect<void, StoreError>

    /** Up to `limit` events that are not acknowledged, oldest first by id. */
    readonly peek: (limit: number) => Effect.Effect<ReadonlyArray<DomainEvent>, StoreError>

    /**
     * As `peek`, inside a transaction; every other taker waits until that one ends. Two processes
     * that drain at once so publish no event twice, and keep their order.
     */
    readonly take: (limit: number) => Effect.Effect<ReadonlyArray<DomainEvent>, StoreError>

    /**
     * Takes an event out of the waiting ones; one that is gone already is no error. It is numbered
     * among the published ones of its account, of which the oldest beyond the limit are dropped.
     */
    readonly acknowledge: (eventId: string) => Effect.Effect<void, StoreError>

    /** Takes many events out, as `acknowledge` does, and numbers them by their ids. */
    readonly acknowledgeAll: (eventIds: ReadonlyArray<string>) => Effect.Effect<void, StoreError>

    /**
     * The published events of an account that are numbered higher than `after`, oldest first. A
     * reader that has seen a number has seen all below it: none is given before those below it are.
     */
    readonly listPublished: (
      accountId: string,
      page: { readonly after: number; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<PublishedEvent>, StoreError>

    /** The number of the newest published event of an account; 0 where there is none. */
    readonly newestSeq: (accountId: string) => Effect.Effect<number, StoreError>
  }
>()("@candlewick/core/ports/Outbox") {}
