/**
 * A sweep on several threads. Every thread takes each n-th run, so that slow and fast averages are
 * spread over them. Candles, values and figures are in shared memory.
 */
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { type CandleColumns, toSharedColumns } from "@candlewick/engine/kernel"
import type { Figures, Run, RunSetting } from "./Engine.ts"
import type { SweepRequest } from "./sweepWorker.ts"

const workers: Array<Worker> = []
const sharedByCandles = new WeakMap<CandleColumns, SharedArrayBuffer>()

/** Started once, and no reason for the process to stay alive. */
const workerAt = (index: number): Worker => {
  const known = workers[index]
  if (known !== undefined) return known
  const worker = new Worker(new URL("sweepWorker.ts", import.meta.url))
  workers.push(worker)
  return worker
}

const toShared = (candles: CandleColumns): SharedArrayBuffer => {
  const known = sharedByCandles.get(candles)
  if (known !== undefined) return known
  const shared = toSharedColumns(candles)
  sharedByCandles.set(candles, shared)
  return shared
}

/** The values of runs, a row of doubles each. */
const toValues = (runs: ReadonlyArray<Run>, names: ReadonlyArray<string>): SharedArrayBuffer => {
  const shared = new SharedArrayBuffer(runs.length * names.length * 8)
  const values = new Float64Array(shared)
  runs.forEach((run, index) => {
    names.forEach((name, nth) => {
      values[index * names.length + nth] = run.values[name]!
    })
  })
  return shared
}

/** The figures of all runs of a sweep, in their order. */
export const runManyOnWorkers = async (
  candles: CandleColumns,
  runs: ReadonlyArray<Run>,
  setting: RunSetting,
  workerCount: number
): Promise<Figures> => {
  const { definition, values } = runs[0]!
  const names = Object.keys(values)
  const figures = new SharedArrayBuffer(runs.length * 4 * 8)
  const work = { candles: toShared(candles), definition, names, figures, setting }
  const shared = toValues(runs, names)
  await Promise.all(
    Array.from({ length: workerCount }, async (_, first) => {
      const worker = workerAt(first)
      worker.ref()
      const request: SweepRequest = { ...work, values: shared, first, step: workerCount }
      worker.postMessage(request)
      await once(worker, "message")
      worker.unref()
    })
  )
  return new Float64Array(figures)
}
