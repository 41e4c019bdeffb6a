/**
 * A bot at work in this process: its session, and the transactions that write for it.
 *
 * @since 0.1.0
 */
import { Clock, Effect } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import { connectVenue } from "../venues/bots/connectVenue.ts"
import type { RunnerError } from "./botFailure.ts"
import type { BotPorts } from "./botPorts.ts"
import { botDefinition } from "./botRules.ts"
import { type BotSession, openSession } from "./botSession.ts"
import { requireState } from "./keptState.ts"
import type { Opening } from "./openings.ts"
import { replaceSession } from "./sharedSession.ts"

/** A bot at work in this process. */
export interface BotRun {
  readonly ports: BotPorts
  readonly accountId: string
  readonly botId: string
  /** The markets that it follows, and their timeframe: bots that have these alike step together. */
  readonly market: string
  /** Whether the bot is placed on this process. */
  readonly isOwned: () => boolean
  /** A single task finds the market in the kept state. */
  readonly follows: "market" | "nothing"
  session: BotSession
  /** The version of the bot whose command was carried on last. */
  advancedVersion: number
  /** The version of the state that the last transaction has left. */
  keptVersion: number
  /** When the transaction began that is under way or has failed; null once one was kept. */
  triedSinceMs: number | null
  /** The news about its exchange account's hindrances at the last look, as text. */
  accountNews: string
  /** When a stop asked last for positions to be closed; null where it has not. */
  closeAskedMs: number | null
}

/** The kept state of a bot besides its record. */
type Kept = Pick<Opening, "definition" | "state">

const readKept = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot
): Effect.fn.Return<Kept, RunnerError> {
  const definition = yield* botDefinition(ports, bot)
  return { definition, state: yield* ports.botStates.get(bot.id) }
})

/** Opens a session from the kept state. */
const loadSession = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  follows: BotRun["follows"],
  terms: "asked" | "known",
  kept?: Kept
): Effect.fn.Return<BotSession, RunnerError> {
  const { definition, state } = kept ?? (yield* readKept(ports, bot))
  const saved = yield* requireState(ports, bot, state)
  const opening = openSession(ports, bot, definition, saved, follows)
  const session = yield* follows === "market"
    ? ports.openings.inTurn(bot.account_id, opening)
    : opening
  session.live = yield* connectVenue(ports, bot, terms)
  return session
})

const runOf = (
  ports: BotPorts,
  bot: Bot,
  { follows, isOwned }: Pick<BotRun, "follows" | "isOwned">,
  session: BotSession
): BotRun => ({
  ports,
  accountId: bot.account_id,
  botId: bot.id,
  market: JSON.stringify([bot.timeframe, ...bot.symbols]),
  isOwned,
  follows,
  session,
  advancedVersion: 0,
  keptVersion: session.stateVersion,
  triedSinceMs: null,
  accountNews: "",
  closeAskedMs: null
})

/** A run of a bot that follows its market, from records that were read with other bots' records. */
export const openFollowing = (
  ports: BotPorts,
  { bot, ...kept }: Opening,
  isOwned: BotRun["isOwned"]
): Effect.Effect<BotRun, RunnerError> =>
  Effect.map(loadSession(ports, bot, "market", "asked", kept), (session) =>
    runOf(ports, bot, { follows: "market", isOwned }, session)
  )

/** A run of a bot as it is kept, for a single task. */
export const openRun = (
  ports: BotPorts,
  bot: Bot,
  isOwned: BotRun["isOwned"]
): Effect.Effect<BotRun, RunnerError> =>
  Effect.map(loadSession(ports, bot, "nothing", "known"), (session) =>
    runOf(ports, bot, { follows: "nothing", isOwned }, session)
  )

/** Notes the version that a transaction has left. */
export const noteVersion = (run: BotRun): Effect.Effect<void> =>
  Effect.sync(() => {
    run.keptVersion = run.session.stateVersion
  })

/** Notes the beginning of a transaction, and the version that it has left. */
const noting = <A>(run: BotRun, transaction: Effect.Effect<A, RunnerError>) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
    run.triedSinceMs ??= nowMs
    return Effect.tap(transaction, () => {
      run.triedSinceMs = null
      return noteVersion(run)
    })
  })

/** Carries an effect out in one transaction. */
export const inBotTransaction = <A>(run: BotRun, effect: Effect.Effect<A, RunnerError>) =>
  noting(run, run.ports.transactor.transact(effect))

/** The same in one transaction with the steps of other bots. */
export const inGroup = <A>(run: BotRun, effect: Effect.Effect<A, RunnerError>) => {
  // A live bot's writes besides its state are not written for a group.
  if (run.session.live !== null) return inBotTransaction(run, effect)
  const member = {
    accountId: run.accountId,
    botId: run.botId,
    market: run.market,
    stateVersion: () => run.session.stateVersion
  }
  return noting(run, run.ports.stepGroups.step(member, effect))
}

/** Reads the session anew from the kept state. */
export const reload = Effect.fnUntraced(function* (
  run: BotRun,
  bot: Bot
): Effect.fn.Return<void, RunnerError> {
  yield* replaceSession(run, yield* loadSession(run.ports, bot, run.follows, "known"))
  yield* noteVersion(run)
})
