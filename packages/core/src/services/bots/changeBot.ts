/**
 * Changing and deleting bots, as each state allows.
 *
 * @since 0.1.0
 */
import { toTimestamp } from "@candlewick/engine"
import { Effect } from "effect"
import type { Alert } from "../../domain/Alert.ts"
import type { ArchivedBot } from "../../domain/ArchivedBot.ts"
import type { Bot, BotChanges } from "../../domain/Bot.ts"
import { allowedIn, restingStates } from "../../domain/BotMachine.ts"
import { type Problem, problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { tradingFields, TradingStateMachine } from "../../domain/TradingStateMachine.ts"
import type { BotWithAlerts } from "../../domain/BotWithAlerts.ts"
import type { Candles } from "../candles/Candles.ts"
import { replacedUnder } from "../candles/replacedCandles.ts"
import { allPages } from "../allPages.ts"
import type { BotHost } from "./botHost.ts"
import { botDefinition, pinVersion } from "./botRules.ts"
import { nowTimestamp } from "../events/announce.ts"
import { archiveBot } from "./archiveBot.ts"
import { type BotPorts, booksOf, log } from "./botPorts.ts"
import type { RunnerError } from "./botFailure.ts"
import { openPositions } from "./botViews.ts"
import { lockAccount } from "../accounts/checkQuota.ts"
import {
  botDatasets,
  candlePinsOf,
  equipBot,
  keepAlerts,
  datasetMarkets,
  runnableStrategy
} from "./createBot.ts"
import { checkVersion, required } from "../refusals.ts"
import { keptState } from "./keptState.ts"
import { marketFields, pinMarkets, reportRevisions } from "./pinMarkets.ts"
import { refuseForbiddenShorts } from "../strategies/forbiddenShorts.ts"
import { refuseMixedQuotes } from "../strategies/refuseMixedQuotes.ts"
import { refuseUnread } from "../strategies/refuseUnread.ts"
import { refuseUnstopped } from "./refuseUnstopped.ts"
import { untilKept } from "../untilKept.ts"
import { releaseShare } from "../venues/agent/shareAccount.ts"
import { wakeAgent } from "../venues/bots/followVenue.ts"
import {
  type AccountRef,
  accountOf,
  placementKeyOf,
  type SharedVenue
} from "../venues/bots/liveVenue.ts"
import { prepareChange } from "../venues/bots/prepareLive.ts"

/** The services of commands on bots. */
export interface BotServices {
  readonly ports: BotPorts
  readonly candles: Candles["Service"]
  readonly host: BotHost
}

/** Finds a bot; fails with `not_found`. */
export const requireBot = ({ bots }: BotPorts, accountId: string, id: string) =>
  required(bots.get(accountId, id), "bot", id)

/** Finds a bot for the transaction that writes it; fails with `not_found`. */
export const requireHeldBot = ({ bots }: BotPorts, accountId: string, id: string) =>
  required(bots.hold(accountId, id), "bot", id)

/** A bot with its alerts. */
export const withAlerts = (ports: BotPorts, bot: Bot): Effect.Effect<BotWithAlerts, StoreError> =>
  Effect.map(ports.alerts.listOfBots(bot.account_id, [bot.id]), (alerts) => ({ ...bot, alerts }))

/** Bots of one account with theirs, which are asked for at once however many bots there are. */
export const allWithAlerts = (
  ports: BotPorts,
  accountId: string,
  bots: ReadonlyArray<Bot>
): Effect.Effect<ReadonlyArray<BotWithAlerts>, StoreError> => {
  const ids = bots.map(({ id }) => id)
  return Effect.map(ports.alerts.listOfBots(accountId, ids), (alerts) => {
    const ofBots = Map.groupBy(alerts, ({ bot_id }) => bot_id)
    return bots.map((bot) => ({ ...bot, alerts: ofBots.get(bot.id) ?? [] }))
  })
}

/** The fields that would not be as they are. */
const changedFields = (bot: Bot, changes: BotChanges): ReadonlyArray<keyof BotChanges> =>
  (Object.keys(changes) as ReadonlyArray<keyof BotChanges>).filter(
    (name) =>
      // Alerts are replaced by equal ones that are armed again.
      name === "alerts" || JSON.stringify(changes[name]) !== JSON.stringify(bot[name])
  )

/** The fields that only a bot at rest may change. */
const restFields: ReadonlyArray<keyof BotChanges> = [
  "strategy_id",
  "parameters",
  "capital_allocation",
  "symbols"
]

/** The field that a change of strategy or markets is refused at. */
const whereOf = (names: ReadonlyArray<keyof BotChanges>) =>
  names.includes("symbols") ? "/symbols" : "/strategy_id"

/** Removes alerts; one that its owner has removed meanwhile is gone already. */
const removeAlerts = ({ alerts }: BotPorts, which: ReadonlyArray<Alert>) =>
  Effect.forEach(
    which,
    ({ account_id, id }) =>
      Effect.catchReason(
        alerts.remove(account_id, id),
        "StoreError",
        "NotFound",
        () => Effect.void
      ),
    { discard: true }
  )

/** Values of another strategy's parameters say nothing of a new one. */
const keptFields = (bot: Bot, { strategy_id: strategyId }: BotChanges): Bot => {
  if (strategyId === undefined || strategyId === bot.strategy_id) return bot
  const { parameters: _parameters, ...rest } = bot
  return rest
}

/** Changes the fields that the state allows to change. */
export const updateBot = Effect.fn("Bots.update")(function* (
  { ports, candles }: BotServices,
  accountId: string,
  id: string,
  changes: BotChanges,
  version: number | undefined
): Effect.fn.Return<BotWithAlerts, RunnerError> {
  const live = yield* prepareChange(ports, yield* requireBot(ports, accountId, id), changes)
  return yield* ports.transactor.transact(
    Effect.gen(function* () {
      yield* lockAccount(ports.transactor, accountId)
      const bot = yield* requireHeldBot(ports, accountId, id)
      yield* checkVersion(bot, version)
      const { alerts: requested, ...rest } = changes
      const fields = changedFields(bot, changes)
      if (fields.length === 0) return yield* withAlerts(ports, bot)
      const atRest = fields.filter((name) => restFields.includes(name))
      if (atRest.length > 0) yield* checkRest(ports, bot, atRest)
      const changed: Bot = { ...keptFields(bot, rest), ...rest, updated_at: yield* nowTimestamp }
      yield* checkMeaning(ports, changed, fields)
      const kept =
        atRest.length > 0
          ? yield* equipAnew({ ports, candles }, changed, whereOf(atRest), live)
          : yield* ports.bots.update(changed)
      if (requested !== undefined) {
        yield* removeAlerts(ports, yield* ports.alerts.listOfBots(accountId, [id]))
        yield* keepAlerts(ports, kept, requested)
      }
      yield* log(ports, id, "info", "bot.updated", `updated: ${fields.join(", ")}`, {
        ...(atRest.length > 0 ? { is_account_new: true } : yield* riskBefore(ports, bot, fields))
      })
      return yield* withAlerts(ports, kept)
    })
  )
})

/** The risk profile that a bot has gone by, and up to which candle, where it changes. */
const riskBefore = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  fields: ReadonlyArray<keyof BotChanges>
) {
  if (!fields.includes("risk")) return {}
  const { cursor } = yield* keptState(ports, bot)
  return { risk_before: bot.risk, ...(cursor !== null && { candle_time: toTimestamp(cursor) }) }
})

