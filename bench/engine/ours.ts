/**
 * The engine that is measured as "ours": the only lines to change when there is a faster one.
 *
 * What it has goes over the plain path method by method, `{ ...plainEngine, runMany, path: {
 * ...plainEngine.path, runMany: "fast", runManyOnWorkers: "fast" }, runsMax: Infinity }`, so that
 * rows become judged one after the other.
 */
import type { Engine } from "./Engine.ts"
import { fastEngine } from "./fastEngine.ts"
import { fastLive } from "./fastLive.ts"
import { plainEngine } from "./plainEngine.ts"
import { runManyOnWorkers } from "./runManyOnWorkers.ts"

export const ours: Engine = {
  ...plainEngine,
  ...fastEngine,
  ...fastLive,
  name: "the fast path (events, in WebAssembly)",
  path: {
    ...plainEngine.path,
    backtest: "fast",
    runMany: "fast",
    indicators: "fast",
    makeBots: "fast",
    runManyOnWorkers: "fast"
  },
  runManyOnWorkers,
  runsMax: Infinity
}
