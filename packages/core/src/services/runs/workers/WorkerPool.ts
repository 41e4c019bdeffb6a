/**
 * Worker threads for runs, so that the event loop stays free.
 *
 * Threads start when they are first needed. A thread that dies fails its task and is replaced; so
 * is one that is asked to stop and does not.
 *
 * @since 0.1.0
 */
import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { Context, Effect, Layer, Schema, Semaphore } from "effect"
import type { WorkerTask, WorkerTaskResult } from "./tasks.ts"
import { CodeStrategies } from "../../strategies/CodeStrategies.ts"
import type { WorkerAnswer, WorkerRequest, WorkerSetup } from "./worker.ts"

/** A task that a worker could not finish. @category errors @since 0.1.0 */
export class TaskFailed extends Schema.TaggedError<TaskFailed>()("TaskFailed", {
  cause: Schema.String,
  /** The words of an error of the strategy's code; null or absent for any other. */
  codeError: Schema.optionalKey(Schema.NullOr(Schema.String))
}) {}

/** How many threads there are. @category models @since 0.1.0 */
export interface WorkerPoolOptions {
  /** One less than there are processors by default, and at least one. */
  readonly size?: number | undefined
  /** The file of a thread, where it is another one. */
  readonly script?: URL | undefined
}

/**
 * Threads that compute tasks.
 *
 * @category services
 * @since 0.1.0
 */
export class WorkerPool extends Context.Service<
  WorkerPool,
  {
    /** How many tasks are computed at once. */
    readonly size: number

    /**
     * Computes a task in a thread. An interruption asks the thread to stop, and ends the thread
     * where it does not within a second. A number other than 0 in `stop` ends the task early with
     * its results so far.
     */
    readonly run: <T extends WorkerTask>(
      task: T,
      stop?: SharedArrayBuffer
    ) => Effect.Effect<WorkerTaskResult<T>, TaskFailed>
  }
>()("@candlewick/core/services/WorkerPool") {
  /** A pool whose threads end with the scope. */
  static readonly layer = (options: WorkerPoolOptions = {}) =>
    Layer.effect(
      WorkerPool,
      makePool(
        Math.max(1, Math.floor(options.size ?? availableParallelism() - 1)),
        options.script ?? workerUrl
      )
    )
}

/** The worker's file has the extension of this one: `.ts` in the repository, `.js` when built. */
const workerUrl = new URL(
  `./worker${import.meta.url.slice(import.meta.url.lastIndexOf("."))}`,
  import.meta.url
)

type Outcome<T extends WorkerTask> = Effect.Effect<WorkerTaskResult<T>, TaskFailed>

/** Sends a request to a thread; `settle` gets the outcome once, and whether the thread goes on. */
const awaitAnswer = <T extends WorkerTask>(
  worker: Worker,
  request: WorkerRequest,
  settle: (outcome: Outcome<T>, isReusable: boolean) => void
) => {
  let isOver = false
  const listeners: Array<() => void> = []
  const finish = (outcome: Outcome<T>, isReusable: boolean) => {
    if (isOver) return
    isOver = true
    worker.off("message", onMessage)
    worker.off("error", onError)
    worker.off("exit", onExit)
    settle(outcome, isReusable)
    for (const listener of listeners) listener()
  }
  const onMessage = (answer: WorkerAnswer): void => {
    if (answer.id !== request.id) return
    finish(
      answer.type === "result"
        ? Effect.succeed(answer.result as WorkerTaskResult<T>)
        : Effect.fail(new TaskFailed({ cause: answer.message, codeError: answer.codeError })),
      true
    )
  }
  const onError = (error: Error): void =>
    finish(Effect.fail(new TaskFailed({ cause: error.message })), false)
  const onExit = (code: number): void =>
    finish(Effect.fail(new TaskFailed({ cause: `the thread ended with ${code}` })), false)
  worker.on("message", onMessage)
  worker.on("error", onError)
  worker.on("exit", onExit)
  worker.postMessage(request)
  /** Calls `listener` once the answer is there, at once where it is there already. */
  const whenOver = (listener: () => void): void => {
    if (isOver) listener()
    else listeners.push(listener)
  }
  return { whenOver }
}

/** How long a thread may go on after it was asked to stop. */
const stopWithin = "1 second"

const makePool = Effect.fnUntraced(function* (size: number, script: URL) {
  const { module } = yield* CodeStrategies
  const free = yield* Semaphore.make(size)
  const idle: Array<Worker> = []
  const all = new Set<Worker>()
  let lastId = 0

  yield* Effect.addFinalizer(() =>
    Effect.promise(() => Promise.all([...all].map((worker) => worker.terminate())))
  )

  const startWorker = (): Worker => {
    const worker = new Worker(script, { workerData: { code: module } satisfies WorkerSetup })
    worker.unref()
    all.add(worker)
    // The waiter for a task hears of it; a thread that dies while it is idle is replaced and no
    // more.
    worker.on("error", () => undefined)
    worker.once("exit", () => {
      all.delete(worker)
      const at = idle.indexOf(worker)
      if (at >= 0) idle.splice(at, 1)
    })
    return worker
  }

  /** Sends a task and waits; on interruption the flag is raised and the thread's stop awaited. */
  const ask = <T extends WorkerTask>(
    task: T,
    flag: SharedArrayBuffer
  ): Effect.Effect<WorkerTaskResult<T>, TaskFailed> =>
    Effect.callback<WorkerTaskResult<T>, TaskFailed>((resume) => {
      const worker = idle.pop() ?? startWorker()
      const request = { id: ++lastId, task, flag } satisfies WorkerRequest
      const answer = awaitAnswer<T>(worker, request, (outcome, isReusable) => {
        if (isReusable) idle.push(worker)
        resume(outcome)
      })
      const stopped = Effect.callback<void>((done) => {
        Atomics.store(new Int32Array(flag), 0, 1)
        answer.whenOver(() => done(Effect.void))
      })
      // Some computations look at the flag only when they are over, which may take minutes.
      return Effect.timeoutOrElse(Effect.interruptible(stopped), {
        duration: stopWithin,
        orElse: () => Effect.promise(() => worker.terminate())
      })
    })

  return WorkerPool.of({
    size,
    run: (task, stop) =>
      free.withPermit(Effect.suspend(() => ask(task, stop ?? new SharedArrayBuffer(4))))
  })
})
