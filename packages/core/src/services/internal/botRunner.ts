/**
 * The fibre of one bot: it follows the market, carries commands through, and ends when the bot has
 * stopped.
 *
 * @since 0.1.0
 */
import { Cause, Effect, Option, Stream } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import { BotMachine } from "../../domain/BotMachine.ts"
import * as StateTable from "../../domain/StateTable.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { closeGate, resumeRiskGate } from "../../kernel/riskGate.ts"
import type { MarketUpdate } from "../../ports/MarketData.ts"
import { bookReport } from "./bookReport.ts"
import { failBot, isRetryable, type RunnerError } from "./botFailure.ts"
import { type BotInbox, type RunnerMessage, type Task, workOff } from "./botInbox.ts"
import { nowTimestamp } from "./announce.ts"
import { type BotPorts, log } from "./botPorts.ts"
import { type BotSession, openSession } from "./botSession.ts"
import {
  type Intent,
  intendCancels,
  intendClose,
  saveSession,
  sendIntents,
  stepBot,
  unsentIntents
} from "./stepBot.ts"

type News = { readonly type: "bell" } | MarketUpdate

interface Run {
  readonly ports: BotPorts
  readonly accountId: string
  readonly botId: string
  session: BotSession
}

const findBot = (run: Pick<Run, "ports" | "accountId" | "botId">) =>
  Effect.map(run.ports.bots.get(run.accountId, run.botId), Option.getOrNull)

/** Opens a session from what is kept. */
export const loadSession = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot
): Effect.fn.Return<BotSession, RunnerError> {
  const strategy = yield* ports.strategies.get(bot.account_id, bot.strategy_id)
  const definition = Option.isNone(strategy) ? null : strategy.value.definition
  const state = yield* ports.bots.getState(bot.id)
  return yield* openSession(ports.marketData, bot, definition, state)
})

const settled = (bot: Bot, now: string): Bot => {
  const status = StateTable.after(BotMachine, bot.status, "settled")
  return {
    ...bot,
    status,
    updated_at: now,
    stopped_at: status === "stopped" ? now : bot.stopped_at
  }
}

/** Compares what the bot believes with what the broker holds; a difference halts trading. */
const reconcile = Effect.fnUntraced(function* (
  run: Run,
  bot: Bot
): Effect.fn.Return<Bot, RunnerError> {
  const { ports, session } = run
  const held = yield* ports.broker.account(bot.id)
  const differences = bot.symbols.flatMap((symbol, market) => {
    const own = session.account.books[market]!.position?.quantity ?? 0
    const theirs = held.positions.find((one) => one.symbol === symbol)?.quantity ?? 0
    return own === theirs ? [] : [`${symbol}: ${own} here, ${theirs} at the broker`]
  })
  if (differences.length === 0) return bot
  closeGate(session.gate, "halted", "reconcile_mismatch")
  yield* log(
    ports,
    bot.id,
    "error",
    "reconcile.mismatch",
    `positions differ from the broker's: ${differences.join("; ")}`
  )
  return { ...bot, trading_state: "halted", trading_state_reason: "reconcile_mismatch" }
})

const start = Effect.fnUntraced(function* (
  run: Run,
  bot: Bot
): Effect.fn.Return<ReadonlyArray<Intent>, RunnerError> {
  const { ports, session } = run
  const reconciled = yield* reconcile(run, bot)
  const now = yield* nowTimestamp
  yield* ports.bots.update({
    ...reconciled,
    status: StateTable.after(BotMachine, bot.status, "started"),
    error: null,
    started_at: now,
    updated_at: now
  })
  yield* saveSession(ports, bot.id, session)
  yield* log(ports, bot.id, "info", "bot.running", "running")
  return []
})

const pause = Effect.fnUntraced(function* (
  run: Run,
  bot: Bot
): Effect.fn.Return<ReadonlyArray<Intent>, RunnerError> {
  const { ports, session } = run
  const intents = yield* intendCancels(ports, bot, session, ["entry"])
  yield* saveSession(ports, bot.id, session)
  yield* ports.bots.update(settled(bot, yield* nowTimestamp))
  yield* log(ports, bot.id, "info", "bot.paused", "paused; open positions are still managed")
  return intents
})

