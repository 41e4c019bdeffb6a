/**
 * A thread that runs histories, with a bug planted where it is asked for.
 */
import { parentPort, workerData } from "node:worker_threads"
import { plant } from "./plants.ts"

/** The request to a thread: seeds to run. */
export interface Batch {
  readonly from: number
  readonly count: number
  /** Stands before the number of each seed. */
  readonly prefix: string
}

/** The answer of a thread. */
export interface BatchOutcome {
  readonly counts: Readonly<Record<string, number>>
  /** The seeds that failed, and how. */
  readonly failures: ReadonlyArray<{ readonly seed: number; readonly violation: string }>
}

const { bug } = workerData as { readonly bug: string | null }
if (bug !== null) plant(bug)

// Only after a bug was planted may the product be loaded.
const { runBatch } = await import("./runBatch.ts")

parentPort!.on("message", (batch: Batch) => parentPort!.postMessage(runBatch(batch)))
