/**
 * The operations on the backtests of an account: they start, follow, cancel and read.
 *
 * A backtest is a run, and goes through the queue to a worker thread. Its report stays until the
 * operator's `Retention` removes it. `backtest` of the research entry does the same in one call,
 * and keeps nothing.
 *
 * **Example** (A strategy that is not there)
 *
 * ```ts
 * import { Candlewick } from "@candlewick/core"
 * import { MemoryStore } from "@candlewick/store-memory"
 *
 * const candlewick = await Candlewick.open({ store: MemoryStore.layer })
 * await candlewick.backtests
 *   .run({ strategy_id: "str_01ARZ3NDEKTSV4RRFFQ69G5FAV" })
 *   .catch(({ code }) => console.log(code))
 * await candlewick.close()
 * ```
 *
 * ```text output
 * unknown_strategy
 * ```
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer } from "effect"
import type { Backtest, BacktestConfig, BacktestRequest } from "../../../domain/Backtest.ts"
import {
  fromTimestamp,
  isMultipleOf,
  type ParameterValues,
  resolveParameters,
  type StrategyDefinition,
  timeframeMs,
  toPointer,
  toTimestamp
} from "@candlewick/engine"
import { Limits } from "../../../domain/Limits.ts"
import type { MarketPin, NamedRevisions } from "../../../domain/Market.ts"
import { invalid, type Problem } from "../../../domain/Problem.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import { type CandleColumns, toSharedColumns } from "@candlewick/engine/kernel"
import { BacktestStore } from "../../../ports/BacktestStore.ts"
import { JudgementStore } from "../../../ports/JudgementStore.ts"
import { StrategyStore } from "../../../ports/StrategyStore.ts"
import { StrategyVersionStore } from "../../../ports/StrategyVersionStore.ts"
import { Transactor } from "../../../ports/Transactor.ts"
import { Candles } from "../../candles/Candles.ts"
import { withReplaced } from "../../candles/replacedCandles.ts"
import { refuseForbiddenShorts } from "../../strategies/forbiddenShorts.ts"
import { CodeStrategies } from "../../strategies/CodeStrategies.ts"
import { Events } from "../../events/Events.ts"
import type { backtestOperations } from "../../../domain/operations/runOperations.ts"
import type { MethodsOf } from "../../methodsOf.ts"
import { Ids } from "../../Ids.ts"
import { announce, nowTimestamp } from "../../events/announce.ts"
import { type RunEnd, runLifecycle } from "../runLifecycle.ts"
import {
  checkRange,
  pinnedRequest,
  queuedRun,
  riskOfRun,
  type StrategyOfRun,
  strategyOfRun,
  versionPinOf
} from "../runRecords.ts"
import {
  type AskedRevision,
  findCandles,
  loadCandles,
  loadedPins,
  pinsOf,
  qualityOf,
  type RunCandles,
  type RunRange,
  toSetting
} from "../runSetting.ts"
import { judgeStretches } from "../judgeStretches.ts"
import { Runs } from "../Runs.ts"
import { type RunHandle } from "../RunSource.ts"
import { type TaskFailed, WorkerPool } from "../workers/WorkerPool.ts"

/**
 * Backtests of an account.
 *
 * @category services
 * @since 0.1.0
 */
export class Backtests extends Context.Service<Backtests, MethodsOf<typeof backtestOperations>>()(
  "@candlewick/core/services/Backtests"
) {
  /**
   * Backtests over the stores and the worker threads; unfinished ones of an ended process are taken
   * up again.
   */
  static readonly layer = Layer.effect(
    Backtests,
    Effect.gen(function* () {
      const services = yield* makeServices
      const told = withReplaced(services)
      const { begin, ...methods } = yield* runLifecycle<Backtest>({
        kind: "backtest",
        thing: "backtest",
        runs: services.runs,
        store: services.backtests,
        transactor: services.transactor,
        liveFields: () => ({}),
        compute: (backtest, handle) => compute(services, backtest, handle),
        announce: (backtest) => announceEnd(services, backtest),
        forget: () => undefined
      })
      return Backtests.of({
        ...methods,
        get: (accountId, id) => Effect.flatMap(methods.get(accountId, id), told),
        wait: (accountId, id, seconds) =>
          Effect.flatMap(methods.wait(accountId, id, seconds), told),
        start: Effect.fn("Backtests.start")(function* (accountId, request) {
          const strategy = yield* checkRequest(services, accountId, request)
          return yield* begin(accountId, firstRecord(services, accountId, strategy, request))
        })
      })
    })
  )
}

