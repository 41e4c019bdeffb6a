/**
 * Commands on bots: the effect in each state, the answer, and the process that carries them out.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import { type BotCommand, decideCommand, restingStates } from "../../domain/BotMachine.ts"
import type { CommandOutcome, StopRequest } from "../../domain/BotViews.ts"
import type { OpenPosition } from "../../domain/OpenPosition.ts"
import type { Order } from "../../domain/Order.ts"
import { type Problem, problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { nowTimestamp } from "../events/announce.ts"
import { atCandle } from "./atCandle.ts"
import { refusing, type RunnerError } from "./botFailure.ts"
import { type BotPorts, log } from "./botPorts.ts"
import { checkTask, type BotTask } from "./botTasks.ts"
import { openPositions } from "./botViews.ts"
import { isCancelledByStop } from "./stepBot.ts"
import { concernsVenue } from "./takeFacts.ts"
import { type BotServices, checkStart, requireBot, requireHeldBot } from "./changeBot.ts"
import { lockAccount } from "../accounts/checkQuota.ts"
import { transactOnce } from "../transactOnce.ts"
import { untilKept } from "../untilKept.ts"
import { refuseRecordings } from "../venues/bots/prepareLive.ts"
import { isEntry } from "../orderLegs.ts"

const desired = { start: "running", pause: "paused", stop: "stopped" } as const

/** The work left once a command is decided; a bot at rest has no fibre that would close. */
type Next = "start" | "wake" | "close" | "nothing"

interface Decided {
  readonly outcome: CommandOutcome
  readonly bot: Bot
  readonly next: Next
}

/** Once it is decided, a command is carried out even if its caller goes away. */
export const commandBot = (...args: Parameters<typeof commandOnce>) =>
  Effect.uninterruptible(commandOnce(...args))

const commandOnce = Effect.fn("Bots.command")(function* (
  services: BotServices,
  accountId: string,
  id: string,
  command: BotCommand,
  options: StopRequest = {}
): Effect.fn.Return<CommandOutcome, RunnerError> {
  const { host, ports } = services
  let isFirst = false
  if (command === "start") yield* refuseRecordings(ports, yield* requireBot(ports, accountId, id))
  const deciding = Effect.suspend(() => {
    isFirst = true
    return decide(services, accountId, id, command, options)
  })
  // The bot's own fibre may have written just then.
  const { bot, next, outcome } = yield* untilKept(
    transactOnce(ports.transactor, "command", deciding)
  )
  if (next === "close") {
    // A repetition asks again: the first request may have ended before it did.
    yield* host.ask(bot, { type: "close" })
    return { ...outcome, ...(yield* requireBot(ports, accountId, id)) }
  }
  // Its process, or the present owner of the bot, has carried out the decision of an earlier
  // request.
  if (isFirst && next !== "nothing") {
    yield* next === "start" ? host.start(bot) : host.wake(bot)
  }
  return outcome
})

/** Decides a command in the transaction under way. */
const decide = Effect.fnUntraced(function* (
  { candles, ports }: BotServices,
  accountId: string,
  id: string,
  command: BotCommand,
  options: StopRequest
): Effect.fn.Return<Decided, RunnerError> {
  // The bot is not deleted and its strategy not rewritten meanwhile, because it is at rest.
  if (command === "start") yield* lockAccount(ports.transactor, accountId)
  const held = yield* requireHeldBot(ports, accountId, id)
  const decision = decideCommand(held.status, command)
  if (decision.outcome === "refused") {
    return yield* problem("invalid_transition", `A bot that is ${held.status} can't ${command}.`, {
      current_state: held.status,
      allowed: decision.allowed
    })
  }
  const now = yield* nowTimestamp
  if (decision.outcome === "fulfilled") {
    return yield* repeat(ports, held, command, options, now)
  }
  const bot = command === "start" ? yield* checkStart({ candles, ports }, held) : held
  const outcome = yield* describeOutcome(ports, bot, command, options.positions === "close")
  const moved = yield* ports.bots.update({
    ...bot,
    status: decision.to,
    desired_status: desired[command],
    ...(command === "stop" && { stop_positions: options.positions ?? "keep" }),
    updated_at: now
  })
  const state = Option.getOrNull(yield* ports.botStates.get(id))
  const at = atCandle({ cursor: state?.cursor ?? null })
  yield* log(ports, id, "info", `bot.${decision.to}`, `${command} was asked`, at)
  const next = restingStates.includes(bot.status) ? "start" : "wake"
  return { outcome: { ...outcome, ...moved, changed: true }, bot: moved, next }
})

