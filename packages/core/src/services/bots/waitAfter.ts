/**
 * Waits before a bot is opened again after a failure.
 *
 * A live bot whose source of candles fails has orders at its venue meanwhile. It books its facts,
 * audits its stops, and carries commands out that need no candles.
 *
 * @since 0.1.0
 */
import { Effect, Fiber, Queue } from "effect"
import { restingStates } from "../../domain/BotMachine.ts"
import { advanceFully, isBotOver } from "./advanceFully.ts"
import type { RunnerError } from "./botFailure.ts"
import { type BotInbox, processMessages } from "./botInbox.ts"
import type { BotPorts } from "./botPorts.ts"
import { type BotRun, openRun } from "./botRun.ts"
import { findBot, obeyHalt, runBotTask } from "./botTasks.ts"
import { type DueAudits, lookEveryMs, makeDueAudits } from "./dueAudits.ts"
import { takeFacts } from "./takeFacts.ts"

/** A bot that can't be opened for now. */
export interface UnopenedBot {
  readonly ports: BotPorts
  readonly accountId: string
  readonly botId: string
  readonly inbox: BotInbox
  readonly isOwned: BotRun["isOwned"]
  /** When its stop asked last for positions to be closed; null where it has not. */
  closeAskedMs: number | null
}

/** The parts of a session by which audits are due. */
type Audited = Parameters<DueAudits>[0]

/** Audits of a bot whose facts could not be taken: they are tried again at the next look. */
const isDueAtOnce: Audited = { askAgainMs: Number.NEGATIVE_INFINITY }

/**
 * Does the work of a live bot that needs no candles. The bot obeys a halt, books fills and audits
 * its stops, carries tasks out, and carries a pause or a stop on. Returns null where it has no
 * venue or belongs to another process.
 */
const workWithoutCandles = Effect.fnUntraced(function* (
  unopened: UnopenedBot
): Effect.fn.Return<Audited | "over" | null, RunnerError> {
  const { inbox, isOwned, ports } = unopened
  const bot = yield* findBot(unopened)
  if (bot === null || restingStates.includes(bot.status)) return "over"
  if (bot.mode !== "live" || !isOwned()) return null
  const { closeAskedMs } = unopened
  const run: BotRun = { ...(yield* openRun(ports, bot, isOwned)), closeAskedMs }
  yield* obeyHalt(run)
  yield* takeFacts(run)
  yield* processMessages(inbox, {
    wake: Effect.void,
    runTask: (task, keyed) => runBotTask(run, task, { keyed })
  })
  yield* advanceFully(run)
  unopened.closeAskedMs = run.closeAskedMs
  return (yield* isBotOver(run)) ? "over" : run.session
})

/**
 * Waits before a bot without candles is opened again. It works first, where it is woken, and where
 * an audit is due. Returns whether the bot is over.
 */
const waitWithoutCandles = Effect.fnUntraced(function* (
  bot: UnopenedBot,
  waitMs: number
): Effect.fn.Return<boolean> {
  const { bell } = bot.inbox
  const isDue = makeDueAudits(bot.ports)
  const working = Effect.orElseSucceed(workWithoutCandles(bot), () => isDueAtOnce)
  let audited = yield* working
  // A fibre of its own, so that its end interrupts no work that is being done.
  const pause = yield* Effect.forkChild(Effect.sleep(waitMs))
  while (audited !== null && audited !== "over") {
    const look = Effect.sleep(lookEveryMs)
    yield* Effect.raceAllFirst([Fiber.await(pause), look, Queue.peek(bell)])
    if (pause.pollUnsafe() !== undefined || !bot.isOwned()) break
    const isRung = (yield* Queue.clear(bell)).length > 0
    if (isRung || (yield* isDue(audited))) audited = yield* working
  }
  if (audited === "over") return true
  yield* Fiber.join(pause)
  return false
})

/** Waits before a bot is opened again after a failure. Returns whether the bot is over. */
export const waitAfter = (
  { _tag }: RunnerError,
  bot: UnopenedBot,
  waitMs: number
): Effect.Effect<boolean> =>
  _tag === "MarketDataError"
    ? waitWithoutCandles(bot, waitMs)
    : Effect.as(Effect.sleep(waitMs), false)