const makeServices = Effect.gen(function* () {
  return {
    backtests: yield* BacktestStore,
    candles: yield* Candles,
    code: (yield* CodeStrategies).byName,
    events: yield* Events,
    ids: yield* Ids,
    judgements: yield* JudgementStore,
    pool: yield* WorkerPool,
    runs: yield* Runs,
    strategies: yield* StrategyStore,
    transactor: yield* Transactor,
    versions: yield* StrategyVersionStore
  }
})

type Services = Effect.Success<typeof makeServices>

/** The parameters of a run; fails with a fault for each that is not right. */
const parametersOf = (
  definition: StrategyDefinition,
  overrides: ParameterValues | undefined
): Effect.Effect<ParameterValues, Problem> =>
  Effect.mapError(Effect.fromResult(resolveParameters(definition, overrides)), (faults) =>
    invalid(faults)
  )

/** The revisions that a request names by symbol, or as a result lists them. */
const revisionsOf = ({
  market_revisions: named = {}
}: BacktestRequest): Readonly<Record<string, AskedRevision>> => {
  const isList = (one: NamedRevisions): one is ReadonlyArray<MarketPin> => Array.isArray(one)
  const entries = isList(named)
    ? named.map((pin, index) => [pin.symbol, pin, String(index)] as const)
    : Object.entries(named).map(([symbol, one]) => [symbol, one, symbol] as const)
  return Object.fromEntries(
    entries.map(([symbol, one, place]) => [
      symbol,
      { named: one, pointer: toPointer(["market_revisions", place]) }
    ])
  )
}

const rangeOf = (
  accountId: string,
  definition: StrategyDefinition,
  request: BacktestRequest
): RunRange => ({
  accountId,
  symbols: request.symbols ?? definition.symbols,
  timeframe: definition.timeframe,
  from: request.from,
  to: request.to,
  revisions: revisionsOf(request)
})

/** The strategy of a request that can be carried out; fails with everything that is wrong. */
const checkRequest = Effect.fnUntraced(function* (
  services: Services,
  accountId: string,
  request: BacktestRequest
): Effect.fn.Return<StrategyOfRun, Problem | StoreError> {
  const { candles } = services
  const { strategy, definition } = yield* strategyOfRun(services, accountId, request)
  yield* parametersOf(definition, request.parameters)
  yield* checkRange(request)
  yield* checkRevisions(definition, request)
  // So that a caller hears of missing candles at once.
  const datasets = yield* findCandles(candles, rangeOf(accountId, definition, request))
  const where = request.symbols === undefined ? "/strategy_id" : "/symbols"
  yield* refuseForbiddenShorts(definition, datasets, where)
  yield* detailOf(candles, accountId, definition, request)
  return strategy
})

/** Fails where a revision is named of a market that the run is not for. */
const checkRevisions = (
  definition: StrategyDefinition,
  request: BacktestRequest
): Effect.Effect<void, Problem> => {
  const { symbols = definition.symbols } = request
  const others = Object.entries(revisionsOf(request)).filter(
    ([symbol]) => !symbols.includes(symbol)
  )
  if (others.length === 0) return Effect.void
  const message = "The run is not for this market"
  return Effect.fail(
    invalid(others.map(([, { pointer }]) => ({ pointer, code: "not_allowed", message })))
  )
}

/** The shorter candles of each market that a request asks for; fails where they show nothing. */
const detailOf = Effect.fnUntraced(function* (
  candles: Candles["Service"],
  accountId: string,
  definition: StrategyDefinition,
  request: BacktestRequest
): Effect.fn.Return<ReadonlyArray<CandleColumns> | null, Problem | StoreError> {
  const { detail_timeframe: timeframe } = request
  if (timeframe === undefined) return null
  if (timeframe === definition.timeframe || !isMultipleOf(definition.timeframe, timeframe)) {
    const message = `Candles of ${timeframe} are no parts of candles of ${definition.timeframe}.`
    return yield* invalid([{ pointer: "/detail_timeframe", code: "not_allowed", message }])
  }
  const { symbols, ...range } = rangeOf(accountId, definition, request)
  const found = yield* findCandles(candles, { ...range, symbols, timeframe }, "/detail_timeframe")
  return found.map(({ columns }) => columns)
})

