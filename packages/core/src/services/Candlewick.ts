/**
 * The whole library: one layer of all services for Effect hosts, one object of promises for
 * everybody else.
 *
 * A host opens it over a store, and closes it when the host ends. It opens no port: `mount` of
 * `@candlewick/http` puts the API over it.
 *
 * **Example** (A host without Effect)
 *
 * ```ts
 * import { Candlewick } from "@candlewick/core"
 * import { MemoryStore } from "@candlewick/store-memory"
 *
 * const candlewick = await Candlewick.open({ store: MemoryStore.layer })
 * const { items } = await candlewick.bots.list({ limit: 10 })
 * console.log(items)
 * await candlewick.close()
 * ```
 *
 * ```text output
 * []
 * ```
 *
 * @since 0.1.0
 */
import {
  Cause,
  type Context,
  Effect,
  Exit,
  Fiber,
  Layer,
  ManagedRuntime,
  Scope,
  Stream
} from "effect"
import type { Backtest, BacktestRequest } from "../domain/Backtest.ts"
import type { DomainEvent } from "../domain/DomainEvent.ts"
import type { Optimization, OptimizeRequest } from "../domain/Optimization.ts"
import { Problem, problem, toCallers } from "../domain/Problem.ts"
import { alertOperations } from "../domain/operations/alertOperations.ts"
import { archivedBotOperations } from "../domain/operations/archivedBotOperations.ts"
import { botOperations } from "../domain/operations/botOperations.ts"
import { candleOperations } from "../domain/operations/candleOperations.ts"
import { marketOperations } from "../domain/operations/marketOperations.ts"
import type { AnyOperation, OperationTable } from "../domain/operations/Operation.ts"
import {
  backtestOperations,
  optimizationOperations,
  strategyOperations
} from "../domain/operations/runOperations.ts"
import { webhookOperations } from "../domain/operations/webhookOperations.ts"
import { finishedRunStatuses } from "../domain/RunMachine.ts"
import type { GenerateRequest, Strategy } from "../domain/Strategy.ts"
import type { StorePorts } from "../ports/StorePorts.ts"
import { Venues } from "../ports/Venue.ts"
import { Accounts } from "./accounts/Accounts.ts"
import { Alerts } from "./bots/Alerts.ts"
import { ArchivedBots } from "./bots/ArchivedBots.ts"
import { Portfolio } from "./bots/Portfolio.ts"
import { portfolioOperations } from "../domain/operations/portfolioOperations.ts"
import { Backtests } from "./runs/backtest/Backtests.ts"
import { Bots } from "./bots/Bots.ts"
import { Candles } from "./candles/Candles.ts"
import { layerCodeStrategies } from "./strategies/CodeStrategies.ts"
import { Events } from "./events/Events.ts"
import { Ids } from "./Ids.ts"
import { LocalEvents } from "./events/LocalEvents.ts"
import { Optimizations } from "./runs/optimize/Optimizations.ts"
import { PaperBooks } from "./bots/PaperBooks.ts"
import { RecordedMarketData, ReplayRate } from "./candles/RecordedMarketData.ts"
import { Markets } from "./markets/Markets.ts"
import { RunEngine } from "./runs/RunEngine.ts"
import { Runs } from "./runs/Runs.ts"
import { Strategies } from "./strategies/Strategies.ts"
import { WebhookEndpoints } from "./webhooks/WebhookEndpoints.ts"
import { StoreHealth } from "./StoreHealth.ts"
import { checkArguments, type MethodsOf, type PromisesOf } from "./methodsOf.ts"
import { checkOpenOptions, type OpenOptions } from "./openOptions.ts"
import { WorkerPool, type WorkerPoolOptions } from "./runs/workers/WorkerPool.ts"

const servicesOn = <E, R>(
  runEngine: Layer.Layer<RunEngine, E, R>,
  options: WorkerPoolOptions = {}
) => {
  const engine = Runs.layer.pipe(
    Layer.provideMerge(WorkerPool.layer(options)),
    Layer.provide(runEngine)
  )
  const ground = Layer.mergeAll(Candles.layer, Markets.layer, Events.layer, engine).pipe(
    Layer.provideMerge(Ids.layer)
  )
  return Layer.mergeAll(
    Accounts.layer,
    Alerts.layer,
    ArchivedBots.layer,
    Backtests.layer,
    Bots.layer,
    Optimizations.layer,
    Portfolio.layer,
    Strategies.layer,
    WebhookEndpoints.layer
  ).pipe(Layer.provideMerge(ground))
}

const servicesLayer = (options: WorkerPoolOptions = {}) =>
  servicesOn(RunEngine.layerMemory, options).pipe(Layer.provide(StoreHealth.guardOfLive))

