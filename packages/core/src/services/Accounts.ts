/**
 * Accounts and API keys: who is calling, and what the caller may do.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { Account, ApiKeyRequest, ApiKeyView, Scope } from "../domain/Account.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { Problem } from "../domain/Problem.ts"
import type { StoreError } from "../domain/StoreError.ts"

/** Who is calling. @category models @since 0.1.0 */
export interface CallerIdentity {
  readonly accountId: string
  readonly keyId: string
  readonly scopes: ReadonlyArray<Scope>
}

/** A key with the text that is shown once. @category models @since 0.1.0 */
export interface IssuedKey {
  readonly key: ApiKeyView
  readonly secret: string
}

/**
 * Accounts and their keys.
 *
 * @category services
 * @since 0.1.0
 */
export class Accounts extends Context.Service<
  Accounts,
  {
    /** Who presents this bearer token; fails with `unauthenticated` or `key_expired`. */
    readonly authenticate: (token: string) => Effect.Effect<CallerIdentity, Problem | StoreError>

    /**
     * Makes sure that there is an account with an admin key. With `preset`, that text is its key; otherwise a key is
     * made on first start and returned, once.
     */
    readonly ensureAdmin: (
      preset?: string
    ) => Effect.Effect<
      { readonly accountId: string; readonly secret: string | null },
      Problem | StoreError
    >

    /** Adds an account with a first key. */
    readonly create: (
      name: string
    ) => Effect.Effect<{ readonly account: Account } & IssuedKey, StoreError>

    /** Finds an account; fails with `not_found`. */
    readonly get: (accountId: string) => Effect.Effect<Account, Problem | StoreError>

    /** Issues a key with at most the scopes of the caller. */
    readonly issueKey: (
      caller: CallerIdentity,
      request: ApiKeyRequest
    ) => Effect.Effect<IssuedKey, Problem | StoreError>

    /** The account's keys, newest first. */
    readonly listKeys: (
      accountId: string,
      page: PageRequest
    ) => Effect.Effect<Page<ApiKeyView>, StoreError>

    /** Revokes a key; fails with `not_found`. */
    readonly revokeKey: (
      accountId: string,
      keyId: string
    ) => Effect.Effect<ApiKeyView, Problem | StoreError>
  }
>()("@candlewick/core/services/Accounts") {}
