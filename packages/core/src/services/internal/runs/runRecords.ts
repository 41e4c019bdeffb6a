/**
 * How runs are kept: their first record, their live progress over it, and their end with its event.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { RunError } from "../../../domain/Run.ts"
import { type Problem, problem } from "../../../domain/Problem.ts"
import { finishedRunStatuses, type RunStatus } from "../../../domain/RunMachine.ts"
import type { Strategy } from "../../../domain/Strategy.ts"
import type { StrategyDefinition } from "../../../domain/StrategyDefinition.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { RunStep } from "../../../domain/Run.ts"
import type { Runs } from "../../Runs.ts"
import type { StrategyStore } from "../../../ports/StrategyStore.ts"

/** The fields that every run has, as they are at first. */
export const queuedRun = (createdAt: string) => ({
  status: "queued" as const,
  progress: 0,
  step: "queue" as const,
  eta_seconds: null,
  queue_position: null,
  partial: false,
  error: null,
  created_at: createdAt,
  started_at: null,
  finished_at: null
})

interface RunRecord {
  readonly id: string
  readonly status: RunStatus
  readonly progress: number
  readonly step: RunStep
  readonly eta_seconds: number | null
  readonly queue_position: number | null
}

/** A record with what its run in this process is doing now. */
export const withProgress = <A extends RunRecord>(
  runs: Runs["Service"],
  record: A
): Effect.Effect<A> =>
  finishedRunStatuses.includes(record.status)
    ? Effect.succeed(record)
    : Effect.map(
        runs.progressOf(record.id),
        Option.match({
          onNone: () => record,
          onSome: (live) => ({
            ...record,
            status: live.status,
            progress: live.progress,
            step: live.step,
            eta_seconds: live.etaSeconds,
            queue_position: live.queuePosition
          })
        })
      )

/** Why a run failed, as its record says it. */
export const toRunError = (error: {
  readonly _tag: string
  readonly message: string
  readonly code?: string
}): typeof RunError.Type => ({
  code: error.code ?? (error._tag === "StoreError" ? "unavailable" : "internal"),
  message: error.code === undefined ? "The run could not be carried out." : error.message
})

/** The strategy of a run; fails with `unknown_strategy` or `strategy_not_ready`. */
export const strategyOfRun = Effect.fnUntraced(function* (
  strategies: StrategyStore["Service"],
  accountId: string,
  id: string
): Effect.fn.Return<
  { readonly strategy: Strategy; readonly definition: StrategyDefinition },
  Problem | StoreError
> {
  const strategy = Option.getOrNull(yield* strategies.get(accountId, id))
  if (strategy === null) {
    const message = `There is no strategy ${id}.`
    return yield* problem("unknown_strategy", message, {
      errors: [{ pointer: "/strategy_id", code: "unknown_strategy", message }]
    })
  }
  const { definition, status } = strategy
  if (definition === null || status !== "ready") {
    return yield* problem("strategy_not_ready", `The strategy ${id} is ${status}.`, {
      current_state: status
    })
  }
  return { strategy, definition }
})
