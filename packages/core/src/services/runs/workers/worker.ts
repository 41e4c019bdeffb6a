/**
 * The thread that computes tasks: one at a time, each stopped by a flag that it shares with its
 * asker.
 *
 * @since 0.1.0
 */
import { parentPort, workerData } from "node:worker_threads"
import { noCode, wordsOfCodeError } from "@candlewick/engine"
import { loadCode } from "./loadCode.ts"
import { runTask, type WorkerTask } from "./tasks.ts"

/** The options of a worker at its start. */
export interface WorkerSetup {
  /** The module with the host's code, or null. */
  readonly code: string | null
}

/** A message to a worker. */
export interface WorkerRequest {
  readonly id: number
  readonly task: WorkerTask
  /** Not 0 once the task is to stop. */
  readonly flag: SharedArrayBuffer
}

/** An answer of a worker. */
export type WorkerAnswer =
  | { readonly id: number; readonly type: "result"; readonly result: unknown }
  | {
      readonly id: number
      readonly type: "failure"
      readonly message: string
      /** The words of an error of code, which its author may read; null for any other. */
      readonly codeError: string | null
    }

const { code: module } = workerData as WorkerSetup
const code = module === null ? noCode : await loadCode(module)

/** An error as a log shows it. Code may throw one that can't be read. */
const shownOf = (error: unknown): string => {
  try {
    const shown: unknown = error instanceof Error ? (error.stack ?? error.message) : error
    return String(shown)
  } catch {
    return "an error that can't be read"
  }
}

parentPort?.on("message", ({ id, task, flag }: WorkerRequest) => {
  const stop = new Int32Array(flag)
  let answer: WorkerAnswer
  try {
    const result = runTask(task, () => Atomics.load(stop, 0) !== 0, code)
    answer = { id, type: "result", result }
  } catch (error) {
    answer = { id, type: "failure", message: shownOf(error), codeError: wordsOfCodeError(error) }
  }
  parentPort?.postMessage(answer)
})
