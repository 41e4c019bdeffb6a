/**
 * The tasks of a bot besides starting, pausing and stopping. It may close its positions, open its
 * risk gate, hold its books against the broker's, or cancel its entries.
 *
 * A task is decided in one transaction, which writes the orders for the broker. The process that
 * owns the bot passes it on at once. Any other one leaves that to the owner, which finds that the
 * state has changed and sends the unsent orders.
 *
 * @since 0.1.0
 */
import { Data, Effect, Option } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import { restingStates } from "../../domain/BotMachine.ts"
import { problem } from "../../domain/Problem.ts"
import type { Adjustment, Difference } from "../../domain/Reconciliation.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { tradingFields } from "../../domain/TradingStateMachine.ts"
import { allowsEntry, resumeRiskGate } from "@candlewick/engine/kernel"
import type { OnceOnly } from "../../ports/KeyedRequest.ts"
import { nowTimestamp } from "../events/announce.ts"
import { reviseEquity } from "./botEquity.ts"
import type { RunnerError } from "./botFailure.ts"
import { bookReport, hasChanges } from "./bookReport.ts"
import { type BotPorts, booksOf, log } from "./botPorts.ts"
import { inGroup, inBotTransaction, noteVersion, openRun, reload, type BotRun } from "./botRun.ts"
import type { BotSession } from "./botSession.ts"
import { isHalted } from "../accounts/killSwitch.ts"
import { intendClose } from "./intendClose.ts"
import { reconcileBot } from "./reconcileBot.ts"
import { checkVersion, required } from "../refusals.ts"
import type { Intent } from "./intend.ts"
import { intendCancels, saveSession, sendIntents, unsentIntents } from "./stepBot.ts"
import { untilKept } from "../untilKept.ts"
import { haltReason } from "./takenBack.ts"
import type { FoundHoldings } from "../venues/agent/AgentReport.ts"
import { acceptAbsence, showMissing } from "../venues/bots/followVenue.ts"
import { protectAtVenue } from "../venues/bots/protectAtVenue.ts"
import { isEntry } from "../orderLegs.ts"

/** The tasks of a bot, besides going on. */
export type BotTask =
  | { readonly type: "close" }
  | { readonly type: "resume_risk" }
  /** Takes back entries, because the account is halted; news are worth a line of the log. */
  | { readonly type: "halt"; readonly isNews: boolean }
  | {
      readonly type: "reconcile"
      readonly accept: boolean
      /** The version that the caller knows. */
      readonly version: number | undefined
      /** The comparison by another process, where that sends for the bot's exchange account. */
      readonly found?: FoundHoldings | null
    }

/** The result of a task; without meaning but for a reconciliation. */
export interface BotTaskResult {
  readonly changed: boolean
  readonly differences: ReadonlyArray<Difference>
  readonly adjustment: Adjustment | null
}

/** The request that asks for a task, and whether the bot is at rest. */
export interface TaskRequest {
  /** The request that asks for it; none where the bot's own fibre does. */
  readonly keyed?: OnceOnly
  readonly isAtRest?: boolean
}

/** The bot came to rest before a task for its owner was written down. */
class CameToRest extends Data.TaggedError("CameToRest") {}

/** The bot's record, or null where it is gone. */
export const findBot = (run: Pick<BotRun, "ports" | "accountId" | "botId">) =>
  Effect.map(run.ports.bots.get(run.accountId, run.botId), Option.getOrNull)

/**
 * The same, for a transaction that writes for the bot. It has the bot to itself from then on, so
 * that two of them in any processes never wait for one another.
 */
export const holdBot = (run: Pick<BotRun, "ports" | "accountId" | "botId">) =>
  Effect.map(run.ports.bots.hold(run.accountId, run.botId), Option.getOrNull)

/** Closes at the last close, because no candle may come that has an open to close at. */
export const closeAtLastClose = Effect.fnUntraced(function* (
  run: BotRun
): Effect.fn.Return<void, RunnerError> {
  const { ports, session } = run
  const bot = yield* holdBot(run)
  if (bot === null) return
  // The broker keeps something also where there is nothing to book.
  yield* ports.botStates.hold(bot.id, session.stateVersion)
  const report = yield* booksOf(ports, bot).settle(bot.id, null)
  if (!hasChanges(report)) return
  yield* bookReport(ports, bot, session, report)
  yield* reviseEquity(ports, bot, session)
  yield* saveSession(ports, bot.id, session)
})

interface Decided {
  readonly result: BotTaskResult
  readonly intents: ReadonlyArray<Intent>
}

const done: BotTaskResult = { changed: true, differences: [], adjustment: null }

/** The task of a bot that begins. */
export const firstReconcile = { type: "reconcile", accept: false, version: undefined } as const

const nothing: Decided = { result: { ...done, changed: false }, intents: [] }

/**
 * Keeps the bot, whose new version has its owner look, and then its session. A decision may
 * leave less to stops that rest at a venue: they make room in the same transaction.
 */
