/**
 * The operations on an account and its API keys.
 *
 * Each names its scopes and its arguments. The library and the HTTP API take both from this table.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { type Account, ApiKeyRequest, type ApiKeyView, Scope } from "../Account.ts"
import { keyFilter, type KeyPageRequest } from "../listFilters.ts"
import type { Page } from "../Page.ts"
import { body, filteredPage, given, id, operation } from "./Operation.ts"

/** A key with the text that is shown once. @category models @since 0.1.0 */
export interface IssuedKey {
  readonly key: ApiKeyView
  readonly secret: string
}

/** The operations on an account and its API keys. @category tables @since 0.1.0 */
export const accountOperations = {
  /** Finds the account; fails with `not_found`. */
  get: operation<() => Account>()({ scopes: [], takes: [], isVersioned: true }),
  /** Issues a key with at most the scopes that were granted to the caller. */
  issueKey: operation<(request: ApiKeyRequest, granted: ReadonlyArray<Scope>) => IssuedKey>()({
    scopes: ["keys:manage"],
    takes: [body(ApiKeyRequest), given("granted", Schema.Array(Scope))]
  }),
  /** The account's keys, newest first. */
  listKeys: operation<(page: KeyPageRequest) => Page<ApiKeyView>>()({
    scopes: ["keys:manage"],
    takes: [filteredPage(keyFilter)]
  }),
  /** Revokes a key; fails with `not_found`. */
  revokeKey: operation<(id: string) => ApiKeyView>()({ scopes: ["keys:manage"], takes: [id] })
}
