/**
 * Keeps markets, every revision of each.
 *
 * An adapter that provides `MarketStore` must pass `MarketStoreSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { MarketRevision, Owner } from "../domain/Market.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Storage for the markets of each owner. A revision that is kept never changes.
 *
 * @category ports
 * @since 0.1.0
 */
export class MarketStore extends Context.Service<
  MarketStore,
  {
    /** Adds a revision; fails with `AlreadyExists` where the owner's market has this one. */
    readonly insert: (revision: MarketRevision) => Effect.Effect<void, StoreError>

    /** The newest revision of the owner's market of a symbol. */
    readonly newest: (
      owner: Owner,
      symbol: string
    ) => Effect.Effect<Option.Option<MarketRevision>, StoreError>

    /** One revision of the owner's market of a symbol. */
    readonly get: (
      owner: Owner,
      symbol: string,
      revision: number
    ) => Effect.Effect<Option.Option<MarketRevision>, StoreError>

    /** The newest revision of each of the owner's markets, by symbol. */
    readonly list: (owner: Owner) => Effect.Effect<ReadonlyArray<MarketRevision>, StoreError>

    /** The revisions of the owner's market of a symbol, newest first. */
    readonly listRevisions: (
      owner: Owner,
      symbol: string,
      page: PageRequest
    ) => Effect.Effect<Page<MarketRevision>, StoreError>
  }
>()("@candlewick/core/ports/MarketStore") {}
