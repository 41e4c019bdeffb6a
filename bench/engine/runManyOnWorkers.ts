/**
 * A sweep on several threads: every thread takes each n-th run, so that slow and fast averages are
 * spread over them; candles are in memory that they share.
 */
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { type CandleColumns, toSharedColumns } from "@candlewick/core/kernel"
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

/** The figures of all runs, in their order. */
export const runManyOnWorkers = async (
  candles: CandleColumns,
  runs: ReadonlyArray<Run>,
  setting: RunSetting,
  workerCount: number
): Promise<Figures> => {
  const shared = toShared(candles)
  const figures = new Float64Array(runs.length * 4)
  await Promise.all(
    Array.from({ length: workerCount }, async (_, offset) => {
      const worker = workerAt(offset)
      worker.ref()
      const mine = runs.filter((_run, index) => index % workerCount === offset)
      const request: SweepRequest = { candles: shared, runs: mine, setting }
      worker.postMessage(request)
      const [found] = (await once(worker, "message")) as [Float64Array]
      mine.forEach((_run, index) => {
        const into = (index * workerCount + offset) * 4
        figures.set(found.subarray(index * 4, index * 4 + 4), into)
      })
      worker.unref()
    })
  )
  return figures
}
