/**
 * The fibres of all bots that this process owns: one a bot, supervised, each with an inbox.
 *
 * A bot of another process is left to it: what commands have written down, its owner sees.
 *
 * @since 0.1.0
 */
import { Deferred, Effect, FiberMap, Option, type Scope, Semaphore } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import { type BotStatus, restingStates } from "../../domain/BotMachine.ts"
import { problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { KeyedRequest, type OnceOnly } from "../../ports/KeyedRequest.ts"
import type { RunnerError } from "./botFailure.ts"
import { type BotInbox, leaveAll, makeInbox, post } from "./botInbox.ts"
import type { BotPorts } from "./botPorts.ts"
import { required } from "../refusals.ts"
import { isConflict } from "../untilKept.ts"
import { type BotOwnership, makeOwnership, renewMs } from "./botOwnership.ts"
import { runBot } from "./botRunner.ts"
import { runOnce, type Task, type TaskResult, writeDown } from "./botTasks.ts"

/** What commands need of the runners. */
export interface BotHost {
  /** Carries an effect out while no other command of the bot is under way. */
  readonly alone: <A, E>(botId: string, effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /**
   * Starts a fibre for a bot that was at rest, in place of one that is on its way out, unless
   * another process owns it.
   */
  readonly start: (bot: Bot) => Effect.Effect<void, StoreError>
  /** Wakes the fibre of a bot, or starts one where there is none. */
  readonly wake: (bot: Bot) => Effect.Effect<void, StoreError>
  /** Ends the fibre of a bot and waits for it. */
  readonly end: (botId: string) => Effect.Effect<void>
  /**
   * Has something done by the bot's fibre, or at once where it has none; for a bot of another
   * process it is written down, and that process goes on from there.
   */
  readonly ask: (bot: Bot, task: Task) => Effect.Effect<TaskResult, RunnerError>
  /**
   * Starts the fibres of all bots that were at work, and from then on of those whose owner is gone.
   */
  readonly resume: Effect.Effect<void, StoreError, Scope.Scope>
}

/** The states in which a command is being carried out. */
const movingStates: ReadonlyArray<BotStatus> = ["starting", "pausing", "stopping"]

/** How long a fibre that waits for its store or broker may leave a caller without an answer. */
const patience = "30 seconds"

/** How often a bot is asked for that another process is busy with: longer than a lease lasts. */
const asksMax = 40
const askAgainMs = 200

/** The fibres of this process, and what they are told. */
interface Fibres {
  readonly ports: BotPorts
  readonly ownership: BotOwnership
  readonly running: FiberMap.FiberMap<string>
  readonly inboxes: Map<string, BotInbox>
  /** The versions of this process's bots that it has looked at. */
  readonly seen: Map<string, number>
}

/** Takes the inbox away in one step with the last look at it, so that nothing is left in it. */
const leave = (
  { inboxes, ownership, seen }: Fibres,
  bot: Bot,
  inbox: BotInbox
): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (inboxes.get(bot.id) !== inbox) return leaveAll(inbox)
    inboxes.delete(bot.id)
    seen.delete(bot.id)
    const release = Effect.catch(ownership.release(bot.id), (error) =>
      Effect.logWarning(`bot ${bot.id} stays owned until its lease runs out`, error)
    )
    return Effect.andThen(leaveAll(inbox), release)
  })

const start = Effect.fnUntraced(function* (fibres: Fibres, bot: Bot) {
  const { inboxes, ownership, ports, running } = fibres
  if (!(yield* ownership.claim(bot.id))) return
  const inbox = yield* makeInbox
  inboxes.set(bot.id, inbox)
  const work = runBot(ports, bot.account_id, bot.id, inbox, ownership.claim(bot.id))
  yield* FiberMap.run(running, bot.id, Effect.ensuring(work, leave(fibres, bot, inbox)))
})

/** Lets go of bots that are another's by now, and looks after those that are nobody's. */
const attend = Effect.fnUntraced(function* (fibres: Fibres) {
  const { inboxes, ownership, ports, running, seen } = fibres
  const owned = yield* ownership.renew
  for (const botId of inboxes.keys()) {
    if (!owned.has(botId)) yield* FiberMap.remove(running, botId)
  }
  for (const bot of yield* ports.bots.listActive) {
    const inbox = inboxes.get(bot.id)
    if (inbox === undefined) yield* start(fibres, bot)
    // A command that another process took.
    else if (movingStates.includes(bot.status) || seen.get(bot.id) !== bot.version) {
      seen.set(bot.id, bot.version)
      yield* post(inbox, { type: "wake" })
    }
  }
})

