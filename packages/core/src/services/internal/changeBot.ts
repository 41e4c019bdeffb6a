/**
 * Changing and deleting bots: what each state allows.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { Bot, BotChanges } from "../../domain/Bot.ts"
import { allowedIn, changeableIn, deletableIn } from "../../domain/BotMachine.ts"
import { problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { BotWithAlerts } from "../Bots.ts"
import type { Candles } from "../Candles.ts"
import type { BotHost } from "./botHost.ts"
import { nowTimestamp } from "./announce.ts"
import { type BotPorts, log } from "./botPorts.ts"
import type { RunnerError } from "./botFailure.ts"
import { openPositions } from "./botViews.ts"
import { botDatasets, equipBot, keepAlerts, runnableStrategy } from "./createBot.ts"
import { checkVersion, required } from "./refusals.ts"

/** What commands on bots need. */
export interface BotWorld {
  readonly ports: BotPorts
  readonly candles: Candles["Service"]
  readonly host: BotHost
}

/** Finds a bot; fails with `not_found`. */
export const findBot = ({ bots }: BotPorts, accountId: string, id: string) =>
  required(bots.get(accountId, id), "bot", id)

/** A bot with its alerts. */
export const withAlerts = (ports: BotPorts, bot: Bot): Effect.Effect<BotWithAlerts, StoreError> =>
  Effect.map(ports.alerts.listOfBot(bot.account_id, bot.id), (alerts) => ({ ...bot, alerts }))

/** What only a bot at rest may change, of what a caller wants to change. */
const restChanges = (changes: BotChanges): ReadonlyArray<string> =>
  (["strategy_id", "capital_allocation", "symbols"] as const).filter(
    (name) => changes[name] !== undefined
  )

/** Changes what the state allows to change. */
export const updateBot = Effect.fn("Bots.update")(function* (
  { ports, candles }: BotWorld,
  accountId: string,
  id: string,
  changes: BotChanges,
  version: number | undefined
): Effect.fn.Return<BotWithAlerts, RunnerError> {
  return yield* ports.transactor.transact(
    Effect.gen(function* () {
      const bot = yield* findBot(ports, accountId, id)
      yield* checkVersion(bot, version)
      const { alerts: requested, ...rest } = changes
      const atRest = restChanges(changes)
      if (atRest.length > 0) yield* checkRest(ports, bot, atRest)
      const { definition } = yield* runnableStrategy(
        ports,
        accountId,
        changes.strategy_id ?? bot.strategy_id
      )
      const changed: Bot = {
        ...bot,
        ...rest,
        timeframe: definition.timeframe,
        updated_at: yield* nowTimestamp
      }
      const kept = yield* ports.bots.update(changed)
      if (atRest.length > 0) {
        const datasets = yield* botDatasets(candles, kept.symbols, kept.timeframe)
        yield* ports.broker.close(bot.id)
        yield* equipBot(ports, kept, definition, datasets)
      }
      if (requested !== undefined) {
        for (const alert of yield* ports.alerts.listOfBot(accountId, id)) {
          yield* ports.alerts.remove(accountId, alert.id)
        }
        yield* keepAlerts(ports, kept, requested)
      }
      const names = Object.keys(changes).join(", ")
      yield* log(ports, id, "info", "bot.updated", `updated: ${names}`)
      return yield* withAlerts(ports, kept)
    })
  )
})

/** Refuses a change that only a bot may have that is at rest and flat. */
const checkRest = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  names: ReadonlyArray<string>
): Effect.fn.Return<void, RunnerError> {
  if (!changeableIn.includes(bot.status)) {
    return yield* problem(
      "invalid_transition",
      `${names.join(", ")} can't change while the bot is ${bot.status}; stop it first.`,
      { current_state: bot.status, allowed: allowedIn(bot.status) }
    )
  }
  yield* checkFlat(ports, bot)
})

const checkFlat = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot
): Effect.fn.Return<void, RunnerError> {
  const positions = yield* openPositions(ports, bot)
  if (positions.length === 0) return
  const what = positions.length === 1 ? "an open position" : `${positions.length} open positions`
  return yield* problem("open_positions", `The bot has ${what}; close them first.`, { positions })
})

/** Deletes a bot that is at rest, and flat unless its positions may be kept. */
export const removeBot = Effect.fn("Bots.remove")(function* (
  { ports, host }: BotWorld,
  accountId: string,
  id: string,
  positions: "keep" | undefined
): Effect.fn.Return<void, RunnerError> {
  const check = Effect.gen(function* () {
    const bot = yield* findBot(ports, accountId, id)
    if (!deletableIn.includes(bot.status)) {
      return yield* problem(
        "invalid_transition",
        `A bot that is ${bot.status} can't be deleted; stop it first.`,
        { current_state: bot.status, allowed: allowedIn(bot.status) }
      )
    }
    if (positions !== "keep") yield* checkFlat(ports, bot)
  })
  yield* check
  yield* host.end(id)
  yield* ports.transactor.transact(
    Effect.gen(function* () {
      yield* check
      for (const alert of yield* ports.alerts.listOfBot(accountId, id)) {
        yield* ports.alerts.remove(accountId, alert.id)
      }
      yield* ports.broker.close(id)
      yield* ports.orders.removeOfBot(id)
      yield* ports.journal.removeOfBot(id)
      yield* ports.bots.remove(accountId, id)
    })
  )
})
