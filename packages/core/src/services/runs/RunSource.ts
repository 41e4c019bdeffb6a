/**
 * The contract between the queue of runs and each kind of run.
 *
 * A source finds, executes and cancels the runs of one kind. The queue decides the order, and never
 * reads a result.
 *
 * @since 0.1.0
 */
import type { Effect, Option, Schema } from "effect"
import type { QueuedRequest, RunNote, RunStep } from "../../domain/Run.ts"
import type { RunStatus } from "../../domain/RunMachine.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { RunRef } from "./RunEngine.ts"

/** How far a run is. @category models @since 0.1.0 */
export interface RunProgress {
  readonly status: RunStatus
  /** Place in the queue, from 1, or null where it is running. */
  readonly queuePosition: number | null
  readonly progress: number
  readonly step: RunStep
  readonly etaSeconds: number | null
}

/** The inputs of a run's work. @category models @since 0.1.0 */
export interface RunHandle {
  /** Says how far the work is. */
  readonly report: (progress: number, step: RunStep) => Effect.Effect<void>
  /** Whether it is to end. */
  readonly isCancelled: Effect.Effect<boolean>
  /**
   * Holds a number other than 0 once the run is to end. A task that gets it ends early with its
   * results so far.
   */
  readonly stop: SharedArrayBuffer
  /** The results of steps, in this process and in those that had the run before. */
  readonly kept: ReadonlyMap<string, Schema.Json>
  /** Keeps the findings of a step with the next save. */
  readonly keep: (step: string, value: Schema.Json) => Effect.Effect<void>
  /**
   * Writes the progress and results of a run while an effect goes on, at most four times a second.
   * It looks too whether the run is to end.
   */
  readonly saving: <A, E, R>(
    save: (progress: RunProgress) => Effect.Effect<unknown, StoreError>,
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** An effect that is interrupted when the run is cancelled; none then. */
  readonly unlessCancelled: <A, E, R>(
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<Option.Option<A>, E, R>
}

/** Finds, executes and cancels the runs of one kind. @category models @since 0.1.0 */
export interface RunSource {
  /** Carries a run out and keeps how it ended; does nothing where it is over. */
  readonly execute: (run: RunRef, handle: RunHandle) => Effect.Effect<void, StoreError>
  /** Keeps that a run waits again which another process had begun. */
  readonly requeue: (run: RunRef) => Effect.Effect<void, StoreError>
  /** Keeps that a run failed because the store refuses its results. */
  readonly fail: (run: RunRef, error: StoreError) => Effect.Effect<void, StoreError>
  /** Every run that is not over, oldest first. */
  readonly unfinished: Effect.Effect<ReadonlyArray<RunRef>, StoreError>
  /** The account's runs that are not over, and all whose ids come after one, oldest first. */
  readonly recent: (
    accountId: string,
    after: string
  ) => Effect.Effect<ReadonlyArray<RunNote>, StoreError>
  /** One of the account's runs. */
  readonly find: (run: RunRef) => Effect.Effect<Option.Option<RunNote>, StoreError>
  /** The number of waiting runs that no process has begun. */
  readonly countQueued: (request: QueuedRequest) => Effect.Effect<number, StoreError>
  /** Keeps that a run was cancelled before any process had begun it. */
  readonly cancelQueued: (run: RunRef) => Effect.Effect<void, StoreError>
}
