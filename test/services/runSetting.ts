/**
 * The setting of the tests of runs: the services over the memory store, candles with an edge in
 * them, and a strategy.
 */
import {
  operatorAccountId,
  Backtests,
  type CandleColumns,
  Candles,
  CodeStrategies,
  Events,
  EventPublisher,
  Ids,
  Markets,
  makeColumns,
  Optimizations,
  RunEngine,
  Runs,
  type RunsOptions,
  Strategies,
  type StrategyDefinition,
  WorkerPool,
  type WorkerPoolOptions
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { type Context, Effect, Layer, Scope } from "effect"
import { itIs2026 } from "./setting.ts"
import { makeRandom } from "../../packages/engine/src/kernel/random.ts"

export const accountId = "acc_01ARZ3NDEKTSV4RRFFQ69G5FAV"
export const otherAccountId = "acc_01ARZ3NDEKTSV4RRFFQ69G5FAW"

/** Takes what is published, in order. */
export class Published {
  readonly bodies: Array<{ readonly event: string; readonly data: Record<string, unknown> }> = []
}

export type EngineOptions = WorkerPoolOptions &
  RunsOptions & {
    /** Takes the results of tasks as they come from the threads. */
    readonly results?: Array<unknown>
  }

const pools = new Map<string | null, Promise<Context.Context<WorkerPool>>>()

/** A pool of one thread, which ends with the process. */
const startPool = (code: typeof CodeStrategies.Service) =>
  Effect.runPromise(
    WorkerPool.layer({ size: 1 }).pipe(
      Layer.build,
      Effect.provideService(CodeStrategies, code),
      Scope.provide(Scope.makeUnsafe())
    )
  )

/**
 * A pool of one thread that all tests of a process have in common. A thread takes longer to load
 * than most of its tasks do.
 */
export const sharedPool = Layer.effectContext(
  Effect.gen(function* () {
    const code = yield* CodeStrategies
    const pool = pools.get(code.module) ?? startPool(code)
    pools.set(code.module, pool)
    return yield* Effect.promise(() => pool)
  })
)

const watched = ({ results, script, size = 1 }: EngineOptions) => {
  const isOwn = size > 1 || script !== undefined
  const pool = isOwn ? WorkerPool.layer({ size, script }) : sharedPool
  if (results === undefined) return pool
  return Layer.effect(
    WorkerPool,
    Effect.map(WorkerPool, ({ run, ...rest }) =>
      WorkerPool.of({
        ...rest,
        run: (task, stop) =>
          Effect.tap(run(task, stop), (result) => Effect.sync(() => void results.push(result)))
      })
    )
  ).pipe(Layer.provide(pool))
}

/** The services that carry runs out, over stores that outlive them. */
export const engineLayer = (options: EngineOptions = {}, published = new Published()) => {
  const Publisher = Layer.succeed(EventPublisher, {
    publish: (event) => Effect.sync(() => void published.bodies.push(JSON.parse(event.body))),
    publishAll: (events) =>
      Effect.sync(() => {
        for (const { body } of events) published.bodies.push(JSON.parse(body))
      })
  })
  return Layer.mergeAll(Backtests.layer, Optimizations.layer, Strategies.layer).pipe(
    Layer.provideMerge(Runs.layerWith(options).pipe(Layer.provide(RunEngine.layerMemory))),
    Layer.provideMerge(
      Layer.mergeAll(watched(options), Candles.layer, Markets.layer, Events.layer)
    ),
    Layer.provideMerge(Layer.mergeAll(Ids.layer, Publisher)),
    // Before anything sleeps, which would otherwise be woken for every second since 1970.
    Layer.provide(Layer.effectDiscard(itIs2026))
  )
}

/** All of it. */
export const appLayer = (options: EngineOptions = {}, published = new Published()) =>
  Layer.provideMerge(engineLayer(options, published), MemoryStore.layer)

const hourMs = 3_600_000
const startMs = Date.UTC(2023, 0, 2)

/** Hourly candles that come back to their mean, as strongly as `pull` says; 0 is noise. */
export const walkCandles = (seed: number, length: number, pull = 0.3): CandleColumns => {
  const random = makeRandom(seed)
  const columns = makeColumns(length)
  let price = 100
  let average = 100
  for (let index = 0; index < length; index++) {
    const change = 0.006 * random.normal() - pull * Math.log(price / average)
    const open = price
    const close = Math.round(open * Math.exp(change) * 10_000) / 10_000
    columns.time[index] = startMs + index * hourMs
    columns.open[index] = open
    columns.close[index] = close
    columns.high[index] = Math.round(Math.max(open, close) * 10_020) / 10_000
    columns.low[index] = Math.round(Math.min(open, close) * 9_980) / 10_000
    columns.volume[index] = 100
    price = close
    average += 0.05 * (price - average)
  }
  return columns
}

export const symbol = "ABC/USD"

/** The same candles ten years earlier: an import takes none of the future. */
export const tenYearsEarlier = (columns: CandleColumns): CandleColumns => ({
  ...columns,
  time: columns.time.map((at) => at - 3_650 * 86_400_000)
})

/** Keeps a series of candles. */
export const keepCandles = (columns: CandleColumns, name = symbol) =>
  Effect.flatMap(Candles, (candles) =>
    candles.import(operatorAccountId, {
      key: { symbol: name, timeframe: "1h" },
      columns,
      source: "a test"
    })
  )

/** A strategy that buys below its average. */
export const definition: StrategyDefinition = {
  format: 1,
  symbols: [symbol],
  timeframe: "1h",
  parameters: {
    period: { kind: "integer", default: 20, min: 5, max: 60 },
    stop: { kind: "float", default: 0.05, min: 0.01, max: 0.2 }
  },
  long: {
    enter: {
      type: "below",
      left: { type: "price", field: "close" },
      right: {
        type: "mul",
        left: { type: "sma", period: { parameter: "period" } },
        right: { type: "constant", value: 0.99 }
      }
    },
    exit: {
      type: "above",
      left: { type: "price", field: "close" },
      right: { type: "sma", period: { parameter: "period" } }
    }
  },
  exits: { stop_loss: { type: "fraction", value: { parameter: "stop" } } }
}

/** Writes that strategy, or one with changes. */
export const writeStrategy = (changes: Partial<StrategyDefinition> = {}) =>
  Effect.flatMap(Strategies, (strategies) =>
    strategies.write(accountId, { name: "Dips", definition: { ...definition, ...changes } })
  )

/** The events that wait to be published, or were. */
export const eventsOf = (published: Published, name: string) =>
  Effect.gen(function* () {
    const events = yield* Events
    yield* events.flush
    return published.bodies.filter(({ event }) => event === name).map(({ data }) => data)
  })
