/**
 * Remembers the answers to requests that carried an idempotency key.
 *
 * An adapter that provides `IdempotencyStore` must pass `IdempotencyStoreSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { StoreError } from "../domain/StoreError.ts"

/** An answer as it was given. @category models @since 0.1.0 */
export interface RememberedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What is known of a key. @category models @since 0.1.0 */
export type IdempotencyClaim =
  | { readonly state: "claimed" }
  | { readonly state: "in_progress" }
  | { readonly state: "reused" }
  | { readonly state: "answered"; readonly answer: RememberedAnswer }

/**
 * Storage for idempotency keys, each within its scope (account, method and path).
 *
 * @category ports
 * @since 0.1.0
 */
export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /**
     * Takes a key for a request with this fingerprint, or tells what became of the one that took it
     * before. A key is free again at `expiresAtMs`, be it that whoever took it is no more.
     */
    readonly claim: (request: {
      readonly scope: string
      readonly key: string
      readonly fingerprint: string
      readonly nowMs: number
      readonly expiresAtMs: number
    }) => Effect.Effect<IdempotencyClaim, StoreError>

    /**
     * Remembers the answer of a claimed key until `expiresAtMs`; without a claim there is nothing to
     * remember.
     */
    readonly answer: (
      scope: string,
      key: string,
      answer: RememberedAnswer,
      expiresAtMs: number
    ) => Effect.Effect<void, StoreError>

    /**
     * Frees a claimed key, because nothing was carried out; one that was answered keeps its answer.
     */
    readonly release: (scope: string, key: string) => Effect.Effect<void, StoreError>
  }
>()("@candlewick/core/ports/IdempotencyStore") {}
