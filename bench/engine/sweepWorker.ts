/**
 * A worker that runs its share of a sweep over candles in shared memory.
 */
import { parentPort } from "node:worker_threads"
import { fromSharedColumns } from "@candlewick/core/kernel"
import type { Run, RunSetting } from "./Engine.ts"
import { fastEngine } from "./fastEngine.ts"

/** What a worker is asked. */
export interface SweepRequest {
  readonly candles: SharedArrayBuffer
  readonly runs: ReadonlyArray<Run>
  readonly setting: RunSetting
}

parentPort?.on("message", ({ candles, runs, setting }: SweepRequest) => {
  const figures = fastEngine.runMany(fromSharedColumns(candles), runs, setting)
  parentPort?.postMessage(figures, [figures.buffer as ArrayBuffer])
})