/**
 * Decides a command that is fulfilled or under way. A stop that keeps positions may still be made
 * one that closes them. The reverse is not so: by the time it is answered, they may be closed.
 */
const repeat = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  command: BotCommand,
  { positions }: StopRequest,
  now: string
): Effect.fn.Return<Decided, RunnerError> {
  const isStopping = command === "stop" && bot.status === "stopping"
  const isClosing = isStopping && bot.stop_positions === "close"
  const isAsked = command === "stop" && positions === "close"
  const outcome = {
    ...(yield* describeOutcome(ports, bot, command, isClosing || isAsked)),
    // They are cancelled by the command that is under way.
    orders_cancelled: 0
  }
  // An order that its venue may still fill is closed once it has filled.
  const mayFill =
    isAsked && bot.stop_positions === "keep" && bot.mode === "live"
      ? yield* concernsVenue(ports, bot.id)
      : false
  const isMore = isStopping
    ? isAsked && !isClosing
    : isAsked && (mayFill || outcome.positions_closing.length > 0)
  if (!isMore) return { outcome, bot, next: "nothing" }
  const kept = yield* ports.bots.update({ ...bot, stop_positions: "close", updated_at: now })
  const message = "stop was asked, which closes open positions"
  yield* log(ports, bot.id, "info", "bot.closing", message)
  const next = isStopping ? "wake" : "close"
  return { outcome: { ...outcome, ...kept, changed: true }, bot: kept, next }
})

/** Whether the bot takes an order back because of a command. */
const isCancelledBy = (
  command: BotCommand | BotTask["type"],
  isClosing: boolean
): ((order: Pick<Order, "leg" | "type">) => boolean) => {
  if (command === "pause") return isEntry
  if (command !== "stop") return () => false
  return isClosing ? isEntry : isCancelledByStop
}

/** The largest part of a quantity that rounding may leave of it. */
const restMax = 1e-10

/** The fate of orders and positions under a command, and under earlier requests. */
const describeOutcome = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  command: BotCommand | BotTask["type"],
  isClosing: boolean
): Effect.fn.Return<CommandOutcome, RunnerError> {
  const positions = yield* openPositions(ports, bot)
  const open = yield* ports.orders.listOpen(bot.id)
  const isCancelled = isCancelledBy(command, isClosing)
  const staying = open.filter((order) => !isCancelled(order))
  const leaving = staying.filter(({ leg, type }) => leg === "exit" && type === "market")
  const isLeft = (position: OpenPosition): boolean =>
    leaving.some(
      ({ quantity, symbol }) =>
        symbol === position.symbol && quantity >= position.quantity * (1 - restMax)
    )
  const kept = isClosing ? [] : positions.filter((position) => !isLeft(position))
  return {
    ...bot,
    changed: false,
    orders_cancelled: open.length - staying.length,
    positions_kept: kept,
    positions_closing: positions.filter((position) => !kept.includes(position)),
    unprotected: command === "stop" && kept.some(({ stop_price }) => stop_price === null)
  }
})

/** Passes a task to a bot, in any state; commands one at a time. */
export const ask = (
  services: BotServices,
  accountId: string,
  id: string,
  task: BotTask
): Effect.Effect<CommandOutcome, Problem | StoreError> =>
  services.host.alone(id, refusing(askAlone(services, accountId, id, task)))

const askAlone = Effect.fnUntraced(function* (
  { ports, host }: BotServices,
  accountId: string,
  id: string,
  task: BotTask
): Effect.fn.Return<CommandOutcome, RunnerError> {
  const look = Effect.gen(function* () {
    const bot = yield* requireBot(ports, accountId, id)
    yield* checkTask(bot, task)
    const isClosing = task.type === "close"
    const before = yield* describeOutcome(ports, bot, task.type, isClosing)
    const changed = isClosing ? before.positions_closing.length > 0 : bot.trading_state !== "active"
    return { bot, before, changed }
  })
  // A repetition answers as the first request did, and does no more.
  const { bot, before, changed } = yield* transactOnce(ports.transactor, "look", look)
  if (changed) yield* host.ask(bot, task)
  return { ...before, ...(yield* requireBot(ports, accountId, id)), changed }
})
