/**
 * Who carries runs out, whatever becomes of a process: every run is an Effect workflow.
 *
 * This is the only file of the library that knows workflows. What a run found out and how it ended
 * is in the stores; the workflow sees to it that somebody carries it out until it is over.
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer, Schema, type Scope } from "effect"
import * as Activity from "effect/workflow/Activity"
import * as Workflow from "effect/workflow/Workflow"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import type { RunKind } from "../domain/Run.ts"

/** Which run, and whose. @category models @since 0.1.0 */
export interface RunRef {
  readonly id: string
  readonly accountId: string
}

const workflowOf = (kind: RunKind) =>
  Workflow.make(`candlewick/${kind}`, {
    payload: { id: Schema.String, account_id: Schema.String },
    idempotencyKey: ({ id }) => id
  })

const workflows = {
  generate: workflowOf("generate"),
  optimize: workflowOf("optimize"),
  backtest: workflowOf("backtest")
}

/**
 * The engine of runs.
 *
 * **Details**
 *
 * A run that was given to it is carried out by one process at a time, and by another one, or the
 * next one, where that ends. It may be begun several times, so that carrying it out has to go on
 * where it was left, and to do nothing where it is over.
 *
 * @category services
 * @since 0.1.0
 */
export class RunEngine extends Context.Service<
  RunEngine,
  {
    /** Offers to carry runs of a kind out, for as long as the scope lives. */
    readonly serve: (
      kind: RunKind,
      carryOut: (run: RunRef) => Effect.Effect<void>
    ) => Effect.Effect<void, never, Scope.Scope>

    /** Has a run carried out, here or elsewhere, now or later; asking again is harmless. */
    readonly execute: (kind: RunKind, run: RunRef) => Effect.Effect<void>
  }
>()("@candlewick/core/services/RunEngine") {
  /** Runs over the workflow engine that the host chose. */
  static readonly layer: Layer.Layer<RunEngine, never, WorkflowEngine.WorkflowEngine> =
    Layer.effect(
      RunEngine,
      Effect.map(WorkflowEngine.WorkflowEngine, (engine) =>
        RunEngine.of({
          serve: (kind, carryOut) =>
            engine.register(workflows[kind], ({ account_id: accountId, id }) =>
              Activity.make({ name: "carry out", execute: carryOut({ id, accountId }) })
            ),
          execute: (kind, { accountId, id }) =>
            workflows[kind]
              .execute({ id, account_id: accountId }, { discard: true })
              .pipe(Effect.provideService(WorkflowEngine.WorkflowEngine, engine), Effect.asVoid)
        })
      )
    )

  /** Runs of this process alone; the next one takes up from the stores what is left. */
  static readonly layerMemory: Layer.Layer<RunEngine> = RunEngine.layer.pipe(
    Layer.provide(WorkflowEngine.layerMemory)
  )
}
