/**
 * Keeps the findings of runs under way, so that another process can go on with them.
 *
 * An adapter that provides `RunCheckpoints` must pass `RunCheckpointsSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option, type Schema } from "effect"
import type { StoreError } from "../domain/StoreError.ts"

/** The result of one step of a run. @category models @since 0.1.0 */
export interface RunCheckpoint {
  readonly step: string
  readonly value: Schema.Json
}

/**
 * Storage for the steps of runs that are not over.
 *
 * @category ports
 * @since 0.1.0
 */
export class RunCheckpoints extends Context.Service<
  RunCheckpoints,
  {
    /** Adds steps of a run, all of them or none; a step that is kept already stays as it is. */
    readonly keep: (
      runId: string,
      checkpoints: ReadonlyArray<RunCheckpoint>
    ) => Effect.Effect<void, StoreError>

    /** The result of one step of a run. */
    readonly get: (
      runId: string,
      step: string
    ) => Effect.Effect<Option.Option<Schema.Json>, StoreError>

    /** Every step of a run, by its name. */
    readonly list: (runId: string) => Effect.Effect<ReadonlyArray<RunCheckpoint>, StoreError>

    /** Forgets the steps of a run that is over. */
    readonly clear: (runId: string) => Effect.Effect<void, StoreError>
  }
>()("@candlewick/core/ports/RunCheckpoints") {}