/**
 * Refuses a change after which strategy and risk, or the markets, do not fit each other. A change
 * that touches none of them passes: a bot of an earlier version may lack that fit already, and its
 * owner must be able to manage it.
 */
const checkMeaning = Effect.fnUntraced(function* (
  ports: BotPorts,
  changed: Bot,
  fields: ReadonlyArray<keyof BotChanges>
): Effect.fn.Return<void, Problem | StoreError> {
  if (fields.includes("symbols")) yield* refuseMixedQuotes(changed.symbols, "/symbols")
  const isOtherRisk = fields.includes("risk")
  const isOther = isOtherRisk || fields.includes("strategy_id")
  if (!isOther && !fields.includes("symbols")) return
  const definition = yield* botDefinition(ports, changed)
  if (definition === null) return
  const where = fields.includes("symbols") ? "/symbols" : "/strategy_id"
  yield* refuseUnread(definition, changed.symbols, where)
  if (!isOther) return
  const pointer = isOtherRisk ? "/risk/is_stop_loss_mandatory" : "/strategy_id"
  yield* refuseUnstopped(definition, changed.risk, pointer)
})

/**
 * The bot as it starts. A bot that was at rest trades by the newest terms of its markets. Refuses
 * one whose strategy and risk, or whose markets, don't go together. A caller may have rewritten the
 * strategy since, or an earlier version may have made the bot.
 */
