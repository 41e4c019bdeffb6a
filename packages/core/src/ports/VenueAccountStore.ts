/**
 * Keeps exchange accounts, attempts to place orders there, and facts that venues have reported.
 *
 * An adapter that provides `VenueAccountStore` must pass `VenueAccountStoreSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type {
  KeptFact,
  OrderAttempt,
  TradeFact,
  VenueAccount,
  VenueFact
} from "../domain/VenueAccount.ts"

/**
 * Storage for the accounts of bots at exchanges.
 *
 * @category ports
 * @since 0.1.0
 */
export class VenueAccountStore extends Context.Service<
  VenueAccountStore,
  {
    /** Finds an exchange account by its key. */
    readonly get: (key: string) => Effect.Effect<Option.Option<VenueAccount>, StoreError>

    /**
     * Writes an exchange account and returns it with the next version. Version 0 means that there
     * is none yet. Fails with `VersionConflict` if it changed. Two transactions that put one
     * account follow one another.
     */
    readonly put: (account: VenueAccount) => Effect.Effect<VenueAccount, StoreError>

    /**
     * Keeps facts of an exchange account, in their order, and returns those that were not kept
     * before. Fails with `NotFound` if there is no such account. Transactions that keep facts of
     * one account, or put it, follow one another, so that sequence numbers are seen as they rise.
     */
    readonly keepFacts: (
      key: string,
      facts: ReadonlyArray<VenueFact>
    ) => Effect.Effect<ReadonlyArray<KeptFact>, StoreError>

    /** Facts of a bot after a sequence number, in the order of theirs. */
    readonly factsOf: (
      botId: string,
      after: number
    ) => Effect.Effect<ReadonlyArray<KeptFact>, StoreError>

    /** Trades of an exchange account that no bot owns, newest first. */
    readonly listOutside: (
      key: string,
      page: PageRequest
    ) => Effect.Effect<Page<TradeFact>, StoreError>

    /**
     * Writes an attempt and returns it with the next version; version 0 adds it. Fails with
     * `VersionConflict` if it changed, and with `AlreadyExists` if its exchange account has its id.
     */
    readonly putAttempt: (attempt: OrderAttempt) => Effect.Effect<OrderAttempt, StoreError>

    /** Finds an attempt by the id that the venue was given. */
    readonly findAttempt: (
      key: string,
      id: string
    ) => Effect.Effect<Option.Option<OrderAttempt>, StoreError>

    /**
     * Attempts of an exchange account in `openAttemptStates`, oldest first; those of all accounts,
     * one account after the other, where the key is null.
     */
    readonly listOpenAttempts: (
      key: string | null
    ) => Effect.Effect<ReadonlyArray<OrderAttempt>, StoreError>

    /** Attempts of an order of a bot, the first one first. */
    readonly attemptsOf: (
      botId: string,
      clientOrderId: string
    ) => Effect.Effect<ReadonlyArray<OrderAttempt>, StoreError>

    /** The store's time in epoch milliseconds, by which windows and fences are measured. */
    readonly nowMs: Effect.Effect<number, StoreError>
  }
>()("@candlewick/core/ports/VenueAccountStore") {}
