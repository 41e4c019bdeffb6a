/**
 * The causes that halt a measurement: this thread's own work, its garbage, or the machine. A thread
 * that does nothing but look at the clock each millisecond is halted by the machine alone.
 */
import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks"
import { isMainThread, Worker, workerData } from "node:worker_threads"
import { stolenMs } from "./engine/stolenTime.ts"

/** The longest halts since they were read last, in milliseconds. */
export interface Halts {
  readonly thisThreadMs: number
  readonly garbageMs: number
  /** Of the thread that does nothing. */
  readonly machineMs: number
  /** Time of all processors that went to other guests of the host, 0 where nobody tells. */
  readonly stolenMs: number
}

const microsecondsPerMs = 1000

/** Keeps the longest time between two looks at the clock in the one number of its memory. */
const lookAtClock = (longest: Int32Array): void => {
  const nobody = new Int32Array(new SharedArrayBuffer(4))
  let before = performance.now()
  while (true) {
    Atomics.wait(nobody, 0, 0, 1)
    const now = performance.now()
    const gap = Math.round((now - before) * microsecondsPerMs)
    if (gap > Atomics.load(longest, 0)) Atomics.store(longest, 0, gap)
    before = now
  }
}

/** Begins to watch; `read` tells what was since it was called last, `stop` ends it. */
export const watchHalts = () => {
  const longest = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL(import.meta.url), { workerData: longest })
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  let garbageMs = 0
  const noteGarbage = (entries: ReadonlyArray<{ readonly duration: number }>): void => {
    for (const { duration } of entries) garbageMs = Math.max(garbageMs, duration)
  }
  const observer = new PerformanceObserver((list) => noteGarbage(list.getEntries()))
  observer.observe({ entryTypes: ["gc"] })
  let stolen = stolenMs() ?? 0
  return {
    read: (): Halts => {
      noteGarbage(observer.takeRecords())
      const before = stolen
      stolen = stolenMs() ?? 0
      const halts = {
        thisThreadMs: delay.max / 1e6,
        garbageMs,
        machineMs: Atomics.exchange(longest, 0, 0) / microsecondsPerMs,
        stolenMs: stolen - before
      }
      delay.reset()
      garbageMs = 0
      return halts
    },
    stop: async (): Promise<void> => {
      delay.disable()
      observer.disconnect()
      await worker.terminate()
    }
  }
}

if (!isMainThread && workerData instanceof Int32Array) lookAtClock(workerData)
