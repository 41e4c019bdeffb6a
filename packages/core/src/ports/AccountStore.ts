/**
 * Keeps accounts and their API keys.
 *
 * An adapter that provides `AccountStore` must pass `AccountStoreSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { Account, ApiKey } from "../domain/Account.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Storage for accounts and keys; of a key's secret only a hash is ever kept.
 *
 * @category ports
 * @since 0.1.0
 */
export class AccountStore extends Context.Service<
  AccountStore,
  {
    /** Adds an account at version 1. Fails with `AlreadyExists` if the id is taken. */
    readonly insert: (account: Account) => Effect.Effect<Account, StoreError>

    /** Finds an account by id. */
    readonly get: (id: string) => Effect.Effect<Option.Option<Account>, StoreError>

    /**
     * Replaces an account and returns it with the next version. Fails with `VersionConflict` if it
     * changed.
     */
    readonly update: (account: Account) => Effect.Effect<Account, StoreError>

    /** Every account, oldest first. */
    readonly listAll: Effect.Effect<ReadonlyArray<Account>, StoreError>

    /** Adds a key. Fails with `AlreadyExists` if its id or its `lookup` is taken. */
    readonly insertKey: (key: ApiKey) => Effect.Effect<ApiKey, StoreError>

    /** Finds a key of any account by its `lookup` text. */
    readonly findKey: (lookup: string) => Effect.Effect<Option.Option<ApiKey>, StoreError>

    /**
     * Replaces a key but for `last_used_at`, which `markKeyUsed` alone moves, and returns it as it
     * is then. Fails with `NotFound` if there is none.
     */
    readonly updateKey: (key: ApiKey) => Effect.Effect<ApiKey, StoreError>

    /**
     * Notes the time of a key's use, where it is later than the noted one, and leaves the rest as
     * it is. A revocation of the same moment stays too. Does nothing where the key is gone.
     */
    readonly markKeyUsed: (
      accountId: string,
      keyId: string,
      at: string
    ) => Effect.Effect<void, StoreError>

    /** An account's keys, newest first. */
    readonly listKeys: (
      accountId: string,
      page: PageRequest
    ) => Effect.Effect<Page<ApiKey>, StoreError>
  }
>()("@candlewick/core/ports/AccountStore") {}
