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

/** The facts of a key. @category models @since 0.1.0 */
export type IdempotencyClaim =
  | { readonly type: "claimed" }
  | { readonly type: "in_progress" }
  | { readonly type: "reused" }
  | { readonly type: "carried_out"; readonly outcome: string }
  | { readonly type: "answered"; readonly answer: RememberedAnswer }

/** The outcome under a key, and the facts known before. @category models @since 0.1.0 */
export interface KeptOutcome {
  readonly scope: string
  readonly key: string
  readonly fingerprint: string
  readonly before: string | null
  readonly outcome: string
  readonly keptForMs: number
}

/**
 * Storage for idempotency keys, each within its scope (account, method and path).
 *
 * **Details**
 *
 * The store's own time says when a key is free again: PostgreSQL's clock, or Effect's `Clock` in
 * memory. Each wait counts from the call that names it.
 *
 * @category ports
 * @since 0.1.0
 */
export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /**
     * Takes a key for a request with this fingerprint, or reports the outcome of the request that
     * took it before. A key is free again after `keptForMs`, also where the process that took it
     * has ended. Where a request was carried out and not answered, the next claim goes on from
     * there.
     */
    readonly claim: (request: {
      readonly scope: string
      readonly key: string
      readonly fingerprint: string
      readonly keptForMs: number
    }) => Effect.Effect<IdempotencyClaim, StoreError>

    /**
     * Keeps the outcome under a claimed key for `keptForMs`; for the transaction that carries the
     * request out. False where the key is not known with `before`, was answered, or belongs to
     * another request or to none. Nothing is kept then. The caller then must not keep its
     * transaction either.
     */
    readonly keepOutcome: (kept: KeptOutcome) => Effect.Effect<boolean, StoreError>

    /**
     * Remembers the answer of a claimed key for `keptForMs`; without a claim there is nothing
     * to remember.
     */
    readonly answer: (
      scope: string,
      key: string,
      answer: RememberedAnswer,
      keptForMs: number
    ) => Effect.Effect<void, StoreError>

    /**
     * Frees a claimed key, unless something was carried out under it or it was answered.
     */
    readonly release: (scope: string, key: string) => Effect.Effect<void, StoreError>

    /**
     * Frees every claimed key under which nothing was carried out. The end of their process cut
     * these requests off. For a process that has the store to itself, before it claims any.
     */
    readonly releaseAll: Effect.Effect<void, StoreError>

    /** The store's time in epoch milliseconds, for a key that is made of the time. */
    readonly nowMs: Effect.Effect<number, StoreError>
  }
>()("@candlewick/core/ports/IdempotencyStore") {}
