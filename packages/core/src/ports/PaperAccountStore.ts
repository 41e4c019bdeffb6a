/**
 * Keeps the accounts of the paper broker, as an exchange would.
 *
 * An adapter that provides `PaperAccountStore` must pass `PaperAccountStoreSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option, type Schema } from "effect"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Storage for one snapshot of a paper account for each bot.
 *
 * @category ports
 * @since 0.1.0
 */
export class PaperAccountStore extends Context.Service<
  PaperAccountStore,
  {
    /** The snapshot of a bot's paper account. */
    readonly get: (botId: string) => Effect.Effect<Option.Option<Schema.Json>, StoreError>

    /** Writes the snapshot of a bot's paper account. */
    readonly put: (botId: string, snapshot: Schema.Json) => Effect.Effect<void, StoreError>

    /** Removes it, if it is there. */
    readonly remove: (botId: string) => Effect.Effect<void, StoreError>
  }
>()("@candlewick/core/ports/PaperAccountStore") {}
