/**
 * Keeps the versions of strategies.
 *
 * An adapter that provides `StrategyVersionStore` must pass `StrategyVersionStoreSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type { StrategyVersion } from "../domain/StrategyVersion.ts"

/**
 * Storage for versions of strategies, each seen by its own account only. They are never changed,
 * and stay where their strategy is removed.
 *
 * @category ports
 * @since 0.1.0
 */
export class StrategyVersionStore extends Context.Service<
  StrategyVersionStore,
  {
    /** Adds one; where its strategy has that version already, the first one stays as it is. */
    readonly keep: (version: StrategyVersion) => Effect.Effect<void, StoreError>

    /** Finds one of the account's by its strategy and number. */
    readonly get: (
      accountId: string,
      strategyId: string,
      version: number
    ) => Effect.Effect<Option.Option<StrategyVersion>, StoreError>

    /** The versions of a strategy, newest first; keys of pages are numbers as text. */
    readonly list: (
      accountId: string,
      strategyId: string,
      page: PageRequest
    ) => Effect.Effect<Page<StrategyVersion>, StoreError>
  }
>()("@candlewick/core/ports/StrategyVersionStore") {}