const keep = Effect.fnUntraced(function* (
  { ports, session }: BotRun,
  bot: Bot
): Effect.fn.Return<void, RunnerError> {
  yield* protectAtVenue(ports, bot, session)
  yield* ports.bots.update({ ...bot, updated_at: yield* nowTimestamp })
  yield* saveSession(ports, bot.id, session)
})

/** Exits that were decided before are asked for now as well; false where there are none. */
const hastenExits = ({ account }: BotSession): boolean => {
  let isAny = false
  for (const book of account.books) {
    book.orders = book.orders.map((order) => {
      // An exit that rests at a price, such as a target, does not count as one that was decided.
      const isExit = order.leg === "exit" && order.type === "market"
      if (!isExit || order.reason === "force_exit") return order
      isAny = true
      return { ...order, reason: "force_exit" }
    })
  }
  return isAny
}

/** Decides a task in the transaction under way. */
export const decideTask = Effect.fnUntraced(function* (
  run: BotRun,
  bot: Bot,
  task: BotTask
): Effect.fn.Return<Decided, RunnerError> {
  const { ports, session } = run
  switch (task.type) {
    case "close": {
      const intents = yield* intendClose(ports, bot, session, "force_exit")
      if (hastenExits(session) || intents.length > 0) yield* keep(run, bot)
      return { result: done, intents }
    }
    case "resume_risk": {
      // Reconciling may have halted the bot, or the next day have begun, since it was asked.
      yield* checkTask(bot, task)
      if (!allowsEntry(session.gate)) resumeRiskGate(session.gate)
      else if (bot.trading_state_reason === session.gate.reason) return nothing
      yield* keep(run, { ...bot, ...tradingFields(session.gate.reason) })
      yield* log(ports, bot.id, "info", "risk.resumed", "trading is active again")
      return { result: done, intents: [] }
    }
    case "halt": {
      // A repetition may come when that is over.
      if (!(yield* isHalted(ports, bot.account_id))) return nothing
      const intents = yield* intendCancels(ports, bot, session, isEntry, haltReason)
      if (task.isNews || intents.length > 0) {
        const message = `the account is halted; ${intents.length} entries are cancelled`
        yield* log(ports, bot.id, "warn", "account.halted", message)
      }
      // Write the state even with nothing to cancel: a concurrent decision then fails.
      yield* keep(run, bot)
      return { result: { ...done, changed: intents.length > 0 }, intents }
    }
    case "reconcile": {
      yield* checkVersion(bot, task.version)
      const { live } = session
      const isShown = live !== null && (yield* showMissing(ports, bot, live, task.found))
      const isEnded = live !== null && task.accept && (yield* acceptAbsence(ports, bot, live))
      const found = yield* reconcileBot(ports, bot, session, task)
      if (found.isTouched || isShown || isEnded) yield* keep(run, found.bot)
      return { result: found, intents: found.intents }
    }
  }
})

/** Decides in a transaction, once for a request. A repetition finds the kept decision. */
const decideOnce = <E>(
  { ports }: BotRun,
  keyed: OnceOnly,
  deciding: Effect.Effect<Decided, E | RunnerError>
): Effect.Effect<Decided, E | RunnerError> =>
  keyed.once("task", deciding, ports.transactor.transact)

/** Takes back the changes that a refused decision made to the session. */
const reopen = Effect.fnUntraced(function* (run: BotRun): Effect.fn.Return<void, RunnerError> {
  const bot = yield* findBot(run)
  if (bot !== null) yield* reload(run, bot)
})

/** Whether positions wait to be closed because somebody asked for it. */
const isClosing = ({ account }: BotSession): boolean =>
  account.books.some(({ orders }) =>
    orders.some(({ reason, leg }) => leg === "exit" && reason === "force_exit")
  )

/** Carries a task out, as the bot's owner. */
export const runBotTask = Effect.fnUntraced(function* (
  run: BotRun,
  task: BotTask,
  { isAtRest = false, keyed }: TaskRequest = {}
): Effect.fn.Return<BotTaskResult, RunnerError> {
  let isFirst = false
  const deciding = Effect.flatMap(holdBot(run), (bot) => {
    isFirst = true
    return bot === null ? Effect.succeed(nothing) : decideTask(run, bot, task)
  })
  const decided = keyed === undefined ? inGroup(run, deciding) : decideOnce(run, keyed, deciding)
  const { intents, result } = yield* Effect.tapErrorTag(decided, "Problem", () => reopen(run))
  yield* noteVersion(run)
  // An earlier request's unsent decision is sent by now, as after any crash.
  if (isFirst) yield* sendIntents(run, intents)
  const isEnd = isAtRest || run.session.isDataEnded
  if (task.type === "close" && isEnd && (isFirst || isClosing(run.session))) {
    yield* inBotTransaction(run, closeAtLastClose(run))
  }
  return result
})