const firstRecord = Effect.fnUntraced(function* (
  { ids }: Services,
  accountId: string,
  strategy: StrategyOfRun,
  request: BacktestRequest
): Effect.fn.Return<Backtest> {
  return {
    id: yield* ids.make("backtest"),
    account_id: accountId,
    strategy_id: strategy.id,
    ...versionPinOf(strategy),
    request,
    ...queuedRun(yield* nowTimestamp),
    report: null,
    version: 1
  }
})

/** Announces how a backtest ended, unless it was cancelled. */
const announceEnd = (
  { events, ids }: Services,
  { account_id, error, id, report, status, strategy_id }: Backtest
): Effect.Effect<void, StoreError> =>
  status === "cancelled"
    ? Effect.void
    : announce({ events, ids }, account_id, "backtest.complete", {
        backtest_id: id,
        strategy_id,
        status,
        metrics: report?.metrics ?? null,
        error
      })

const configOf = (
  {
    definition,
    strategy
  }: { readonly definition: StrategyDefinition; readonly strategy: StrategyOfRun },
  request: BacktestRequest,
  candles: RunCandles,
  parameters: ParameterValues
): Required<BacktestConfig> => ({
  symbols: [...(request.symbols ?? definition.symbols)],
  timeframe: definition.timeframe,
  from: toTimestamp(candles.firstTime),
  to: toTimestamp(candles.lastTime + timeframeMs(definition.timeframe)),
  initial_capital: request.initial_capital ?? Limits.capitalDefault,
  fees: request.fees ?? null,
  slippage: request.slippage ?? null,
  funding_rate: request.funding_rate ?? null,
  detail_timeframe: request.detail_timeframe ?? null,
  fill: request.fill ?? "next_open",
  end_of_data: request.end_of_data ?? "close",
  risk: riskOfRun(strategy, request),
  parameters
})

/** Whether a run's candles are among those that chose the strategy. */
const overlapsTraining = (
  { evidence }: StrategyOfRun,
  { firstTime, lastTime }: RunCandles
): boolean => {
  const training = evidence?.in_sample
  return (
    training !== null &&
    training !== undefined &&
    firstTime < fromTimestamp(training.to) &&
    lastTime >= fromTimestamp(training.from)
  )
}

const withDetail = (loaded: RunCandles, detail: ReadonlyArray<CandleColumns> | null): RunCandles =>
  detail === null
    ? loaded
    : {
        ...loaded,
        markets: loaded.markets.map((market, index) => ({
          ...market,
          detail: toSharedColumns(detail[index]!)
        }))
      }

const compute = Effect.fnUntraced(function* (
  services: Services,
  { account_id, request, ...record }: Backtest,
  handle: RunHandle
): Effect.fn.Return<RunEnd<Backtest>, Problem | StoreError | TaskFailed> {
  yield* handle.report(0.05, "load")
  const { candles, pool } = services
  const found = yield* strategyOfRun(services, account_id, pinnedRequest(request, record))
  const { definition } = found
  const values = yield* parametersOf(definition, request.parameters)
  const loaded = yield* loadCandles(candles, rangeOf(account_id, definition, request), request)
  const detail = yield* detailOf(candles, account_id, definition, request)
  const config = configOf(found, request, loaded, values)
  yield* handle.report(0.2, "simulate")
  const task = {
    ...toSetting(withDetail(loaded, detail), {
      capital: config.initial_capital,
      risk: config.risk,
      fill: config.fill,
      endOfData: config.end_of_data
    }),
    type: "backtest" as const,
    definition,
    values,
    about: {
      config,
      quality: qualityOf(loaded),
      markets: pinsOf(loaded),
      overlapsTraining: overlapsTraining(found.strategy, loaded)
    }
  }
  const judged_stretches = yield* judgeStretches(
    services,
    { accountId: account_id, id: record.id },
    loaded
  )
  const { isComplete, report } = yield* pool.run(task, handle.stop)
  // Progress never falls, and how far one that was cancelled has come is not known.
  yield* handle.report(isComplete ? 0.9 : 0, "report")
  return {
    ending: isComplete ? "complete" : "cancel",
    report,
    ...loadedPins(loaded),
    judged_stretches
  }
})