const resume = Effect.fnUntraced(function* (fibres: Fibres) {
  yield* attend(fibres)
  const again = Effect.catch(Effect.andThen(Effect.sleep(renewMs), attend(fibres)), (error) =>
    Effect.logWarning("leases of bots could not be prolonged", error)
  )
  yield* Effect.forkScoped(Effect.forever(again))
})

/** Asks the fibre; null where there is none, or it ended before it came to that. */
const askFibre = Effect.fnUntraced(function* (
  { inboxes }: Fibres,
  bot: Bot,
  task: Task,
  keyed: OnceOnly
): Effect.fn.Return<TaskResult | null, RunnerError> {
  const inbox = inboxes.get(bot.id)
  if (inbox === undefined || restingStates.includes(bot.status)) return null
  const done = yield* Deferred.make<TaskResult | null, RunnerError>()
  yield* post(inbox, { type: "task", task, keyed, done })
  const answered = yield* Effect.timeoutOption(Deferred.await(done), patience)
  return yield* Option.match(answered, {
    onNone: () => Effect.fail(problem("unavailable", "The bot waits for its store or its broker.")),
    onSome: Effect.succeed
  })
})

/** Does it at once, as the owner for so long; null where another process is that. */
const askAtRest = Effect.fnUntraced(function* (
  { ownership, ports, running }: Fibres,
  bot: Bot,
  task: Task,
  keyed: OnceOnly
): Effect.fn.Return<TaskResult | null, RunnerError> {
  yield* FiberMap.remove(running, bot.id)
  if (!(yield* ownership.claim(bot.id))) return null
  return yield* Effect.ensuring(
    // One that was at work here and has lost the bot may still have written to it.
    Effect.catchIf(runOnce(ports, bot, task, keyed), isConflict, () => Effect.succeed(null)),
    Effect.ignore(ownership.release(bot.id))
  )
})

const ask = Effect.fnUntraced(function* (
  fibres: Fibres,
  bot: Bot,
  task: Task
): Effect.fn.Return<TaskResult, RunnerError> {
  const { ports } = fibres
  const keyed = yield* KeyedRequest
  // Where another process was quicker, it is decided again from what that left.
  const asking = Effect.catchIf(askFibre(fibres, bot, task, keyed), isConflict, () =>
    Effect.succeed(null)
  )
  const answered = yield* asking
  if (answered !== null) return answered
  for (let asked = 0; asked < asksMax; asked++) {
    // The state that an ended fibre left behind is read anew.
    const found = yield* required(ports.bots.get(bot.account_id, bot.id), "bot", bot.id)
    const result = yield* restingStates.includes(found.status)
      ? askAtRest(fibres, found, task, keyed)
      : writeDown(ports, found, task, keyed)
    if (result !== null) return result
    yield* Effect.sleep(askAgainMs)
  }
  return yield* problem("unavailable", "Another process is busy with the bot; ask again.")
})

/** Commands of one bot follow one another; those of several don't wait for each other. */
const makeTurns = (): BotHost["alone"] => {
  const turns = new Map<string, { readonly semaphore: Semaphore.Semaphore; waiting: number }>()
  return (botId, effect) =>
    Effect.suspend(() => {
      const turn = turns.get(botId) ?? { semaphore: Semaphore.makeUnsafe(1), waiting: 0 }
      turns.set(botId, turn)
      turn.waiting++
      return Effect.ensuring(
        turn.semaphore.withPermits(1)(effect),
        Effect.sync(() => {
          turn.waiting--
          if (turn.waiting === 0) turns.delete(botId)
        })
      )
    })
}

/** Makes the host; its fibres end with the scope. */
export const makeBotHost = Effect.fnUntraced(function* (ports: BotPorts) {
  const fibres: Fibres = {
    ports,
    ownership: yield* makeOwnership(ports.leases),
    running: yield* FiberMap.make<string>(),
    inboxes: new Map(),
    seen: new Map()
  }
  const host: BotHost = {
    alone: makeTurns(),
    start: (bot) => start(fibres, bot),
    wake: (bot) =>
      Effect.suspend(() => {
        const inbox = fibres.inboxes.get(bot.id)
        return inbox === undefined ? start(fibres, bot) : post(inbox, { type: "wake" })
      }),
    end: (botId) => FiberMap.remove(fibres.running, botId),
    ask: (bot, task) => ask(fibres, bot, task),
    resume: resume(fibres)
  }
  return host
})
