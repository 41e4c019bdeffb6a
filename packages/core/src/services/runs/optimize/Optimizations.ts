/**
 * The operations on the optimizations of an account: they start, follow, cancel and read.
 *
 * An optimization is a run. Another process takes it up where the first one ended. Its trials are
 * kept apart from its record, and read by page or as one table.
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer } from "effect"
import type { Optimization, OptimizeRequest, TrialOrder } from "../../../domain/Optimization.ts"
import { type Problem, problem } from "../../../domain/Problem.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import { JudgementStore } from "../../../ports/JudgementStore.ts"
import { OptimizationStore } from "../../../ports/OptimizationStore.ts"
import { StrategyStore } from "../../../ports/StrategyStore.ts"
import { StrategyVersionStore } from "../../../ports/StrategyVersionStore.ts"
import { TrialStore } from "../../../ports/TrialStore.ts"
import { Transactor } from "../../../ports/Transactor.ts"
import { Candles } from "../../candles/Candles.ts"
import { withReplaced } from "../../candles/replacedCandles.ts"
import { refuseForbiddenShorts } from "../../strategies/forbiddenShorts.ts"
import { CodeStrategies } from "../../strategies/CodeStrategies.ts"
import { Events } from "../../events/Events.ts"
import type { optimizationOperations } from "../../../domain/operations/runOperations.ts"
import type { MethodsOf } from "../../methodsOf.ts"
import { Ids } from "../../Ids.ts"
import { announce, nowTimestamp } from "../../events/announce.ts"
import { runLifecycle } from "../runLifecycle.ts"
import { optimizeStrategy } from "./optimizeStrategy.ts"
import { refuseUnmet, spaceOf, type Tried } from "./planSearch.ts"
import {
  checkRange,
  queuedRun,
  type StrategyOfRun,
  strategyOfRun,
  versionPinOf
} from "../runRecords.ts"
import { findCandles } from "../runSetting.ts"
import { Runs } from "../Runs.ts"
import { orderedTrials, pageOfTrials } from "./readTrials.ts"
import { WorkerPool } from "../workers/WorkerPool.ts"

/**
 * Optimizations of an account.
 *
 * @category services
 * @since 0.1.0
 */
export class Optimizations extends Context.Service<
  Optimizations,
  MethodsOf<typeof optimizationOperations>
>()("@candlewick/core/services/Optimizations") {
  /**
   * Optimizations over the stores and the worker threads; unfinished ones of an ended process are
   * taken up again.
   */
  static readonly layer = Layer.effect(
    Optimizations,
    Effect.gen(function* () {
      const services = yield* makeServices
      const told = withReplaced(services)
      const { begin, ...methods } = yield* runLifecycle<Optimization>({
        kind: "optimize",
        thing: "optimization",
        runs: services.runs,
        store: services.optimizations,
        transactor: services.transactor,
        liveFields: (id) => services.tried.get(id) ?? {},
        compute: (optimization, handle) => optimizeStrategy(services, optimization, handle),
        announce: (optimization) => announceEnd(services, optimization),
        forget: (id) => services.tried.delete(id)
      })
      const ordered = (accountId: string, id: string, order: TrialOrder) =>
        Effect.flatMap(methods.get(accountId, id), ({ report }) =>
          orderedTrials(services, id, report?.config.objective ?? "sharpe", order)
        )
      return Optimizations.of({
        ...methods,
        get: (accountId, id) => Effect.flatMap(methods.get(accountId, id), told),
        wait: (accountId, id, seconds) =>
          Effect.flatMap(methods.wait(accountId, id, seconds), told),
        trials: (accountId, id, page) =>
          Effect.map(ordered(accountId, id, page), (found) => pageOfTrials(found, page)),
        trialTable: (accountId, id, order) =>
          Effect.map(ordered(accountId, id, order), ({ indices, rows }) => ({
            columns: rows.names,
            rows: indices.map(rows.valuesAt)
          })),
        start: Effect.fn("Optimizations.start")(function* (accountId, request) {
          const strategy = yield* checkRequest(services, accountId, request)
          return yield* begin(accountId, firstRecord(services, accountId, strategy, request))
        })
      })
    })
  )
}

const makeServices = Effect.gen(function* () {
  return {
    candles: yield* Candles,
    code: (yield* CodeStrategies).byName,
    events: yield* Events,
    ids: yield* Ids,
    judgements: yield* JudgementStore,
    optimizations: yield* OptimizationStore,
    pool: yield* WorkerPool,
    runs: yield* Runs,
    strategies: yield* StrategyStore,
    transactor: yield* Transactor,
    trials: yield* TrialStore,
    tried: new Map() as Tried,
    versions: yield* StrategyVersionStore
  }
})

type Services = Effect.Success<typeof makeServices>

/** The strategy of a request that can be carried out; fails with everything that is wrong. */
const checkRequest = Effect.fnUntraced(function* (
  services: Services,
  accountId: string,
  request: OptimizeRequest
): Effect.fn.Return<StrategyOfRun, Problem | StoreError> {
  const { candles } = services
  const { strategy, definition } = yield* strategyOfRun(services, accountId, request)
  const space = yield* spaceOf(definition, request)
  yield* refuseUnmet(space, request)
  if (request.method === "grid" && space.size === null) {
    const message = "A grid needs a step for each parameter; give one, or search at random."
    return yield* problem("validation_failed", message, {
      errors: [{ pointer: "/method", code: "no_step", message }]
    })
  }
  const { from, to } = request
  const symbols = request.symbols ?? definition.symbols
  yield* checkRange(request)
  const range = { accountId, symbols, timeframe: definition.timeframe, from, to }
  const where = request.symbols === undefined ? "/strategy_id" : "/symbols"
  yield* refuseForbiddenShorts(definition, yield* findCandles(candles, range), where)
  return strategy
})

const firstRecord = Effect.fnUntraced(function* (
  { ids }: Services,
  accountId: string,
  strategy: StrategyOfRun,
  request: OptimizeRequest
): Effect.fn.Return<Optimization> {
  return {
    id: yield* ids.make("optimization"),
    account_id: accountId,
    strategy_id: strategy.id,
    ...versionPinOf(strategy),
    request,
    ...queuedRun(yield* nowTimestamp),
    completed_trials: 0,
    total_trials: null,
    best_so_far: null,
    report: null,
    version: 1
  }
})

/** Announces an optimization that was completed. */
const announceEnd = (
  { events, ids }: Services,
  { account_id, id, report, status, strategy_id }: Optimization
): Effect.Effect<void, StoreError> => {
  if (status !== "completed") return Effect.void
  const best = report?.best ?? null
  return announce({ events, ids }, account_id, "strategy.optimized", {
    optimization_id: id,
    strategy_id,
    objective: report?.config.objective ?? null,
    best_parameters: best?.parameters ?? null,
    in_sample: best?.in_sample.metrics ?? null,
    out_of_sample: best?.out_of_sample.metrics ?? null
  })
}
