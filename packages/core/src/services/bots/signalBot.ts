/**
 * A bot commanded by an alert of a charting service.
 *
 * The sender of an alert sees no answer, so that the bot's log says which signal came and why it
 * was refused.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { invalid, type Problem } from "../../domain/Problem.ts"
import type { SignalOutcome, SignalRequest } from "../../domain/Signal.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { transactOnce } from "../transactOnce.ts"
import { type BotPorts, log } from "./botPorts.ts"
import { type BotServices, requireBot } from "./changeBot.ts"
import { ask, commandBot } from "./commandBot.ts"
import { refusing } from "./botFailure.ts"

const describe = ({ action, comment, id, price, symbol, time }: SignalRequest): string => {
  const facts = [
    id === undefined ? null : `id ${id}`,
    symbol === undefined ? null : symbol,
    price === undefined ? null : `price ${price}`,
    time === undefined ? null : `time ${time}`,
    comment === undefined || comment === "" ? null : comment
  ].filter((fact) => fact !== null)
  return `a signal asked to ${action}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`
}

const note = (
  ports: BotPorts,
  request: SignalRequest,
  refusal: Problem | null
): Effect.Effect<unknown, Problem | StoreError> => {
  const level = refusal === null ? "info" : "warn"
  const event = refusal === null ? "signal.received" : "signal.refused"
  const reason = refusal === null ? "" : `: ${refusal.detail}`
  const message = `${describe(request)}${reason}`
  return transactOnce(
    ports.transactor,
    event,
    Effect.as(log(ports, request.bot_id, level, event, message, { ...request }), null)
  )
}

const reasonMax = 1_000

/** Logs a refused signal of which only the bot is known. */
export const refuseSignal = Effect.fn("Bots.refuseSignal")(function* (
  ports: BotPorts,
  accountId: string,
  id: string,
  reason: string
): Effect.fn.Return<void, Problem | StoreError> {
  yield* requireBot(ports, accountId, id)
  const message = `a signal was refused: ${reason.slice(0, reasonMax)}`
  yield* transactOnce(
    ports.transactor,
    "signal.refused",
    Effect.as(log(ports, id, "warn", "signal.refused", message), null)
  )
})

const liveStart = invalid([
  {
    pointer: "/action",
    code: "not_allowed",
    message:
      "A signal can't start a live bot: a leaked address could trade with money. Start the bot with a key"
  }
])

/** Carries a signal out, and notes in the bot's log that it came and whether it was refused. */
export const signalBot = Effect.fn("Bots.signal")(function* (
  services: BotServices,
  accountId: string,
  request: SignalRequest
): Effect.fn.Return<SignalOutcome, Problem | StoreError> {
  const { host, ports } = services
  const { action, bot_id } = request
  const bot = yield* requireBot(ports, accountId, bot_id)
  yield* note(ports, request, null)
  const command = Effect.gen(function* () {
    if (action === "close") return yield* ask(services, accountId, bot_id, { type: "close" })
    if (action === "start" && bot.mode === "live") return yield* liveStart
    return yield* host.alone(bot_id, refusing(commandBot(services, accountId, bot_id, action)))
  })
  const { changed, status } = yield* Effect.tapError(command, (error) =>
    error._tag === "Problem" ? note(ports, request, error) : Effect.void
  )
  return { bot_id, action, changed, status }
})
