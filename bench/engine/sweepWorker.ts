/**
 * A worker that runs its share of a sweep; candles and values are in memory that all threads share.
 */
import type { StrategyDefinition } from "@candlewick/core"
import { fromSharedColumns } from "@candlewick/engine/kernel"
import { parentPort } from "node:worker_threads"
import type { Run, RunSetting } from "./Engine.ts"
import { fastEngine } from "./fastEngine.ts"

/** The request to a worker: every `step`th run from `first` on. */
export interface SweepRequest {
  readonly candles: SharedArrayBuffer
  readonly definition: StrategyDefinition
  /** Names of the parameters: each run has a double for each of them. */
  readonly names: ReadonlyArray<string>
  readonly values: SharedArrayBuffer
  /** Four doubles a run. */
  readonly figures: SharedArrayBuffer
  readonly first: number
  readonly step: number
  readonly setting: RunSetting
}

parentPort?.on("message", (request: SweepRequest) => {
  const { candles, definition, first, names, setting, step } = request
  const values = new Float64Array(request.values)
  const figures = new Float64Array(request.figures)
  const indices: Array<number> = []
  for (let index = first; index < values.length / names.length; index += step) indices.push(index)
  const runs = indices.map((index): Run => {
    const own = names.map((name, nth) => [name, values[index * names.length + nth]!] as const)
    return { definition, values: Object.fromEntries(own) }
  })
  const found = fastEngine.runMany(fromSharedColumns(candles), runs, setting)
  indices.forEach((index, nth) => {
    figures.set(found.subarray(nth * 4, nth * 4 + 4), index * 4)
  })
  parentPort?.postMessage("done")
})
