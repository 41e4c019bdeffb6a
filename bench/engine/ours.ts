/**
 * The engine that is measured as "ours": the only lines to change when there is a faster one.
 */
import type { Engine } from "./Engine.ts"
import { fastEngine } from "./fastEngine.ts"
import { fastLive } from "./fastLive.ts"
import { runManyOnWorkers } from "./runManyOnWorkers.ts"

export const ours: Engine = {
  name: "the fast path (events, in WebAssembly)",
  ...fastEngine,
  ...fastLive,
  runManyOnWorkers
}
