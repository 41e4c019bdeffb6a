/**
 * Strategies: generated, written by hand, read, changed and removed.
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer, Option } from "effect"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { Problem } from "../domain/Problem.ts"
import type { StoreError } from "../domain/StoreError.ts"
import {
  type GenerateRequest,
  riskProfileOf,
  type Strategy,
  type StrategyChanges,
  type StrategyRequest
} from "../domain/Strategy.ts"
import { describeStrategy } from "../interpreters/describeStrategy.ts"
import { BotStore } from "../ports/BotStore.ts"
import { StrategyStore } from "../ports/StrategyStore.ts"
import { Transactor } from "../ports/Transactor.ts"
import { Candles } from "./Candles.ts"
import { Events } from "./Events.ts"
import { Ids } from "./Ids.ts"
import { announce, nowTimestamp } from "./internal/announce.ts"
import { runMethods } from "./internal/runs/runMethods.ts"
import { replacing } from "./internal/refusals.ts"
import {
  generateStrategy,
  seedOfRequest,
  symbolsOfRequest
} from "./internal/runs/generateStrategy.ts"
import { checkRange, endOfRun } from "./internal/runs/runRecords.ts"
import { toGeneratedFields } from "./internal/runs/strategyRecords.ts"
import {
  blankStrategy,
  removeStrategy,
  updateStrategy,
  writeStrategy
} from "./internal/runs/writtenStrategies.ts"
import { type RunHandle, type RunProgress, Runs } from "./Runs.ts"
import { WorkerPool } from "./WorkerPool.ts"

/**
 * Strategies of an account.
 *
 * @category services
 * @since 0.1.0
 */
export class Strategies extends Context.Service<
  Strategies,
  {
    /** Begins a generation and answers at once with the strategy, `generating`. */
    readonly generate: (
      accountId: string,
      request: GenerateRequest
    ) => Effect.Effect<Strategy, Problem | StoreError>

    /**
     * Keeps a strategy that was written by hand; fails with `validation_failed` and every fault.
     */
    readonly write: (
      accountId: string,
      request: StrategyRequest
    ) => Effect.Effect<Strategy, Problem | StoreError>

    /** Finds a strategy; fails with `not_found`. */
    readonly get: (accountId: string, id: string) => Effect.Effect<Strategy, Problem | StoreError>

    /** The account's strategies, newest first. */
    readonly list: (
      accountId: string,
      page: PageRequest
    ) => Effect.Effect<Page<Strategy>, StoreError>

    /** Changes a strategy; `version` guards against lost updates. */
    readonly update: (
      accountId: string,
      id: string,
      changes: StrategyChanges,
      version?: number
    ) => Effect.Effect<Strategy, Problem | StoreError>

    /** Removes a strategy that no bot uses; fails with `conflict` otherwise. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<void, Problem | StoreError>

    /** Asks a generation to end; it keeps nothing. */
    readonly cancel: (
      accountId: string,
      id: string
    ) => Effect.Effect<Strategy, Problem | StoreError>

    /** The strategy once its generation is over, or as it is after `seconds`. */
    readonly wait: (
      accountId: string,
      id: string,
      seconds: number
    ) => Effect.Effect<Strategy, Problem | StoreError>
  }
>()("@candlewick/core/services/Strategies") {
  /**
   * Strategies over the stores and the worker threads; what a restart interrupted is queued again.
   */
  static readonly layer = Layer.effect(
    Strategies,
    Effect.gen(function* () {
      const world: World = yield* makeWorld
      const { runs, strategies } = world
      for (const one of yield* strategies.listUnfinished) yield* submit(world, one)
      const methods = runMethods<Strategy>({
        thing: "strategy",
        runs,
        store: strategies,
        live: (record) => withProgress(world, record),
        isOver: ({ status }) => status !== "generating"
      })
      return Strategies.of({
        ...methods,
        generate: (accountId, request) => generate(world, accountId, request),
        write: (accountId, request) => writeStrategy(world, accountId, request),
        update: (accountId, id, changes, version) =>
          replacing(
            updateStrategy(world, accountId, id, changes, version),
            "strategy",
            id,
            version
          ),
        remove: (accountId, id) => replacing(removeStrategy(world, accountId, id), "strategy", id)
      })
    })
  )
}