const stop = Effect.fnUntraced(function* (
  run: Run,
  bot: Bot
): Effect.fn.Return<ReadonlyArray<Intent>, RunnerError> {
  const { ports, session } = run
  const isHolding = session.account.books.some(({ position }) => position !== null)
  const isClosing = isHolding && bot.stop_positions === "close"
  const legs = isClosing ? (["entry"] as const) : (["entry", "exit"] as const)
  const cancels = yield* intendCancels(ports, bot, session, legs)
  if (isClosing) {
    const closes = yield* intendClose(ports, bot, session, "force_exit")
    yield* saveSession(ports, bot.id, session)
    return [...cancels, ...closes]
  }
  yield* saveSession(ports, bot.id, session)
  yield* ports.bots.update(settled(bot, yield* nowTimestamp))
  const message = isHolding ? "stopped; open positions are kept" : "stopped, flat"
  yield* log(ports, bot.id, "info", "bot.stopped", message)
  return cancels
})

/** Carries a command on that the bot's status tells of. */
const advance = Effect.fnUntraced(function* (
  run: Run
): Effect.fn.Return<ReadonlyArray<Intent>, RunnerError> {
  const bot = yield* findBot(run)
  switch (bot?.status) {
    case "starting":
      return yield* start(run, bot)
    case "pausing":
      return yield* pause(run, bot)
    case "stopping":
      return yield* stop(run, bot)
    default:
      return []
  }
})

/** Closes at the last close, because no candle may come that has an open to close at. */
const closeAtLastClose = Effect.fnUntraced(function* (
  run: Run
): Effect.fn.Return<void, RunnerError> {
  const { ports, session } = run
  const bot = yield* findBot(run)
  if (bot === null) return
  const report = yield* ports.broker.settle(bot.id, null)
  if (report.fills.length + report.ended.length + report.payments.length === 0) return
  yield* bookReport(ports, bot, session, report)
  yield* saveSession(ports, bot.id, session)
})

const inTransaction = <A>(run: Run, effect: Effect.Effect<A, RunnerError>) =>
  run.ports.transactor.transact(effect)

/**
 * Advances, tells the broker, and goes on until nothing changes: a stop that closes positions waits
 * for their fills.
 */
const advanceFully = Effect.fnUntraced(function* (run: Run): Effect.fn.Return<void, RunnerError> {
  yield* sendIntents(run.ports, run.botId, yield* inTransaction(run, advance(run)))
  if (!run.session.isDataEnded) return
  const bot = yield* findBot(run)
  if (bot?.status !== "stopping") return
  yield* inTransaction(run, closeAtLastClose(run))
  yield* sendIntents(run.ports, run.botId, yield* inTransaction(run, advance(run)))
})

const onCandles = Effect.fnUntraced(function* (
  run: Run,
  update: Extract<MarketUpdate, { readonly type: "candles" }>
): Effect.fn.Return<void, RunnerError> {
  const intents = yield* inTransaction(
    run,
    Effect.gen(function* () {
      const bot = yield* findBot(run)
      return bot === null ? [] : yield* stepBot(run.ports, bot, run.session, update)
    })
  )
  yield* sendIntents(run.ports, run.botId, intents)
  yield* advanceFully(run)
})

const onEnd = Effect.fnUntraced(function* (run: Run): Effect.fn.Return<void, RunnerError> {
  if (run.session.isDataEnded) return
  run.session.isDataEnded = true
  yield* inTransaction(
    run,
    Effect.gen(function* () {
      yield* saveSession(run.ports, run.botId, run.session)
      yield* log(
        run.ports,
        run.botId,
        "info",
        "data.ended",
        "the recording has ended; waiting for more candles"
      )
    })
  )
  yield* advanceFully(run)
})

/** Closes every position at market, whatever the status; at the last close where none follows. */
const onClose = Effect.fnUntraced(function* (
  run: Run,
  isLastClose: boolean
): Effect.fn.Return<void, RunnerError> {
  const intents = yield* inTransaction(
    run,
    Effect.gen(function* () {
      const bot = yield* findBot(run)
      if (bot === null) return []
      const made = yield* intendClose(run.ports, bot, run.session, "force_exit")
      yield* saveSession(run.ports, run.botId, run.session)
      return made
    })
  )
  yield* sendIntents(run.ports, run.botId, intents)
  if (isLastClose) yield* inTransaction(run, closeAtLastClose(run))
})