/** The library for a plain host. @category models @since 0.1.0 */
export interface CandlewickHost {
  readonly accountId: string
  readonly alerts: PromisesOf<typeof alertOperations>
  readonly archivedBots: PromisesOf<typeof archivedBotOperations>
  readonly backtests: PromisesOf<typeof backtestOperations> & {
    /** Starts a backtest and gives it once it is over. */
    readonly run: (request: BacktestRequest) => Promise<Backtest>
  }
  readonly bots: PromisesOf<typeof botOperations>
  readonly candles: PromisesOf<typeof candleOperations>
  readonly markets: PromisesOf<typeof marketOperations>
  readonly optimizations: PromisesOf<typeof optimizationOperations> & {
    /** Starts an optimization and gives it once it is over. */
    readonly run: (request: OptimizeRequest) => Promise<Optimization>
  }
  readonly portfolio: PromisesOf<typeof portfolioOperations>
  readonly strategies: Omit<PromisesOf<typeof strategyOperations>, "generate"> & {
    /** Generates a strategy and gives it once it is ready, or failed. */
    readonly generate: (request: GenerateRequest) => Promise<Strategy>
  }
  readonly webhooks: PromisesOf<typeof webhookOperations>
  /** Passes events on as they are published; the answer ends that. */
  readonly onEvent: (listener: (event: DomainEvent) => void) => () => void
  /**
   * The same, with calls that end when the signal does. Their promises reject, their writes are
   * undone, and a run that they wait for is cancelled.
   */
  readonly withSignal: (signal: AbortSignal) => CandlewickHost
  /**
   * Builds a layer over the services of this host, such as routes of a server. `close` releases it
   * first.
   */
  readonly build: <A, E>(layer: Layer.Layer<A, E, HostServices>) => Promise<Context.Context<A>>
  /** Ends bots, runs and threads, and releases everything. */
  readonly close: () => Promise<void>
}

type Services = Layer.Success<ReturnType<typeof servicesLayer>>

/** The services of a plain host, with its stores. @category models @since 0.1.0 */
export type HostServices = Services | StorePorts

type Call = <A, E>(effect: Effect.Effect<A, E, HostServices>) => Promise<A>

/** The services of a host, until it is closed. */
interface Open {
  readonly runtime: ManagedRuntime.ManagedRuntime<HostServices, Error>
  /** Of layers over the services, which end before those. */
  readonly scope: Scope.Closeable
  isClosed: boolean
}

const closedProblem = (): Problem => problem("unavailable", "This Candlewick was closed.")

/** The rejection of a promise: the answer of a server. */
const toRejection = (error: unknown): unknown =>
  error instanceof Problem ? toCallers(error) : error

const toPromise =
  (open: Open, signal?: AbortSignal): Call =>
  async (effect) => {
    signal?.throwIfAborted()
    if (open.isClosed) throw closedProblem()
    const exit = await open.runtime.runPromiseExit(effect, signal === undefined ? {} : { signal })
    if (Exit.isSuccess(exit)) return exit.value
    signal?.throwIfAborted()
    // The cause that ended a call under way.
    if (open.isClosed) throw closedProblem()
    throw toRejection(Cause.squash(exit.cause))
  }

/** How long one wait for a run lasts before it is renewed. */
const waitSeconds = 60

const isRunOver = ({ status }: Pick<Backtest, "status">): boolean =>
  finishedRunStatuses.includes(status)

interface RunService<Request, Record> {
  readonly start: (accountId: string, request: Request) => Effect.Effect<Record, unknown>
  readonly wait: (accountId: string, id: string, seconds: number) => Effect.Effect<Record, unknown>
  readonly cancel: (accountId: string, id: string) => Effect.Effect<Record, unknown>
}

/** Starts a run and waits for its end; a caller that gives up cancels it. */
const runs =
  <Request, Record extends { readonly id: string }>(
    service: RunService<Request, Record>,
    operation: AnyOperation,
    isOver: (record: Record) => boolean,
    accountId: string,
    call: Call
  ) =>
  (request: Request): Promise<Record> => {
    const untilOver = (id: string): Effect.Effect<Record, unknown> =>
      Effect.flatMap(service.wait(accountId, id, waitSeconds), (record) =>
        isOver(record) ? Effect.succeed(record) : untilOver(id)
      )
    return call(
      Effect.gen(function* () {
        const [checked] = yield* checkArguments(operation, [request])
        // A caller that gives up just as the run is begun has begun it.
        return yield* Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(service.start(accountId, checked as Request), ({ id }) =>
            Effect.onInterrupt(restore(untilOver(id)), () =>
              Effect.ignore(service.cancel(accountId, id))
            )
          )
        )
      })
    )
  }

