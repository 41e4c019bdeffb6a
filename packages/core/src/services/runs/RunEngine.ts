/**
 * Executes runs over the ends of processes: every run is an Effect workflow.
 *
 * This is the only file of the library that knows workflows. The results and the end of a run are
 * in the stores. The workflow sees to it that some process executes it until it is over. It queues
 * nothing, holds no results, and limits no account: `Runs` does.
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer, Option, Schedule, Schema, type Scope } from "effect"
import * as Activity from "effect/workflow/Activity"
import * as Workflow from "effect/workflow/Workflow"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import type { RunKind } from "../../domain/Run.ts"
import { StoreError, StoreUnavailable } from "../../domain/StoreError.ts"

/** Which run, and whose. @category models @since 0.1.0 */
export interface RunRef {
  readonly id: string
  readonly accountId: string
}

const workflowOf = (kind: RunKind) =>
  Workflow.make(`candlewick/${kind}`, {
    payload: { id: Schema.String, account_id: Schema.String, attempt: Schema.Int },
    idempotencyKey: ({ attempt, id }) => (attempt === 0 ? id : `${id} ${attempt}`)
  })

const workflows = {
  generate: workflowOf("generate"),
  optimize: workflowOf("optimize"),
  backtest: workflowOf("backtest")
}

/** Engines that keep runs die where their store is away. */
const orUnavailable = (work: Effect.Effect<void>): Effect.Effect<void, StoreError> =>
  Effect.catchDefect(work, (defect) =>
    Effect.fail(new StoreError({ reason: new StoreUnavailable({ cause: String(defect) }) }))
  )

const askAgainAfter = "2 seconds"

/**
 * The engine of runs.
 *
 * **Details**
 *
 * One process at a time executes a run that was given to it. Where that process ends, another one,
 * or the next one, does. It may be begun several times. So an execution has to go on where the last
 * one ended, and to do nothing where it is over.
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
      executeRun: (run: RunRef) => Effect.Effect<void>
    ) => Effect.Effect<void, never, Scope.Scope>

    /**
     * Has a run carried out, here or elsewhere, now or later; asking again is harmless. Where that
     * can't be kept it is logged and asked again until it is. The run is in the stores: should this
     * process end before, another process takes it up.
     */
    readonly execute: (kind: RunKind, run: RunRef) => Effect.Effect<void>

    /**
     * The same of a run that was found unfinished, even if the engine takes it to be over. Returns
     * whether the engine kept it, and logs a run that it did not keep.
     */
    readonly takeUp: (kind: RunKind, run: RunRef) => Effect.Effect<boolean>
  }
>()("@candlewick/core/services/RunEngine") {
  /** Runs over the workflow engine that the host chose. */
  static readonly layer: Layer.Layer<RunEngine, never, WorkflowEngine.WorkflowEngine> =
    Layer.effect(
      RunEngine,
      Effect.gen(function* () {
        const engine = yield* WorkflowEngine.WorkflowEngine
        const scope = yield* Effect.scope
        const execute = (kind: RunKind, { accountId, id }: RunRef, attempt: number) =>
          workflows[kind]
            .execute({ id, account_id: accountId, attempt }, { discard: true })
            .pipe(Effect.provideService(WorkflowEngine.WorkflowEngine, engine), Effect.asVoid)
        const takeUp = Effect.fnUntraced(function* (kind: RunKind, run: RunRef) {
          const workflow = workflows[kind]
          const payload = { id: run.id, account_id: run.accountId, attempt: 0 }
          while (true) {
            const known = yield* engine.poll(workflow, yield* workflow.executionId(payload))
            if (Option.isNone(known) || known.value._tag !== "Complete") break
            payload.attempt++
          }
          yield* execute(kind, run, payload.attempt)
        })
        return RunEngine.of({
          serve: (kind, executeRun) =>
            engine
              .register(workflows[kind], ({ account_id: accountId, id }) =>
                Activity.make({ name: "carry out", execute: executeRun({ id, accountId }) })
              )
              .pipe(Effect.provideService(WorkflowEngine.WorkflowEngine, engine)),
          execute: (kind, run) => {
            const once = orUnavailable(execute(kind, run, 0))
            const later = Effect.delay(
              Effect.retry(once, Schedule.spaced(askAgainAfter)),
              askAgainAfter
            )
            return Effect.catch(once, (error) =>
              Effect.andThen(
                Effect.logWarning(`run ${run.id} waits for the engine's store`, error),
                Effect.asVoid(Effect.forkIn(Effect.interruptible(later), scope))
              )
            )
          },
          takeUp: (kind, run) =>
            orUnavailable(takeUp(kind, run)).pipe(
              Effect.as(true),
              Effect.catch((error) =>
                Effect.as(Effect.logWarning(`run ${run.id} was not taken up`, error), false)
              )
            )
        })
      })
    )

  /** Runs of this process alone. The next process takes the unfinished ones up from the stores. */
  static readonly layerMemory: Layer.Layer<RunEngine> = RunEngine.layer.pipe(
    Layer.provide(WorkflowEngine.layerMemory)
  )
}
