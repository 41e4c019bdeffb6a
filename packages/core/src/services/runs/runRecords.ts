/**
 * How runs are kept: their first record, their live progress over it, and their end with its event.
 *
 * @since 0.1.0
 */
import { Cause, Effect, Option } from "effect"
import {
  checkCode,
  checkStrategy,
  type CodeByName,
  isEmptyRange,
  type RiskProfile,
  type StrategyDefinition,
  type Timeframe
} from "@candlewick/engine"
import type { RunError, RunKind, RunNote } from "../../domain/Run.ts"
import { invalid, type Problem, problem } from "../../domain/Problem.ts"
import { finishedRunStatuses, RunMachine, type RunStatus } from "../../domain/RunMachine.ts"
import type { Strategy } from "../../domain/Strategy.ts"
import { StoreError } from "../../domain/StoreError.ts"
import type { RunStep } from "../../domain/Run.ts"
import type { Runs } from "./Runs.ts"
import type { StrategyStore } from "../../ports/StrategyStore.ts"
import type { StrategyVersionStore } from "../../ports/StrategyVersionStore.ts"
import { refuseMixedQuotes } from "../strategies/refuseMixedQuotes.ts"
import { refuseUnread } from "../strategies/refuseUnread.ts"
import { keepVersion, type VersionPin } from "../strategies/strategyVersions.ts"
import { refuseUnstopped } from "../bots/refuseUnstopped.ts"

