/**
 * Makes the plan of a search from its request: rules, candles, the sets to try and the two
 * stretches.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import {
  type CodeByName,
  checkConstraints,
  drawnPoints,
  gridPoints,
  narrowSpace,
  type ParameterValues,
  type SearchSpace,
  type StrategyDefinition,
  type Timeframe,
  timeframeMs,
  toRanges,
  toTimestamp
} from "@candlewick/engine"
import { Limits } from "../../../domain/Limits.ts"
import type {
  Optimization,
  OptimizationReport,
  OptimizeRequest
} from "../../../domain/Optimization.ts"
import { invalid, type Problem } from "../../../domain/Problem.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import { makeRandom } from "@candlewick/engine/kernel"
import type { JudgementStore } from "../../../ports/JudgementStore.ts"
import type { StrategyStore } from "../../../ports/StrategyStore.ts"
import type { TrialStore } from "../../../ports/TrialStore.ts"
import type { StrategyVersionStore } from "../../../ports/StrategyVersionStore.ts"
import type { Candles } from "../../candles/Candles.ts"
import type { WorkerPool } from "../workers/WorkerPool.ts"
import { pinnedRequest, riskOfRun, strategyOfRun } from "../runRecords.ts"
import { loadCandles, type RunCandles, splitSetting, splitTime, toSetting } from "../runSetting.ts"
import type { TaskSetting } from "../workers/tasks.ts"

/** The trials of the runs under way, by id. */
export type Tried = Map<
  string,
  Pick<Optimization, "completed_trials" | "total_trials" | "best_so_far">
>

/** The services of searches. */
export interface SearchServices {
  readonly code: CodeByName
  readonly candles: Candles["Service"]
  readonly judgements: JudgementStore["Service"]
  readonly pool: WorkerPool["Service"]
  readonly strategies: StrategyStore["Service"]
  readonly trials: TrialStore["Service"]
  readonly tried: Tried
  readonly versions: StrategyVersionStore["Service"]
}

/**
 * The parameters to search, with the bounds that the caller changed; fails with a fault for each
 * range.
 */
export const spaceOf = (
  definition: StrategyDefinition,
  request: OptimizeRequest
): Effect.Effect<SearchSpace, Problem> =>
  Effect.mapError(Effect.fromResult(narrowSpace(definition, request.parameters ?? [])), (faults) =>
    invalid(faults)
  )

/** Everything that an optimization is made of, with its defaults filled in. */
export interface SearchPlan {
  readonly definition: StrategyDefinition
  readonly candles: RunCandles
  readonly config: OptimizationReport["config"]
  readonly points: ReadonlyArray<ParameterValues>
  readonly before: TaskSetting
  readonly after: TaskSetting
  /** Into how many parts the trials' returns are cut; 0 where there are too few. */
  readonly blockCount: number
}

/** Fails where a constraint names no parameter, or no parameter set meets them all. */
export const refuseUnmet = (
  space: SearchSpace,
  request: OptimizeRequest
): Effect.Effect<void, Problem> => {
  const { constraints = [], method = "random", seed = 0 } = request
  const faults = checkConstraints(space, constraints)
  if (faults.length > 0) return Effect.fail(invalid(faults))
  if (constraints.length === 0) return Effect.void
  if (pointsOf(space, method, 20, seed, constraints).length > 0) return Effect.void
  const message = "No parameter set of the search meets the constraints."
  return Effect.fail(invalid([{ pointer: "/constraints", code: "unmet", message }]))
}

/** The parameter sets to try: all of a small grid, else points drawn each from its own number. */
const pointsOf = (
  space: SearchSpace,
  method: "grid" | "random",
  count: number,
  seed: number,
  constraints: ReadonlyArray<string> = []
): ReadonlyArray<ParameterValues> => {
  const { size } = space
  if (size !== null && (size <= count || method === "grid")) {
    return gridPoints(space, count, constraints)
  }
  const random = makeRandom(seed)
  return drawnPoints(space, count, (index) => random.fork(index).next, constraints)
}

const seedMax = 2 ** 32

/** A seed of its own for a run that named none, the same after a restart. */
const seedOf = (id: string): number => Math.floor(makeRandom(id).next() * seedMax)

/** The parts that returns are cut into: fewer for many trials, each of two returns at least. */
const blockCountOf = (trialCount: number, candleCount: number, timeframe: Timeframe): number => {
  const perReturn = Math.max(1, timeframeMs("1d") / timeframeMs(timeframe))
  const most = trialCount <= 400 ? 16 : trialCount <= 4_000 ? 12 : 10
  const fitting = 2 * Math.floor(candleCount / perReturn / 4)
  return fitting < 4 ? 0 : Math.min(most, fitting)
}

/** Makes the plan of a search from its request; fails where it can't be carried out any more. */
export const planSearch = Effect.fnUntraced(function* (
  services: SearchServices,
  { account_id, id, request, ...record }: Optimization
): Effect.fn.Return<SearchPlan, Problem | StoreError> {
  const { candles } = services
  const pinned = pinnedRequest(request, record)
  const { strategy, definition } = yield* strategyOfRun(services, account_id, pinned)
  const space = yield* spaceOf(definition, request)
  const { timeframe } = definition
  const symbols = request.symbols ?? definition.symbols
  const range = { accountId: account_id, symbols, timeframe, from: request.from, to: request.to }
  const loaded = yield* loadCandles(candles, range, request)
  const method = request.method ?? "random"
  const seed = request.seed ?? seedOf(id)
  const { constraints, max_trials: count = Limits.optimizeTrialsDefault } = request
  const points = pointsOf(space, method, count, seed, constraints)
  const rate = request.in_sample_rate ?? 0.7
  const splitAt = splitTime(loaded, rate)
  const risk = riskOfRun(strategy, request)
  const capital = request.initial_capital ?? Limits.capitalDefault
  const setting = toSetting(loaded, { capital, risk })
  return {
    definition,
    candles: loaded,
    points,
    blockCount: blockCountOf(
      points.length,
      (splitAt - loaded.firstTime) / timeframeMs(timeframe),
      timeframe
    ),
    ...splitSetting(setting, loaded.datasets, splitAt),
    config: {
      symbols: [...symbols],
      timeframe,
      from: toTimestamp(loaded.firstTime),
      to: toTimestamp(loaded.lastTime + timeframeMs(timeframe)),
      split_at: toTimestamp(splitAt),
      objective: request.objective ?? strategy.objective ?? "sharpe",
      method,
      max_trials: points.length,
      in_sample_rate: rate,
      min_positions: request.min_positions ?? 5,
      initial_capital: capital,
      risk,
      seed,
      space: toRanges(space),
      ...(constraints !== undefined && { constraints }),
      ...(request.walk_forward !== undefined && { walk_forward: request.walk_forward }),
      space_size: space.size
    }
  }
})
