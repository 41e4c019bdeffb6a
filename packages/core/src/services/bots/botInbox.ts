/**
 * The messages of commands to a bot's fibre, which stay until they are processed, and a bell that
 * reports them.
 *
 * The bell may ring twice or miss a fibre that is just failing. Each message that wants an answer
 * gets one, also where the fibre ends.
 *
 * @since 0.1.0
 */
import { Cause, Deferred, Effect, Exit, Queue } from "effect"
import type { OnceOnly } from "../../ports/KeyedRequest.ts"
import type { RunnerError } from "./botFailure.ts"
import type { BotTask, BotTaskResult } from "./botTasks.ts"

/** The messages of commands to a runner; null is the answer where the task was not carried out. */
export type RunnerMessage =
  | { readonly type: "wake" }
  | {
      readonly type: "task"
      readonly task: BotTask
      /** The request that asks for it. */
      readonly keyed: OnceOnly
      readonly done: Deferred.Deferred<BotTaskResult | null, RunnerError>
    }

/** The inbox of one fibre. */
export interface BotInbox {
  readonly messages: Array<RunnerMessage>
  readonly bell: Queue.Queue<void>
}

/** An inbox without messages. */
export const makeInbox: Effect.Effect<BotInbox> = Effect.map(Queue.sliding<void>(1), (bell) => ({
  messages: [],
  bell
}))

/** Leaves a message and rings. To be woken once is enough for a fibre that has not looked yet. */
export const post = (inbox: BotInbox, message: RunnerMessage): Effect.Effect<void> =>
  Effect.suspend(() => {
    const isWoken = message.type === "wake" && inbox.messages.at(-1)?.type === "wake"
    if (!isWoken) inbox.messages.push(message)
    return Effect.asVoid(Queue.offer(inbox.bell, undefined))
  })

const answer = (
  message: RunnerMessage,
  exit: Exit.Exit<BotTaskResult, RunnerError>
): Effect.Effect<void> => {
  if (message.type === "wake") return Effect.void
  const isGone = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
  return Effect.asVoid(Deferred.done(message.done, isGone ? Exit.succeed(null) : exit))
}

/**
 * Processes the messages, oldest first. A failure is answered and ends the work; a refusal is
 * answered, and the work goes on.
 */
export const processMessages = (
  inbox: BotInbox,
  work: {
    readonly wake: Effect.Effect<void, RunnerError>
    readonly runTask: (task: BotTask, keyed: OnceOnly) => Effect.Effect<BotTaskResult, RunnerError>
  }
): Effect.Effect<void, RunnerError> =>
  Effect.suspend(() => {
    const message = inbox.messages.shift()
    if (message === undefined) return Effect.void
    const told =
      message.type === "wake"
        ? work.wake
        : work.runTask(message.task, message.keyed).pipe(
            Effect.onExit((exit) => answer(message, exit)),
            Effect.catchTag("Problem", () => Effect.void),
            Effect.asVoid
          )
    return Effect.andThen(told, processMessages(inbox, work))
  })

/** Interrupts every waiting caller, because the fibre has ended. */
export const interruptWaiting = (inbox: BotInbox): Effect.Effect<void> =>
  Effect.forEach(inbox.messages.splice(0), (message) => answer(message, Exit.interrupt()), {
    discard: true
  })