export const checkStart = Effect.fnUntraced(function* (
  { candles, ports }: Pick<BotServices, "candles" | "ports">,
  bot: Bot
): Effect.fn.Return<Bot, RunnerError> {
  yield* refuseMixedQuotes(bot.symbols, "")
  const definition = yield* botDefinition(ports, bot)
  if (definition === null) return bot
  yield* refuseUnread(definition, bot.symbols, "")
  yield* refuseUnstopped(definition, bot.risk, "")
  if (!restingStates.includes(bot.status)) return bot
  const pinned = yield* pinCandles({ candles }, yield* pinVersion(ports, bot))
  return yield* pinMarkets(ports, pinned, definition)
})

/** The bot with the present candles, where the candles of its pins were replaced. */
const pinCandles = Effect.fnUntraced(function* (
  { candles }: Pick<BotServices, "candles">,
  bot: Bot
): Effect.fn.Return<Bot, Problem | StoreError> {
  const replaced = yield* replacedUnder({ candles }, bot)
  if (!replaced.some(({ newest_revision: newest }) => newest !== null)) return bot
  return { ...bot, candles: candlePinsOf(yield* botDatasets(candles, bot.account_id, bot)) }
})

/**
 * Gives a bot a new account for its new strategy, markets or capital. Its earnings begin anew.
 */
const equipAnew = Effect.fnUntraced(function* (
  { ports, candles }: Pick<BotServices, "ports" | "candles">,
  changed: Bot,
  where: "/strategy_id" | "/symbols",
  live: SharedVenue | null
): Effect.fn.Return<Bot, RunnerError> {
  const { definition, pin } = yield* runnableStrategy(ports, changed.account_id, changed)
  const { timeframe } = definition
  const { account_id: accountId, symbols } = changed
  const datasets = yield* botDatasets(candles, accountId, { symbols, timeframe })
  yield* refuseForbiddenShorts(definition, datasets, where)
  const kept = yield* ports.bots.update({
    ...changed,
    ...pin,
    candles: candlePinsOf(datasets),
    timeframe,
    ...marketFields(definition, datasetMarkets(datasets)),
    ...tradingFields(TradingStateMachine.initial)
  })
  yield* booksOf(ports, kept).close(kept.id)
  yield* ports.journal.clearEquity(kept.id)
  yield* equipBot(ports, kept, definition, datasets, live)
  yield* reportRevisions(ports, changed, datasetMarkets(datasets), "revised")
  return kept
})

/** Refuses a change that only a bot may have that is at rest and flat. */
const checkRest = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  names: ReadonlyArray<string>
): Effect.fn.Return<void, RunnerError> {
  if (!restingStates.includes(bot.status)) {
    return yield* problem(
      "invalid_transition",
      `${names.join(", ")} can't change while the bot is ${bot.status}; stop it first.`,
      { current_state: bot.status, allowed: allowedIn(bot.status) }
    )
  }
  yield* checkFlat(ports, bot)
  if (yield* mayFill(ports, bot)) {
    return yield* problem(
      "unavailable",
      "An order of the bot may have filled, or fill still: try again once its exchange has ended " +
        "it. Stop a bot in error first; where an outcome is unknown, reconcile the bot."
    )
  }
})