const makeWorld = Effect.gen(function* () {
  return {
    bots: yield* BotStore,
    candles: yield* Candles,
    events: yield* Events,
    ids: yield* Ids,
    pool: yield* WorkerPool,
    runs: yield* Runs,
    strategies: yield* StrategyStore,
    transactor: yield* Transactor
  }
})

type World = Effect.Success<typeof makeWorld>

/** A strategy that is being generated, with what its run in this process is doing now. */
const withProgress = ({ runs }: World, record: Strategy): Effect.Effect<Strategy> =>
  record.status !== "generating"
    ? Effect.succeed(record)
    : Effect.map(
        runs.progressOf(record.id),
        Option.match({
          onNone: () => record,
          onSome: ({ etaSeconds, progress, queuePosition, step }) => ({
            ...record,
            progress,
            step,
            eta_seconds: etaSeconds,
            queue_position: queuePosition
          })
        })
      )

const generate = Effect.fn("Strategies.generate")(function* (
  world: World,
  accountId: string,
  request: GenerateRequest
): Effect.fn.Return<Strategy, Problem | StoreError> {
  const { candles, ids, runs, strategies } = world
  yield* checkRange(request)
  // So that a caller hears of missing candles at once.
  const symbols = yield* symbolsOfRequest(candles, request)
  const now = yield* nowTimestamp
  const record: Strategy = {
    ...blankStrategy(now),
    id: yield* ids.make("strategy"),
    account_id: accountId,
    name: `${request.objective} on ${symbols[0]!} ${request.timeframe}`,
    status: "generating",
    origin: "generated",
    objective: request.objective,
    risk_tolerance: request.risk_tolerance,
    risk_profile: riskProfileOf(request.risk_tolerance),
    symbols: [...symbols],
    timeframe: request.timeframe,
    // The seed is kept with it, so that a search that is taken up again is the same one.
    request: { ...request, seed: seedOfRequest(request) },
    progress: 0,
    step: "queue"
  }
  const strategy = yield* runs.admit(
    accountId,
    Effect.tap(strategies.insert(record), (kept) => submit(world, kept))
  )
  return yield* withProgress(world, strategy)
})

const submit = (world: World, strategy: Strategy): Effect.Effect<void> =>
  world.runs.submit({
    id: strategy.id,
    accountId: strategy.account_id,
    work: (handle) => carryOut(world, strategy, handle)
  })

const failed = (code: string, message: string) =>
  ({ status: "failed", error: { code, message } }) as const

const carryOut = (world: World, strategy: Strategy, handle: RunHandle): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (yield* handle.isCancelled) return yield* finish(world, strategy, { status: "cancelled" })
    const { request } = strategy
    if (request === undefined) {
      return yield* finish(world, strategy, failed("internal", "The request was not kept."))
    }
    let kept = strategy
    const save = ({ etaSeconds, progress, step }: RunProgress) =>
      Effect.map(
        world.strategies.update({ ...kept, progress, step, eta_seconds: etaSeconds }),
        (next) => {
          kept = next
        }
      )
    const end = yield* endOfRun(
      Effect.map(
        handle.saving(save, generateStrategy(world, request, handle)),
        Option.match({
          onNone: () => ({ status: "cancelled" }) as const,
          onSome: (generated) => ({ status: "ready", ...generated }) as const
        })
      ),
      `generation ${strategy.id}`
    )
    yield* finish(world, kept, end)
  }).pipe(
    Effect.catch((error) => Effect.logError(`generation ${strategy.id} could not be kept`, error))
  )

/** Keeps how a generation ended, and announces the strategy if there is one. */
const finish = (
  { events, ids, strategies, transactor }: World,
  strategy: Strategy,
  end: Pick<Strategy, "status"> & Partial<Strategy>
): Effect.Effect<void, StoreError> =>
  transactor.transact(
    Effect.gen(function* () {
      const definition = end.definition ?? null
      const kept = yield* strategies.update({
        ...strategy,
        ...end,
        description: definition === null ? null : describeStrategy(definition),
        progress: end.status === "ready" ? 1 : strategy.progress,
        step: "report",
        eta_seconds: null,
        updated_at: yield* nowTimestamp
      })
      if (kept.status !== "ready") return
      const fields = toGeneratedFields(kept)
      yield* announce({ events, ids }, kept.account_id, "strategy.generated", fields)
    })
  )
