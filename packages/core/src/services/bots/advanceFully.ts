/**
 * Carries on the command that a bot's status shows: a start, a pause or a stop.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import { BotMachine } from "../../domain/BotMachine.ts"
import * as StateTable from "../../domain/StateTable.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { nowTimestamp } from "../events/announce.ts"
import { isEntry } from "../orderLegs.ts"
import { protectAtVenue } from "../venues/bots/protectAtVenue.ts"
import { atCandle } from "./atCandle.ts"
import type { RunnerError } from "./botFailure.ts"
import { log } from "./botPorts.ts"
import { inBotTransaction, inGroup, type BotRun } from "./botRun.ts"
import { closeAtLastClose, findBot, holdBot } from "./botTasks.ts"
import type { Intent } from "./intend.ts"
import { closeForStop, mayHold } from "./intendClose.ts"
import { reconcileBot } from "./reconcileBot.ts"
import { settled } from "./settled.ts"
import { intendCancels, isCancelledByStop, saveSession, sendIntents } from "./stepBot.ts"

const start = Effect.fnUntraced(function* (
  run: BotRun,
  bot: Bot
): Effect.fn.Return<ReadonlyArray<Intent>, RunnerError> {
  const { ports, session } = run
  const { bot: reconciled, intents } = yield* reconcileBot(ports, bot, session, { accept: false })
  const now = yield* nowTimestamp
  yield* ports.bots.update({
    ...reconciled,
    status: StateTable.move(BotMachine, bot.status, "started"),
    error: null,
    started_at: now,
    updated_at: now
  })
  yield* saveSession(ports, bot.id, session)
  yield* log(ports, bot.id, "info", "bot.running", "running", atCandle(session))
  return intents
})

const pause = Effect.fnUntraced(function* (
  run: BotRun,
  bot: Bot
): Effect.fn.Return<ReadonlyArray<Intent>, RunnerError> {
  const { ports, session } = run
  const intents = yield* intendCancels(ports, bot, session, isEntry)
  yield* ports.bots.update(settled(bot, yield* nowTimestamp))
  yield* saveSession(ports, bot.id, session)
  const message = "paused; open positions are still managed"
  yield* log(ports, bot.id, "info", "bot.paused", message, atCandle(session))
  return intents
})

const stop = Effect.fnUntraced(function* (
  run: BotRun,
  bot: Bot
): Effect.fn.Return<ReadonlyArray<Intent>, RunnerError> {
  const { ports, session } = run
  const isHolding = session.account.books.some(({ position }) => position !== null)
  const isClosing = bot.stop_positions === "close" && (yield* mayHold(ports, bot, session))
  const cancels = yield* intendCancels(ports, bot, session, isClosing ? isEntry : isCancelledByStop)
  const closes = isClosing ? yield* closeForStop(run, bot) : []
  yield* protectAtVenue(ports, bot, session)
  if (isClosing) {
    yield* saveSession(ports, bot.id, session)
    return [...cancels, ...closes]
  }
  yield* ports.bots.update(settled(bot, yield* nowTimestamp))
  yield* saveSession(ports, bot.id, session)
  const message = isHolding ? "stopped; open positions are kept" : "stopped, flat"
  yield* log(ports, bot.id, "info", "bot.stopped", message, atCandle(session))
  return cancels
})

/** Continues a command that the bot's status shows. A start waits for candles. */
const advance = Effect.fnUntraced(function* (
  run: BotRun
): Effect.fn.Return<ReadonlyArray<Intent>, RunnerError> {
  const bot = yield* holdBot(run)
  if (bot !== null) run.advancedVersion = bot.version
  switch (bot?.status) {
    case "starting":
      return run.follows === "market" ? yield* start(run, bot) : []
    case "pausing":
      return yield* pause(run, bot)
    case "stopping":
      return yield* stop(run, bot)
    default:
      return []
  }
})

/**
 * Advances, notifies the broker, and goes on until nothing changes: a stop that closes positions
 * waits for their fills.
 */
export const advanceFully = Effect.fnUntraced(function* (
  run: BotRun
): Effect.fn.Return<void, RunnerError> {
  yield* sendIntents(run, yield* inGroup(run, advance(run)))
  if (!run.session.isDataEnded) return
  const bot = yield* findBot(run)
  if (bot?.status !== "stopping") return
  yield* inBotTransaction(run, closeAtLastClose(run))
  yield* sendIntents(run, yield* inBotTransaction(run, advance(run)))
})

/** Whether the bot's fibre stops following the market. */
export const isBotOver = (
  run: Pick<BotRun, "ports" | "accountId" | "botId">
): Effect.Effect<boolean, StoreError> =>
  Effect.map(
    findBot(run),
    (bot) => bot === null || bot.status === "stopped" || bot.status === "error"
  )