/** Whether entries rest although the account is halted. */
export const entersHalted = Effect.fnUntraced(function* ({
  accountId,
  ports,
  session
}: BotRun): Effect.fn.Return<boolean, StoreError> {
  const isEntering = session.account.books.some(({ orders }) => orders.some(isEntry))
  return isEntering && (yield* isHalted(ports, accountId))
})

/** Takes back entries that rest although the account is halted, before a candle fills them. */
export const obeyHalt = Effect.fnUntraced(function* (
  run: BotRun
): Effect.fn.Return<void, RunnerError> {
  if (yield* entersHalted(run)) yield* runBotTask(run, { type: "halt", isNews: false })
})

/**
 * Sends the orders that were decided and not sent, also those from before a crash or of another
 * process.
 */
export const sendUnsent = Effect.fnUntraced(function* (
  run: BotRun,
  bot: Bot
): Effect.fn.Return<void, RunnerError> {
  const { ports, session } = run
  // For a live bot the agent of its account finds the orders in the store.
  const isLive = bot.mode === "live"
  const unsent = isLive ? [] : yield* inGroup(run, unsentIntents(ports, bot, session))
  yield* sendIntents(run, unsent)
  if (session.isDataEnded && isClosing(session)) yield* inBotTransaction(run, closeAtLastClose(run))
})

/**
 * Holds a paper bot that begins against its books, in the transaction that finds all of its
 * decisions sent. False where some are to be sent first, and nothing was decided.
 */
export const reconcileIfSent = Effect.fnUntraced(function* (
  run: BotRun,
  bot: Bot
): Effect.fn.Return<boolean, RunnerError> {
  const { ports, session } = run
  // A live bot waits for its venue, and a recording's end may close positions in between.
  if (session.live !== null || session.isDataEnded) return false
  const deciding = Effect.gen(function* () {
    const unsent = yield* unsentIntents(ports, bot, session)
    if (unsent.length > 0) return null
    const now = yield* holdBot(run)
    return now === null ? nothing : yield* decideTask(run, now, firstReconcile)
  })
  const decided = yield* Effect.tapErrorTag(inGroup(run, deciding), "Problem", () => reopen(run))
  if (decided === null) return false
  yield* sendIntents(run, decided.intents)
  return true
})

/**
 * Takes over the state that another process has written for the bot since. A bot that is not this
 * process's any more is left as it is: its next write fails, and that ends it.
 */
export const catchUp = Effect.fnUntraced(function* (
  run: BotRun
): Effect.fn.Return<void, RunnerError> {
  const bot = yield* findBot(run)
  const kept = Option.getOrNull(yield* run.ports.botStates.get(run.botId))
  if (bot === null || kept === null || kept.version === run.session.stateVersion) return
  if (!run.isOwned()) return
  yield* reload(run, bot)
  yield* sendUnsent(run, bot)
})

/** Carries out one task for a bot at rest, whose market no fibre follows. */
export const runOnce = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  task: BotTask,
  keyed: OnceOnly
): Effect.fn.Return<BotTaskResult, RunnerError> {
  const carriedOut = Effect.gen(function* () {
    const run = yield* openRun(ports, bot, () => true)
    yield* sendIntents(run, yield* unsentIntents(ports, bot, run.session))
    return yield* runBotTask(run, task, { keyed, isAtRest: true })
  })
  // A broker knows nothing of a bot that was deleted meanwhile.
  return yield* Effect.tapErrorTag(carriedOut, "BooksError", () =>
    required(ports.bots.get(bot.account_id, bot.id), "bot", bot.id)
  )
})

/**
 * Writes a task down for a bot that is another's: its owner, whose next write finds another
 * version, sees to the rest. Null where the bot has come to rest, so that no fibre would.
 */
export const writeDown = (
  ports: BotPorts,
  bot: Bot,
  task: BotTask,
  keyed: OnceOnly
): Effect.Effect<BotTaskResult | null, RunnerError> =>
  untilKept(
    Effect.gen(function* () {
      const run = yield* openRun(ports, bot, () => false)
      const deciding = Effect.gen(function* () {
        const now = yield* holdBot(run)
        if (now === null || restingStates.includes(now.status)) return yield* new CameToRest()
        return yield* decideTask(run, now, task)
      })
      return (yield* decideOnce(run, keyed, deciding)).result
    }).pipe(Effect.catchTag("CameToRest", () => Effect.succeed(null)))
  )

/** The obstacle to a task, as far as the bot's record shows. */
export const checkTask = (bot: Bot, task: BotTask): Effect.Effect<void, RunnerError> =>
  task.type === "resume_risk" && bot.trading_state_reason === "reconcile_mismatch"
    ? Effect.fail(
        problem(
          "invalid_transition",
          "The bot and the exchange differ; reconcile it, which opens the risk gate again.",
          { current_state: bot.trading_state_reason, allowed: ["reconcile"] }
        )
      )
    : Effect.void