/** Whether a bot at rest may come to hold something that its exchange has not reported yet. */
const mayFill = Effect.fnUntraced(function* (
  { venueAccounts, venueBooks }: BotPorts,
  bot: Bot
): Effect.fn.Return<boolean, StoreError> {
  if (bot.mode !== "live") return false
  const open = yield* venueAccounts.listOpenAttempts(placementKeyOf(bot))
  if (open.some(({ bot_id: id }) => id === bot.id)) return true
  // A bot that was never started has no books.
  const book = yield* Effect.catchTag(venueBooks.read(bot.id), "BooksError", () =>
    Effect.succeed(null)
  )
  return book !== null && (yield* venueAccounts.factsOf(bot.id, book.sequence)).length > 0
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

/**
 * Deletes a bot that is at rest, and flat unless its positions may be kept. The archive keeps its
 * record and last state; its orders, trades, log and equity stay under its id.
 */
export const removeBot = Effect.fn("Bots.remove")(function* (
  { ports, host }: BotServices,
  accountId: string,
  id: string,
  positions: "keep" | undefined
): Effect.fn.Return<void, RunnerError> {
  const check = Effect.fnUntraced(function* (found: ReturnType<typeof requireBot>) {
    const bot = yield* found
    if (!restingStates.includes(bot.status)) {
      return yield* problem(
        "invalid_transition",
        `A bot that is ${bot.status} can't be deleted; stop it first.`,
        { current_state: bot.status, allowed: allowedIn(bot.status) }
      )
    }
    if (positions !== "keep") yield* checkFlat(ports, bot)
    return bot
  })
  yield* check(requireBot(ports, accountId, id))
  yield* host.end(id)
  const removing = Effect.gen(function* () {
    yield* lockAccount(ports.transactor, accountId)
    const bot = yield* check(requireHeldBot(ports, accountId, id))
    const account = accountOf(bot)
    const count = account === null ? 0 : yield* leaveVenue(ports, account, id)
    const archived = yield* archiveBot(ports, bot, count)
    // Any writer for it has ended by now, and none begins.
    yield* ports.bots.remove(accountId, id, bot.version)
    const alerts = yield* allPages((page) => ports.alerts.list(accountId, page))
    yield* removeAlerts(ports, alerts.filter(({ bot_id }) => bot_id === id).toReversed())
    yield* booksOf(ports, bot).close(id)
    yield* tellDeleted(ports, archived)
    return account
  })
  // Where it has moved since, it is asked again whether it is at rest and flat.
  const account = yield* untilKept(ports.transactor.transact(removing))
  if (account !== null) yield* wakeAgent(ports, account)
})

/**
 * Leaves a bot's assets to the owner of its exchange account, and takes its open orders back.
 * Returns the number of these orders.
 */
const leaveVenue = Effect.fnUntraced(function* (
  { venueAccounts }: Pick<BotPorts, "venueAccounts">,
  account: AccountRef,
  botId: string
): Effect.fn.Return<number, StoreError> {
  const { key } = yield* releaseShare({ ...account, venueAccounts }, botId)
  const open = yield* venueAccounts.listOpenAttempts(key)
  const own = open.filter(({ bot_id }) => bot_id === botId)
  for (const attempt of own) {
    if (attempt.is_cancel_wanted) continue
    yield* venueAccounts.putAttempt({ ...attempt, is_cancel_wanted: true })
  }
  return own.length
})

/** Logs for a deleted bot the fate of its orders and positions. */
const tellDeleted = (
  ports: BotPorts,
  { exchange, id, kept_positions: kept, mode, orders_taken_back: count = 0 }: ArchivedBot
): Effect.Effect<void, StoreError> => {
  const said = ["deleted: its books stay in the archive"]
  if (count > 0) {
    said.push(
      count === 1
        ? `its order at ${exchange} is taken back`
        : `its ${count} orders at ${exchange} are taken back`
    )
  }
  const isLeft = mode === "live" && kept.length > 0
  if (isLeft) said.push("no order protects the position that it held")
  const level = isLeft ? "warn" : "info"
  const fields = count > 0 ? { orders_taken_back: count } : {}
  return log(ports, id, level, "bot.deleted", said.join("; "), fields)
}
