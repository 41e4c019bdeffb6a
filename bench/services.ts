/**
 * The services that benchmarks run on: everything in memory, threads as many as there are by
 * default.
 */
import { Effect, Layer } from "effect"
import {
  Backtests,
  Candles,
  Events,
  EventPublisher,
  Ids,
  Optimizations,
  Runs,
  Strategies,
  WorkerPool
} from "../packages/core/src/index.ts"
import { MemoryStore } from "../packages/store-memory/src/index.ts"

const Publisher = Layer.succeed(EventPublisher, {
  publish: () => Effect.void,
  publishAll: () => Effect.void
})

const App = Layer.mergeAll(Backtests.layer, Optimizations.layer, Strategies.layer).pipe(
  Layer.provideMerge(Runs.layer),
  Layer.provideMerge(Layer.mergeAll(WorkerPool.layer(), Candles.layer, Events.layer)),
  Layer.provideMerge(Layer.mergeAll(Ids.layer, Publisher)),
  Layer.provideMerge(MemoryStore.layer)
)

/** Runs a benchmark over the services. */
export const runServices = <A, E>(
  program: Effect.Effect<A, E, Layer.Success<typeof App>>
): Promise<A> => Effect.runPromise(Effect.provide(program, App) as Effect.Effect<A, E>)
