/**
 * The thread of an embedded database, which is started again where it ended by itself.
 *
 * The next caller that needs the database has it opened again.
 *
 * @since 0.1.0
 */
import { type Clock, Effect } from "effect"
import { Worker } from "node:worker_threads"
import type { FromThread, ThreadOptions, ToThread } from "./threadMessages.ts"

// The thread's file has the extension of this one: `.ts` in the repository, `.js` when built.
const ownScript = new URL(
  `./databaseWorker${import.meta.url.slice(import.meta.url.lastIndexOf("."))}`,
  import.meta.url
)

/** A database that can't be opened is not tried more often than this. */
const reopenMs = 1_000
const closeMs = 30_000

type State =
  | { readonly type: "opening" | "open"; readonly worker: Worker }
  | { readonly type: "down"; readonly reason: string; readonly sinceMs: number }

/** How a thread is started. @category models @since 0.1.0 */
export interface ReopenedThreadOptions {
  /** The thread's file, where it is another one. */
  readonly script?: URL | undefined
  readonly thread: ThreadOptions
  readonly clock: Clock.Clock
  readonly onAnswer: (answer: Extract<FromThread, { readonly type: "answer" | "copied" }>) => void
  /** The thread ended: it answers nothing any more that it was asked. */
  readonly onDown: (reason: string) => void
}

/** Gets null once a database is open, or the reason why it is not. */
type TellOpen = (reason: string | null) => void

/** One thread at a time, and the work that waits for it. @category models @since 0.1.0 */
export class ReopenedThread {
  private readonly options: ReopenedThreadOptions
  private state: State = { type: "down", reason: "", sinceMs: Number.NEGATIVE_INFINITY }
  private waiting: Array<TellOpen> = []

  constructor(options: ReopenedThreadOptions) {
    this.options = options
  }

  /** Calls back once the database is open, or is not to be; starts a thread where none runs. */
  whenOpen(tell: TellOpen): void {
    if (this.state.type === "open") return tell(null)
    if (this.state.type === "down") {
      const downMs = this.options.clock.currentTimeMillisUnsafe() - this.state.sinceMs
      if (downMs < reopenMs) return tell(this.state.reason)
      this.start()
    }
    this.waiting.push(tell)
  }

  /** Sends the thread a message; one that ended needs to hear nothing. */
  post(message: ToThread): void {
    if (this.state.type !== "down") this.state.worker.postMessage(message)
  }

  /** Lets the thread close its database, and ends the thread where that takes too long. */
  readonly close = Effect.callback<void>((resume) => {
    if (this.state.type === "down") return resume(Effect.void)
    this.state.worker.once("exit", () => resume(Effect.void))
    this.post({ type: "close" })
  }).pipe(Effect.timeoutOrElse({ duration: closeMs, orElse: () => this.terminate }))

  private readonly terminate = Effect.promise(() =>
    this.state.type === "down" ? Promise.resolve(0) : this.state.worker.terminate()
  )

  private start(): void {
    const { script = ownScript, thread } = this.options
    const worker = new Worker(script, { workerData: thread })
    this.state = { type: "opening", worker }
    worker.on("message", (message: FromThread) => this.onMessage(worker, message))
    worker.on("error", (error) => this.onDown(worker, error.message))
    worker.on("exit", (code) => this.onDown(worker, `its thread ended with ${code}`))
  }

  private onMessage(worker: Worker, message: FromThread): void {
    switch (message.type) {
      case "ready":
        this.state = { type: "open", worker }
        return this.tellWaiting(null)
      case "answer":
      case "copied":
        return this.options.onAnswer(message)
      case "failed":
        return this.onDown(worker, message.reason)
      case "closed":
        return undefined
    }
  }

  private onDown(worker: Worker, reason: string): void {
    if (this.state.type === "down" || this.state.worker !== worker) return
    const sinceMs = this.options.clock.currentTimeMillisUnsafe()
    this.state = { type: "down", reason, sinceMs }
    this.options.onDown(reason)
    this.tellWaiting(reason)
  }

  private tellWaiting(reason: string | null): void {
    const all = this.waiting
    this.waiting = []
    for (const tell of all) tell(reason)
  }
}
