/**
 * Runs many histories on several threads.
 */
import { Worker } from "node:worker_threads"
import { Counts } from "./counts.ts"
import type { Batch, BatchOutcome } from "./worker.ts"

/** Which histories to run, and when to stop. */
export interface SimulationOptions {
  readonly from: number
  readonly count: number
  /** Stands before the number of each seed; nothing by default. */
  readonly prefix?: string | undefined
  readonly threadCount: number
  /** For how long new histories are begun; without end by default. */
  readonly seconds?: number | undefined
  /** How many failures are enough. */
  readonly failuresMax: number
  /** Told of each failure at once, and of how many histories have run. */
  readonly onProgress?: (runCount: number, failures: BatchOutcome["failures"]) => void
  /** A bug to plant; none by default. */
  readonly bug?: string | undefined
}

/** The outcome of the histories. */
export interface SimulationResult {
  readonly runCount: number
  readonly elapsedMs: number
  readonly counts: Readonly<Record<string, number>>
  /** By seed. */
  readonly failures: BatchOutcome["failures"]
}

const batchCount = 10

/** Runs histories until they are all run, time is up, or enough of them failed. */
export const simulate = async (options: SimulationOptions): Promise<SimulationResult> => {
  const { bug = null, failuresMax, from, prefix = "", seconds = Infinity, threadCount } = options
  const startedMs = performance.now()
  const counts = new Counts()
  const failures: Array<BatchOutcome["failures"][number]> = []
  const end = from + options.count
  let next = from
  let runCount = 0
  const isOver = (): boolean =>
    next >= end || failures.length >= failuresMax || performance.now() - startedMs > seconds * 1_000

  const work = async (): Promise<void> => {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: { bug } })
    try {
      while (!isOver()) {
        const batch: Batch = { from: next, count: Math.min(batchCount, end - next), prefix }
        next += batch.count
        const outcome = await new Promise<BatchOutcome>((resolve, reject) => {
          worker.once("message", resolve)
          worker.once("error", reject)
          worker.postMessage(batch)
        })
        worker.removeAllListeners("error")
        runCount += batch.count
        counts.addAll(outcome.counts)
        failures.push(...outcome.failures)
        options.onProgress?.(runCount, outcome.failures)
      }
    } finally {
      await worker.terminate()
    }
  }
  await Promise.all(Array.from({ length: threadCount }, work))
  return {
    runCount,
    elapsedMs: performance.now() - startedMs,
    counts: counts.toRecord(),
    failures: failures.toSorted((one, other) => one.seed - other.seed)
  }
}
