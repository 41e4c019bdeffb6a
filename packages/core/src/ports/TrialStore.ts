/**
 * Keeps the trials of searches, as columns of numbers.
 *
 * An adapter that provides `TrialStore` must pass `TrialStoreSuite` from `@candlewick/core/testing`,
 * which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "../domain/StoreError.ts"

/** A number of each trial, NaN where there is none. @category models @since 0.1.0 */
export interface TrialColumn {
  readonly name: string
  readonly values: Float64Array
}

/** The trials of a search; every column has as many values. @category models @since 0.1.0 */
export type TrialColumns = ReadonlyArray<TrialColumn>

/**
 * Storage for the trials of optimizations, which go with their optimization.
 *
 * @category ports
 * @since 0.1.0
 */
export class TrialStore extends Context.Service<
  TrialStore,
  {
    /**
     * Keeps the columns of an optimization in the place of those before. Fails with `NotFound`
     * where there is no such optimization.
     */
    readonly put: (optimizationId: string, columns: TrialColumns) => Effect.Effect<void, StoreError>

    /** The columns of an optimization as they were put, or the columns of these names. */
    readonly get: (
      optimizationId: string,
      names?: ReadonlyArray<string>
    ) => Effect.Effect<Option.Option<TrialColumns>, StoreError>
  }
>()("@candlewick/core/ports/TrialStore") {}