type Method = (...all: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown, Services>

/** The operations of a table as promises, which check their arguments first. */
const promised = <Table extends OperationTable>(
  table: Table,
  service: { readonly [Name in keyof Table]: unknown },
  call: Call,
  ...first: ReadonlyArray<string>
): PromisesOf<Table> =>
  Object.fromEntries(
    Object.entries(table).map(([name, operation]) => {
      const member = service[name] as Method | ReturnType<Method>
      return [
        name,
        (...rest: ReadonlyArray<unknown>) =>
          call(
            Effect.flatMap(checkArguments(operation, rest), (checked) =>
              typeof member === "function" ? member(...first, ...checked) : member
            )
          )
      ]
    })
  ) as never

const gather = Effect.gen(function* () {
  return {
    alerts: yield* Alerts,
    archivedBots: yield* ArchivedBots,
    backtests: yield* Backtests,
    bots: yield* Bots,
    candles: yield* Candles,
    events: yield* Events,
    markets: yield* Markets,
    optimizations: yield* Optimizations,
    portfolio: yield* Portfolio,
    strategies: yield* Strategies,
    webhooks: yield* WebhookEndpoints
  }
})

const makeHost = (
  open: Open,
  services: Effect.Success<typeof gather>,
  accountId: string,
  signal?: AbortSignal
): CandlewickHost => {
  const call = toPromise(open, signal)
  const { alerts, backtests, bots, candles, events, optimizations, strategies, webhooks } = services
  const own = <Table extends OperationTable>(table: Table, service: MethodsOf<Table>) =>
    promised(table, service, call, accountId)
  return {
    accountId,
    alerts: own(alertOperations, alerts),
    archivedBots: own(archivedBotOperations, services.archivedBots),
    backtests: {
      ...own(backtestOperations, backtests),
      run: runs(backtests, backtestOperations.start, isRunOver, accountId, call)
    },
    bots: own(botOperations, bots),
    candles: own(candleOperations, candles),
    markets: own(marketOperations, services.markets),
    optimizations: {
      ...own(optimizationOperations, optimizations),
      run: runs(optimizations, optimizationOperations.start, isRunOver, accountId, call)
    },
    portfolio: own(portfolioOperations, services.portfolio),
    strategies: {
      ...own(strategyOperations, strategies),
      generate: runs(
        { ...strategies, start: strategies.generate },
        strategyOperations.generate,
        ({ status }) => status !== "generating",
        accountId,
        call
      )
    },
    webhooks: own(webhookOperations, webhooks),
    onEvent: (listener) => {
      const own = Stream.filter(events.published, (event) => event.account_id === accountId)
      const fibre = open.runtime.runFork(
        Stream.runForEach(own, (event) =>
          Effect.sync(() => listener(event)).pipe(
            // A listener that throws still gets the next event.
            Effect.catchDefect((error) => Effect.logError("a listener of events failed", error))
          )
        )
      )
      return () => void Effect.runFork(Fiber.interrupt(fibre))
    },
    withSignal: (other) => makeHost(open, services, accountId, other),
    build: (layer) => call(Layer.buildWithScope(layer, open.scope)),
    close: async () => {
      open.isClosed = true
      await Effect.runPromise(Scope.close(open.scope, Exit.void))
      await open.runtime.dispose()
    }
  }
}

const open = async (options: OpenOptions): Promise<CandlewickHost> => {
  await Effect.runPromise(Effect.mapError(checkOpenOptions(options), toCallers))
  const ports = Layer.mergeAll(
    PaperBooks.layer,
    options.marketData ?? RecordedMarketData.layer,
    options.webhooks ?? LocalEvents.layer
  ).pipe(Layer.provide(Layer.succeed(ReplayRate, options.replayRate ?? 20)))
  const code = options.code === undefined ? Layer.empty : layerCodeStrategies(options.code)
  const app = servicesLayer(options).pipe(
    Layer.provide(ports),
    Layer.provideMerge(options.store),
    Layer.provide(code),
    Layer.provide(
      options.venues === undefined ? Layer.empty : Layer.succeed(Venues, options.venues)
    )
  )
  const opened: Open = {
    runtime: ManagedRuntime.make(app),
    scope: Scope.makeUnsafe(),
    isClosed: false
  }
  const call = toPromise(opened)
  try {
    const services = await call(gather)
    const { accountId } = await call(Effect.flatMap(Accounts, (accounts) => accounts.ensureAdmin()))
    return makeHost(opened, services, accountId)
  } catch (error) {
    // A resource that did open, such as a store's directory, is not held by a host that was never
    // returned.
    await opened.runtime.dispose()
    throw error
  }
}

/**
 * The whole library.
 *
 * **Example** (Embedding it in a plain host)
 *
 * ```ts no-run
 * import { Candlewick } from "@candlewick/core"
 * import { MemoryStore } from "@candlewick/store-memory"
 *
 * const candlewick = await Candlewick.open({ store: MemoryStore.layer })
 * const { name, verdict } = await candlewick.strategies.generate({
 *   objective: "sharpe",
 *   risk_tolerance: "medium",
 *   timeframe: "1h"
 * })
 * await candlewick.close()
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export const Candlewick = {
  /** All services, over the ports that the host provides; runs are carried out here. */
  layer: servicesLayer(),
  /** The same with options. */
  layerWith: servicesLayer,
  /** The same with runs carried out by the engine that the host chose. */
  layerOn: servicesOn,
  /** All services as promises for one account; needs nothing but a store. */
  open
}
