/**
 * The fibres of all bots in this process: one a bot, supervised, each with an inbox.
 *
 * @since 0.1.0
 */
import { Deferred, Effect, FiberMap } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { type BotInbox, makeInbox, post, refuseAll } from "./botInbox.ts"
import type { BotPorts } from "./botPorts.ts"
import type { RunnerError } from "./botFailure.ts"
import { runBot, runOnce } from "./botRunner.ts"

/** What commands need of the runners. */
export interface BotHost {
  /** Starts a fibre for a bot that was at rest, in place of one that is on its way out. */
  readonly start: (bot: Bot) => Effect.Effect<void>
  /** Wakes the fibre of a bot, or starts one where there is none. */
  readonly wake: (bot: Bot) => Effect.Effect<void>
  /** Ends the fibre of a bot and waits for it. */
  readonly end: (botId: string) => Effect.Effect<void>
  /** Has something done by the bot's fibre, or at once where it has none. */
  readonly ask: (bot: Bot, type: "close" | "resume_risk") => Effect.Effect<void, RunnerError>
  /** Starts the fibres of all bots that were at work. */
  readonly resume: Effect.Effect<void, StoreError>
}

const restingStatuses: ReadonlyArray<Bot["status"]> = ["created", "stopped", "error"]

/** Makes the host; its fibres end with the scope. */
export const makeBotHost = Effect.fnUntraced(function* (ports: BotPorts) {
  const fibres = yield* FiberMap.make<string>()
  const inboxes = new Map<string, BotInbox>()

  const leave = (bot: Bot, inbox: BotInbox): void => {
    if (inboxes.get(bot.id) === inbox) inboxes.delete(bot.id)
  }

  /** Runs a bot for as long as there are messages, so that none that came at its end is lost. */
  const work = (bot: Bot, inbox: BotInbox): Effect.Effect<void> =>
    Effect.gen(function* () {
      yield* runBot(ports, bot.account_id, bot.id, inbox)
      if (inbox.messages.length > 0) return yield* work(bot, inbox)
      leave(bot, inbox)
    })

  const start = Effect.fnUntraced(function* (bot: Bot) {
    const inbox = yield* makeInbox
    inboxes.set(bot.id, inbox)
    yield* FiberMap.run(
      fibres,
      bot.id,
      Effect.onInterrupt(work(bot, inbox), () =>
        Effect.suspend(() => {
          leave(bot, inbox)
          return refuseAll(inbox)
        })
      )
    )
  })

  const host: BotHost = {
    start,

    wake: Effect.fnUntraced(function* (bot) {
      const inbox = inboxes.get(bot.id)
      if (inbox === undefined) yield* start(bot)
      else yield* post(inbox, { type: "wake" })
    }),

    end: (botId) => FiberMap.remove(fibres, botId),

    ask: Effect.fnUntraced(function* (bot, type) {
      const inbox = inboxes.get(bot.id)
      if (inbox === undefined || restingStatuses.includes(bot.status)) {
        yield* FiberMap.remove(fibres, bot.id)
        return yield* runOnce(ports, bot, type)
      }
      const done = yield* Deferred.make<void, RunnerError>()
      yield* post(inbox, { type, done })
      yield* Deferred.await(done)
    }),

    resume: Effect.gen(function* () {
      for (const bot of yield* ports.bots.listAll) {
        if (!restingStatuses.includes(bot.status)) yield* start(bot)
      }
    })
  }
  return host
})