/** Opens the risk gate again. */
const onResumeRisk = (run: Run): Effect.Effect<void, RunnerError> =>
  inTransaction(
    run,
    Effect.gen(function* () {
      const bot = yield* findBot(run)
      if (bot === null) return
      resumeRiskGate(run.session.gate)
      yield* saveSession(run.ports, run.botId, run.session)
      yield* run.ports.bots.update({
        ...bot,
        trading_state: "active",
        trading_state_reason: "none",
        updated_at: yield* nowTimestamp
      })
      yield* log(run.ports, run.botId, "info", "risk.resumed", "trading is active again")
    })
  )

const onMessage = (run: Run, { type }: RunnerMessage): Effect.Effect<void, RunnerError> => {
  switch (type) {
    case "wake":
      return advanceFully(run)
    case "close":
      return onClose(run, run.session.isDataEnded)
    case "resume_risk":
      return onResumeRisk(run)
  }
}

const onNews = (run: Run, inbox: BotInbox, news: News): Effect.Effect<void, RunnerError> => {
  switch (news.type) {
    case "candles":
      return onCandles(run, news)
    case "end":
      return onEnd(run)
    case "bell":
      return workOff(inbox, (message) => onMessage(run, message))
  }
}

/** Carries out one task for a bot at rest, whose market nobody follows. */
export const runOnce = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  task: Task
): Effect.fn.Return<void, RunnerError> {
  const session = yield* loadSession(ports, bot)
  const run: Run = { ports, accountId: bot.account_id, botId: bot.id, session }
  yield* sendIntents(ports, bot.id, yield* unsentIntents(ports, bot, session))
  yield* task === "close" ? onClose(run, true) : onResumeRisk(run)
})

const follow = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  inbox: BotInbox,
  onProgress: () => void
): Effect.fn.Return<void, RunnerError> {
  const session = yield* loadSession(ports, bot)
  const run: Run = { ports, accountId: bot.account_id, botId: bot.id, session }
  const market = ports.marketData.candles({
    symbols: bot.symbols,
    timeframe: bot.timeframe,
    after: session.cursor
  })
  const bell: News = { type: "bell" }
  const rings: Stream.Stream<News> = Stream.map(Stream.fromQueue(inbox.bell), () => bell)
  const isOver = Effect.map(
    findBot(run),
    (now) => now === null || now.status === "stopped" || now.status === "error"
  )
  yield* sendIntents(ports, bot.id, yield* unsentIntents(ports, bot, session))
  yield* advanceFully(run)
  yield* onNews(run, inbox, bell)
  if (yield* isOver) return
  yield* Stream.merge(market, rings).pipe(
    Stream.mapEffect((news) =>
      Effect.tap(Effect.andThen(onNews(run, inbox, news), isOver), () => Effect.sync(onProgress))
    ),
    Stream.takeUntil((over) => over),
    Stream.runDrain
  )
})

const firstWaitMs = 100
const longestWaitMs = 10_000

/**
 * Follows the market until the bot has stopped; passing failures are tried again, others put it in
 * error. Waits double while nothing works, and are short again once something did.
 */
export const runBot = (
  ports: BotPorts,
  accountId: string,
  botId: string,
  inbox: BotInbox,
  isOwned: Effect.Effect<boolean, StoreError>
): Effect.Effect<void> =>
  Effect.suspend(() => {
    let failureCount = 0
    const attempt: Effect.Effect<void, RunnerError> = Effect.gen(function* () {
      // A state that another has written may be that of its new owner.
      if (failureCount > 0 && !(yield* isOwned)) return
      const bot = Option.getOrNull(yield* ports.bots.get(accountId, botId))
      if (bot === null) return
      yield* follow(ports, bot, inbox, () => {
        failureCount = 0
      })
    }).pipe(
      Effect.catchIf(isRetryable, (error) => {
        const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** failureCount++)
        return Effect.logWarning(`bot ${botId} tries again in ${waitMs} ms`, error).pipe(
          Effect.andThen(Effect.sleep(waitMs)),
          Effect.andThen(attempt)
        )
      })
    )
    return attempt
  }).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.void : failBot(ports, accountId, botId, cause)
    ),
    Effect.catchCause((cause) => Effect.logError(`bot ${botId} could not be put in error`, cause))
  )
