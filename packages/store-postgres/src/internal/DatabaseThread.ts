/**
 * An embedded database in a thread of its own, as its owner uses it: by sessions, and for copies.
 *
 * @since 0.1.0
 */
import { Clock, Data, Effect, type Scope } from "effect"
import type { Duplex } from "node:stream"
import { framesDuplex } from "./framesDuplex.ts"
import { ReopenedThread } from "./ReopenedThread.ts"
import type { FromThread, ThreadOptions } from "./threadMessages.ts"

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

type Answer = ReadonlyArray<Uint8Array> | Error

/** The questions that a thread has not answered yet. */
class Questions {
  private readonly answers = new Map<number, (answer: Answer) => void>()
  /** The requests that wait for a copy, by its place. */
  private readonly copies = new Map<string, (reason: string | null) => void>()

  askSession(session: number, answer: (answer: Answer) => void): void {
    this.answers.set(session, answer)
  }

  isCopying(target: string): boolean {
    return this.copies.has(target)
  }

  askCopy(target: string, tell: (reason: string | null) => void): void {
    this.copies.set(target, tell)
  }

  readonly onAnswer = (
    message: Extract<FromThread, { readonly type: "answer" | "copied" }>
  ): void => {
    if (message.type === "answer") {
      const answer = this.answers.get(message.session)
      this.answers.delete(message.session)
      return answer?.(message.chunks)
    }
    const tell = this.copies.get(message.target)
    this.copies.delete(message.target)
    return tell?.(message.reason)
  }

  readonly onDown = (reason: string): void => {
    const cut = new Error(`the embedded database ended: ${reason}`)
    for (const answer of this.answers.values()) answer(cut)
    this.answers.clear()
    for (const tell of this.copies.values()) tell(reason)
    this.copies.clear()
  }
}

/** A session's bytes, from the open thread to their reader. */
const openSession = (thread: ReopenedThread, questions: Questions, session: number): Duplex =>
  framesDuplex({
    exchange: (frames, answer) =>
      thread.whenOpen((reason) => {
        if (reason !== null) return answer(new Error(`the embedded database is down: ${reason}`))
        questions.askSession(session, answer)
        // A copy: the rest of the buffer belongs to others.
        thread.post({ type: "frames", session, bytes: new Uint8Array(frames) })
      }),
    end: () => thread.post({ type: "end", session })
  })

const copyTo = (
  thread: ReopenedThread,
  questions: Questions,
  target: string
): Effect.Effect<void, BackUpFailed> =>
  Effect.callback((resume) => {
    const done = (reason: string | null): void =>
      resume(reason === null ? Effect.void : Effect.fail(new BackUpFailed({ target, reason })))
    if (questions.isCopying(target)) return done("another is being made there")
    thread.whenOpen((reason) => {
      if (reason !== null) return done(reason)
      questions.askCopy(target, done)
      thread.post({ type: "copy", target })
    })
  })

/** Starts the thread and waits until its database is open; the end of the scope closes it. */
export const openDatabaseThread = Effect.fnUntraced(function* (
  options: DatabaseThreadOptions
): Effect.fn.Return<DatabaseThread, DatabaseNotOpened, Scope.Scope> {
  const clock = yield* Clock.Clock
  const { script, ...threadOptions } = options
  const questions = new Questions()
  const { onAnswer, onDown } = questions
  const thread = new ReopenedThread({ script, thread: threadOptions, clock, onAnswer, onDown })
  yield* Effect.addFinalizer(() => thread.close)
  const { directory } = options
  yield* Effect.callback<void, DatabaseNotOpened>((resume) =>
    thread.whenOpen((reason) =>
      resume(
        reason === null ? Effect.void : Effect.fail(new DatabaseNotOpened({ directory, reason }))
      )
    )
  )
  let lastSession = 0
  return {
    connect: () => openSession(thread, questions, ++lastSession),
    backUp: (target) => copyTo(thread, questions, target)
  }
})