/** The fields that every run has, as they are at first. */
export const queuedRun = (createdAt: string) => ({
  status: RunMachine.initial,
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

/** A run without its results and its place in the queue. */
export const toNote =
  (kind: RunKind) =>
  ({ error, eta_seconds, id, progress, status, step }: Omit<RunNote, "kind">): RunNote => ({
    kind,
    id,
    status,
    step,
    progress,
    queue_position: null,
    eta_seconds,
    error
  })

/**
 * A record with the step and the progress of its run: in this process, or as another process has
 * written them.
 */
export const withProgress = Effect.fnUntraced(function* <A extends RunRecord>(
  runs: Runs["Service"],
  record: A
): Effect.fn.Return<A, StoreError> {
  if (finishedRunStatuses.includes(record.status)) return record
  const live = Option.getOrNull(yield* runs.progressOf(record.id))
  if (live === null) {
    if (record.status !== "queued") return record
    return { ...record, queue_position: yield* runs.positionOf(record.id) }
  }
  return {
    ...record,
    status: live.status,
    progress: Math.max(record.progress, live.progress),
    step: live.step,
    eta_seconds: live.etaSeconds,
    queue_position: live.queuePosition
  }
})

/** Why a run failed, as its record says it. */
export const toRunError = (error: {
  readonly _tag: string
  readonly message: string
  readonly code?: string
  readonly isContentRefused?: boolean
  readonly codeError?: string | null
}): typeof RunError.Type => {
  const { code, codeError, isContentRefused, message } = error
  if (typeof codeError === "string") return { code: "strategy_code", message: codeError }
  if (code !== undefined) return { code, message }
  const isUnavailable = error._tag === "StoreError" && isContentRefused !== true
  return {
    code: isUnavailable ? "unavailable" : "internal",
    message: "The run failed unexpectedly."
  }
}

/**
 * How a run ended; one that can't be carried out has failed, unless it is the store that can't be
 * reached now.
 */
export const endOfRun = <A, E extends Parameters<typeof toRunError>[0]>(
  work: Effect.Effect<A, E>,
  thing: string
): Effect.Effect<
  A | { readonly ending: "fail"; readonly error: typeof RunError.Type },
  StoreError
> => {
  const failed = (error: typeof RunError.Type) => ({ ending: "fail", error }) as const
  return work.pipe(
    Effect.tapError((error) => Effect.logWarning(`${thing} failed`, error)),
    Effect.catch((error) =>
      error instanceof StoreError && error.isRetryable
        ? Effect.fail(error)
        : Effect.succeed(failed(toRunError(error)))
    ),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterrupts(cause),
      (cause) =>
        Effect.as(
          Effect.logError(`${thing} died`, cause),
          failed({ code: "internal", message: "The run failed unexpectedly." })
        )
    )
  )
}

/** Fails where a range ends before it begins. */
export const checkRange = (range: {
  readonly from?: string
  readonly to?: string
}): Effect.Effect<void, Problem> =>
  isEmptyRange(range)
    ? Effect.fail(
        invalid([
          { pointer: "/to", code: "empty_range", message: "The range ends before it begins." }
        ])
      )
    : Effect.void

/**
 * The same rules on candles of another timeframe; fails with every fault where they mean nothing
 * there.
 */
const onTimeframe = (
  definition: StrategyDefinition,
  timeframe: Timeframe
): Effect.Effect<StrategyDefinition, Problem> => {
  if (timeframe === definition.timeframe) return Effect.succeed(definition)
  const moved = { ...definition, timeframe }
  const faults = checkStrategy(moved)
  if (faults.length === 0) return Effect.succeed(moved)
  const detail = `The strategy has no meaning on candles of ${timeframe}.`
  return Effect.fail(
    problem("validation_failed", detail, {
      errors: faults.map(({ code, message }) => ({ pointer: "/timeframe", code, message }))
    })
  )
}

interface RunnableServices {
  readonly code: CodeByName
  readonly strategies: StrategyStore["Service"]
  readonly versions: StrategyVersionStore["Service"]
}

/** A strategy as far as runs look at it, at one of its versions. */
export type StrategyOfRun = Pick<Strategy, "id" | "evidence" | "objective" | "risk_profile"> & {
  readonly definition: StrategyDefinition
} & Partial<VersionPin>

/** Fails where a strategy that was kept names code that this host has not, or no longer. */
export const refuseCode = (
  definition: StrategyDefinition,
  code: CodeByName
): Effect.Effect<void, Problem> => {
  const [fault] = checkCode(definition, code)
  return fault === undefined
    ? Effect.void
    : Effect.fail(
        problem("validation_failed", `${fault.message}.`, {
          errors: [{ ...fault, pointer: "/strategy_id" }]
        })
      )
}

/** The demands of a run on its strategy. */
interface RunRequest {
  readonly strategy_id: string
  readonly strategy_version?: number
  readonly timeframe?: Timeframe
  readonly risk?: RiskProfile | null
  readonly symbols?: ReadonlyArray<string>
}

/** The risk limits of a run: those that were asked for, which may be none, or the strategy's. */
export const riskOfRun = (
  { risk_profile }: Pick<Strategy, "risk_profile">,
  { risk }: Pick<RunRequest, "risk">
): RiskProfile | null => (risk === undefined ? risk_profile : risk)

/** The strategy as it is, which is kept as a version; fails where it is not there or not ready. */
const newestVersion = Effect.fnUntraced(function* (
  { strategies, versions }: RunnableServices,
  accountId: string,
  id: string
): Effect.fn.Return<StrategyOfRun, Problem | StoreError> {
  const strategy = Option.getOrNull(yield* strategies.get(accountId, id))
  if (strategy === null) {
    const message = `The strategy ${id} does not exist.`
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
  return { ...strategy, definition, ...(yield* keepVersion({ versions }, strategy)) }
})

/** A version of a strategy, which may be there no more; fails where it never was. */
const namedVersion = Effect.fnUntraced(function* (
  services: RunnableServices,
  accountId: string,
  id: string,
  number: number
): Effect.fn.Return<StrategyOfRun, Problem | StoreError> {
  const { versions } = services
  const found = Option.getOrNull(yield* versions.get(accountId, id, number))
  if (found !== null) {
    const { definition_hash, version: strategy_version } = found
    return { ...found, id, strategy_version, definition_hash }
  }
  const newest = yield* newestVersion(services, accountId, id)
  if (newest.strategy_version === number) return newest
  const message = `The strategy ${id} has no version ${number}.`
  return yield* invalid([{ pointer: "/strategy_version", code: "unknown_version", message }])
})

/**
 * The strategy of a run, at the version that it names. Fails with `unknown_strategy` or
 * `strategy_not_ready`, and where it and the rest of the request don't go together.
 */
export const strategyOfRun = Effect.fnUntraced(function* (
  services: RunnableServices,
  accountId: string,
  request: RunRequest
): Effect.fn.Return<
  { readonly strategy: StrategyOfRun; readonly definition: StrategyDefinition },
  Problem | StoreError
> {
  const { risk, strategy_id: id, strategy_version: number, symbols, timeframe } = request
  const strategy = yield* number === undefined
    ? newestVersion(services, accountId, id)
    : namedVersion(services, accountId, id, number)
  const { definition } = strategy
  yield* refuseCode(definition, services.code)
  const risky = risk === undefined ? "/strategy_id" : "/risk/is_stop_loss_mandatory"
  yield* refuseUnstopped(definition, riskOfRun(strategy, request), risky)
  const where = symbols === undefined ? "/strategy_id" : "/symbols"
  yield* refuseMixedQuotes(symbols ?? definition.symbols, where)
  yield* refuseUnread(definition, symbols ?? definition.symbols, where)
  return { strategy, definition: yield* onTimeframe(definition, timeframe ?? definition.timeframe) }
})

/** Which version a run goes by, for its record. */
export const versionPinOf = ({ definition_hash, strategy_version }: StrategyOfRun) =>
  definition_hash === undefined || strategy_version === undefined
    ? {}
    : { definition_hash, strategy_version }

/** The strategy of a run that is carried out: the version that it was pinned to. */
export const pinnedRequest = <Request extends RunRequest>(
  request: Request,
  pinned: { readonly strategy_version?: number }
): Request =>
  pinned.strategy_version === undefined
    ? request
    : { ...request, strategy_version: pinned.strategy_version }
