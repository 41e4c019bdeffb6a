/**
 * An embedded database in a thread of its own, which is opened again where it ended by itself.
 *
 * @since 0.1.0
 */
import { Clock, Data, Effect, type Scope } from "effect"
import type { Duplex } from "node:stream"
import { Worker } from "node:worker_threads"
import { framesDuplex } from "./framesDuplex.ts"
import type { FromThread, ThreadOptions, ToThread } from "./threadMessages.ts"

/** The embedded database could not be opened. @category errors @since 0.1.0 */
export class DatabaseNotOpened extends Data.TaggedError("DatabaseNotOpened")<{
  readonly directory: string
  readonly reason: string
}> {
  override get message(): string {
    return `the database in ${this.directory} could not be opened: ${this.reason}`
  }
}

/** A database in a thread. */
export interface DatabaseThread {
  /** A new session; it waits while the database opens, and breaks where the thread ends. */
  readonly connect: () => Duplex
  /** Copies the data directory as it is at one moment; statements wait for that long. */
  readonly backUp: (target: string) => Effect.Effect<void, BackUpFailed>
}

/** A back-up could not be made. @category errors @since 0.1.0 */
export class BackUpFailed extends Data.TaggedError("BackUpFailed")<{
  readonly target: string
  readonly reason: string
}> {
  override get message(): string {
    return `no back-up in ${this.target}: ${this.reason}`
  }
}

/** How a thread is started. */
export interface DatabaseThreadOptions extends ThreadOptions {
  /** The thread's file, where it is another one. */
  readonly script?: URL | undefined
}

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

/** Starts the thread and waits until its database is open; the end of the scope closes it. */
export const openDatabaseThread = Effect.fnUntraced(function* (
  options: DatabaseThreadOptions
): Effect.fn.Return<DatabaseThread, DatabaseNotOpened, Scope.Scope> {
  const clock = yield* Clock.Clock
  const { script = ownScript, ...threadOptions } = options
  const answers = new Map<number, (answer: ReadonlyArray<Uint8Array> | Error) => void>()
  /** What waits for the database to be open, or for the news that it is not to be. */
  let waiting: Array<(reason: string | null) => void> = []
  /** What waits for a copy, by where that is to be. */
  const copies = new Map<string, (reason: string | null) => void>()
  let lastSession = 0
  let state: State = { type: "down", reason: "", sinceMs: Number.NEGATIVE_INFINITY }

  const tellWaiting = (reason: string | null): void => {
    const all = waiting
    waiting = []
    for (const tell of all) tell(reason)
  }

  const onDown = (worker: Worker, reason: string): void => {
    if (state.type === "down" || state.worker !== worker) return
    state = { type: "down", reason, sinceMs: clock.currentTimeMillisUnsafe() }
    const cut = new Error(`the embedded database ended: ${reason}`)
    for (const answer of answers.values()) answer(cut)
    answers.clear()
    for (const tell of copies.values()) tell(reason)
    copies.clear()
    tellWaiting(reason)
  }

  const onMessage = (worker: Worker, message: FromThread): void => {
    switch (message.type) {
      case "ready":
        state = { type: "open", worker }
        return tellWaiting(null)
      case "answer": {
        const answer = answers.get(message.session)
        answers.delete(message.session)
        return answer?.(message.chunks)
      }
      case "copied": {
        const tell = copies.get(message.target)
        copies.delete(message.target)
        return tell?.(message.reason)
      }
      case "failed":
        return onDown(worker, message.reason)
      case "closed":
        return undefined
    }
  }

  const start = (): void => {
    const worker = new Worker(script, { workerData: threadOptions })
    state = { type: "opening", worker }
    worker.on("message", (message: FromThread) => onMessage(worker, message))
    worker.on("error", (error) => onDown(worker, error.message))
    worker.on("exit", (code) => onDown(worker, `its thread ended with ${code}`))
  }

  /** Calls back with null once the database is open, or with the reason why it is not. */
  const whenOpen = (tell: (reason: string | null) => void): void => {
    if (state.type === "open") return tell(null)
    if (state.type === "down") {
      if (clock.currentTimeMillisUnsafe() - state.sinceMs < reopenMs) return tell(state.reason)
      start()
    }
    waiting.push(tell)
  }

  const post = (message: ToThread): void => {
    if (state.type !== "down") state.worker.postMessage(message)
  }

  const connect = (): Duplex => {
    const session = ++lastSession
    return framesDuplex({
      exchange: (frames, answer) =>
        whenOpen((reason) => {
          if (reason !== null) return answer(new Error(`the embedded database is down: ${reason}`))
          answers.set(session, answer)
          // A copy: what is left of the buffer belongs to others.
          post({ type: "frames", session, bytes: new Uint8Array(frames) })
        }),
      end: () => post({ type: "end", session })
    })
  }

  const backUp = (target: string): Effect.Effect<void, BackUpFailed> =>
    Effect.callback((resume) => {
      const done = (reason: string | null): void =>
        resume(reason === null ? Effect.void : Effect.fail(new BackUpFailed({ target, reason })))
      if (copies.has(target)) return done("another is being made there")
      whenOpen((reason) => {
        if (reason !== null) return done(reason)
        copies.set(target, done)
        post({ type: "copy", target })
      })
    })

  const opened = Effect.callback<void, DatabaseNotOpened>((resume) => {
    const { directory } = threadOptions
    whenOpen((reason) =>
      resume(
        reason === null ? Effect.void : Effect.fail(new DatabaseNotOpened({ directory, reason }))
      )
    )
  })

  const close = Effect.callback<void>((resume) => {
    if (state.type === "down") return resume(Effect.void)
    const { worker } = state
    worker.once("exit", () => resume(Effect.void))
    worker.postMessage({ type: "close" } satisfies ToThread)
  }).pipe(
    Effect.timeoutOrElse({
      duration: closeMs,
      orElse: () =>
        Effect.promise(() =>
          state.type === "down" ? Promise.resolve(0) : state.worker.terminate()
        )
    })
  )

  yield* Effect.addFinalizer(() => close)
  yield* opened
  return { connect, backUp }
})
