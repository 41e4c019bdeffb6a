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

parentPort?.on("message", ({ id, task, flag }: WorkerRequest) => {
  const stop = new Int32Array(flag)
  let answer: WorkerAnswer
  try {
    const result = runTask(task, () => Atomics.load(stop, 0) !== 0, code)
    answer = { id, type: "result", result }
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    answer = { id, type: "failure", message, codeError: wordsOfCodeError(error) }
  }
  parentPort?.postMessage(answer)
})
