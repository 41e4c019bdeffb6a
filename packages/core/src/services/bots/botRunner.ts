/**
 * The fibre of one bot: it follows the market, carries commands through, and ends when the bot has
 * stopped.
 *
 * @since 0.1.0
 */
import { Cause, Clock, Effect, Option, Stream } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import { managingStates, movingStates } from "../../domain/BotMachine.ts"
import { StoreError } from "../../domain/StoreError.ts"
import type { MarketUpdate } from "../../ports/MarketData.ts"
import { failBot, isRetryable, reportRetry, retryWaitMs, type RunnerError } from "./botFailure.ts"
import { type BotInbox, processMessages } from "./botInbox.ts"
import { advanceFully, isBotOver } from "./advanceFully.ts"
import { auditing } from "./dueAudits.ts"
import { type BotPorts, log } from "./botPorts.ts"
import { inGroup, inBotTransaction, openFollowing, type BotRun } from "./botRun.ts"
import {
  runBotTask,
  catchUp,
  entersHalted,
  holdBot,
  obeyHalt,
  reconcileIfSent,
  sendUnsent
} from "./botTasks.ts"
import { type BotWork, makeFailingBot } from "./failingBot.ts"
import { holdRecording, showHindrances } from "./hindrances.ts"
import { lookBetween, looksBetween } from "./lookBetween.ts"
import type { Opening } from "./openings.ts"
import { useSession } from "./sharedSession.ts"
import { reconcileFirst, takeFacts } from "./takeFacts.ts"
import { saveSession, sendIntents, stepBot } from "./stepBot.ts"
import { waitAfter } from "./waitAfter.ts"

type News = { readonly type: "bell" | "look" | "steady" } | MarketUpdate

/**
 * A command that was answered comes before the candles after it: an entry that it takes back is not
 * filled any more.
 */
const isToAdvance = ({ advancedVersion }: BotRun, { status, version }: Bot): boolean =>
  movingStates.includes(status) && version !== advancedVersion

/** A bot at work that no command is to bring elsewhere. */
const goesOn = ({ status }: Bot): boolean =>
  managingStates.includes(status) && !movingStates.includes(status)

/** Takes the candles of one time, and says whether the bot is over with it. */
const onCandles = Effect.fnUntraced(function* (
  run: BotRun,
  update: Extract<MarketUpdate, { readonly type: "candles" }>
): Effect.fn.Return<boolean, RunnerError> {
  const stepping = Effect.gen(function* () {
    const bot = yield* holdBot(run)
    if (bot === null) return { bot, intents: [] }
    const isHeldUp = isToAdvance(run, bot) || (yield* entersHalted(run))
    return { bot, intents: isHeldUp ? null : yield* stepBot(run.ports, bot, run.session, update) }
  })
  let { bot, intents } = yield* inGroup(run, stepping)
  while (intents === null) {
    yield* obeyHalt(run)
    yield* advanceFully(run)
    if (yield* isBotOver(run)) return true
    ;({ bot, intents } = yield* inGroup(run, stepping))
  }
  yield* sendIntents(run, intents)
  // A command that came since has rung the bell.
  if (bot !== null && goesOn(bot)) return false
  yield* advanceFully(run)
  return yield* isBotOver(run)
})

const onEnd = Effect.fnUntraced(function* (run: BotRun): Effect.fn.Return<void, RunnerError> {
  const isKnown = run.session.isDataEnded
  run.session.isDataEnded = true
  // A process that takes the bot up hears of the end again, and its own metric is to show it.
  yield* showHindrances(run.ports, run.botId, run.session)
  if (isKnown) return
  yield* inBotTransaction(
    run,
    Effect.gen(function* () {
      yield* holdBot(run)
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

/** Takes news, and says whether the fibre stops following the market. */
const onNews = (run: BotRun, inbox: BotInbox, news: News): Effect.Effect<boolean, RunnerError> => {
  switch (news.type) {
    case "candles":
      return onCandles(run, news)
    case "end":
      return Effect.andThen(onEnd(run), isBotOver(run))
    case "look":
      return Effect.as(lookBetween(run), false)
    case "steady":
      return Effect.succeed(false)
    case "bell": {
      const working = processMessages(inbox, {
        wake: Effect.all([catchUp(run), takeFacts(run), advanceFully(run)], { discard: true }),
        runTask: (task, keyed) => Effect.andThen(catchUp(run), runBotTask(run, task, { keyed }))
      })
      return Effect.andThen(working, isBotOver(run))
    }
  }
}

/**
 * Whether another process has the bot, or has written its state since: a failure of this process
 * then says nothing of the bot.
 */
const isOvertaken = Effect.fnUntraced(function* ({ botId, isOwned, keptVersion, ports }: BotRun) {
  if (!isOwned()) return true
  const kept = Option.getOrNull(yield* ports.botStates.get(botId))
  return kept === null || kept.version !== keptVersion
})

/** A failure after another process took the bot counts as that. */
const unlessOvertaken = (run: BotRun, work: Effect.Effect<void, RunnerError>) =>
  Effect.catchCauseIf(
    work,
    (cause) =>
      !Cause.hasInterruptsOnly(cause) && !Option.exists(Cause.findErrorOption(cause), isRetryable),
    (cause) =>
      Effect.flatMap(isOvertaken(run), (isOver) =>
        isOver
          ? Effect.fail(
              StoreError.versionConflict("bot state", run.botId, run.session.stateVersion)
            )
          : Effect.failCause(cause)
      )
  )

/** The listeners of a run. */
interface Progress {
  readonly onOpen: (run: BotRun) => Effect.Effect<void>
  readonly onBegin: (work: BotWork) => void
  readonly onDone: (work: BotWork) => Effect.Effect<void>
  /** Emits once the stream that is being opened is well again. */
  readonly steadying: Stream.Stream<void>
}

/** The kind of work that news is. */
const workOf = ({ type }: News): BotWork => {
  if (type === "steady") return "stream"
  return type === "candles" ? type : "other"
}

const follow = (
  ports: BotPorts,
  opening: Opening,
  inbox: BotInbox,
  isOwned: BotRun["isOwned"],
  progress: Progress
): Effect.Effect<void, RunnerError> =>
  useSession(openFollowing(ports, opening, isOwned), (run) => {
    const following = followMarket(run, opening.bot, inbox, progress)
    return unlessOvertaken(run, Effect.andThen(progress.onOpen(run), following))
  })

/** The state of a run after a message: it goes on, has ended, or its stream lags behind. */
type Standing = "going" | "over" | "moved"

/**
 * Follows the market from the session's cursor on. Another process may write a step of the bot. A
 * session that takes the step over lies ahead of the stream, and gets a stream of its own.
 */
const followFrom = Effect.fnUntraced(function* (
  run: BotRun,
  bot: Bot,
  inbox: BotInbox,
  { onBegin, onDone, steadying }: Progress
): Effect.fn.Return<Standing, RunnerError> {
  // The cursor that this stream has brought the session to.
  let { cursor } = run.session
  const told = run.ports.marketData.candles({
    accountId: bot.account_id,
    symbols: bot.symbols,
    timeframe: bot.timeframe,
    after: cursor,
    takenMs: run.session.lastTickMs
  })
  const market = auditing(run, inbox, holdRecording(run.ports, bot.id, told))
  const bell: News = { type: "bell" }
  const look: News = { type: "look" }
  const steady: News = { type: "steady" }
  const own: Stream.Stream<News> = Stream.merge(
    Stream.map(Stream.fromQueue(inbox.bell), () => bell),
    Stream.map(looksBetween(run.ports, run), () => look)
  )
  const rings = Stream.merge(
    own,
    Stream.map(steadying, () => steady)
  )
  const workOn = Effect.fnUntraced(function* (news: News): Effect.fn.Return<Standing, RunnerError> {
    onBegin(workOf(news))
    if (yield* onNews(run, inbox, news)) return "over"
    if (news.type === "candles") cursor = run.session.cursor
    return run.session.cursor === cursor ? "going" : "moved"
  })
  const standing = yield* Stream.merge(market, rings).pipe(
    Stream.mapEffect((news) => Effect.tap(workOn(news), () => onDone(workOf(news)))),
    Stream.takeUntil((now) => now !== "going"),
    Stream.runLast
  )
  return Option.getOrElse(standing, () => "over")
})

const followMarket = Effect.fnUntraced(function* (
  run: BotRun,
  bot: Bot,
  inbox: BotInbox,
  progress: Progress
): Effect.fn.Return<void, RunnerError> {
  // Before the unsent orders are sent: an entry may be among them.
  yield* obeyHalt(run)
  // A bot that was at work when its process ended is held against the broker as well.
  if (!(yield* reconcileIfSent(run, bot))) {
    yield* sendUnsent(run, bot)
    yield* reconcileFirst(run, inbox)
  }
  // A command that came since the bot was read has left a message.
  let isAsked = run.session.live !== null || !goesOn(bot) || inbox.messages.length > 0
  if (isAsked) yield* advanceFully(run)
  let standing: Standing = "moved"
  while (standing === "moved") {
    // A bell that rang for the stream before may have gone with it.
    if (isAsked && (yield* onNews(run, inbox, { type: "bell" }))) return
    isAsked = true
    standing = yield* followFrom(run, bot, inbox, progress)
  }
})

/**
 * Follows the market until the bot has stopped; passing failures are tried again, others put it in
 * error. Waits double while nothing works, and are short again once some work did. A source that
 * fails has to work itself: other work goes on without it.
 */
export const runBot = (
  ports: BotPorts,
  accountId: string,
  botId: string,
  inbox: BotInbox,
  isOwned: BotRun["isOwned"]
): Effect.Effect<void> =>
  Effect.suspend(() => {
    let failureCount = 0
    let last: BotRun | null = null
    /** When the work began that is under way: the bot's opening, and then its transactions. */
    let triedSinceMs = (): number | null => null
    const failing = makeFailingBot(ports, accountId, botId)
    const unopened = { ports, accountId, botId, inbox, isOwned, closeAskedMs: null }
    const attempt: Effect.Effect<void, RunnerError> = Effect.gen(function* () {
      // A state that another has written may be that of its new owner.
      if (failureCount > 0 && !isOwned()) return
      const openedMs = yield* Clock.currentTimeMillis
      failing.begin("opening")
      triedSinceMs = () => openedMs
      const opening = Option.getOrNull(yield* ports.openings.read(botId))
      if (opening === null) return
      yield* follow(ports, opening, inbox, isOwned, {
        onOpen: (run) => {
          last = run
          triedSinceMs = () => run.triedSinceMs
          return Effect.andThen(failing.done("opening"), showHindrances(ports, botId, run.session))
        },
        onBegin: failing.begin,
        onDone: (work) => {
          if (!failing.lacksSource(work)) failureCount = 0
          return failing.done(work)
        },
        steadying: failing.steadying
      })
    }).pipe(
      Effect.catchIf(isRetryable, (error) => {
        const waitMs = retryWaitMs(failureCount++)
        return reportRetry(botId, error, { waitMs, failureCount }).pipe(
          Effect.andThen(failing.note(error, triedSinceMs())),
          Effect.andThen(waitAfter(error, unopened, waitMs)),
          Effect.flatMap((isEnd) => (isEnd ? Effect.void : attempt))
        )
      })
    )
    const isStillOwned = Effect.suspend(() =>
      last === null ? Effect.sync(isOwned) : Effect.map(isOvertaken(last), (isOver) => !isOver)
    )
    return Effect.catchCause(attempt, (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.void
        : failBot(ports, accountId, botId, isStillOwned, cause)
    )
  }).pipe(
    // Its host starts it again, and its record says the same then.
    Effect.catchCause((cause) =>
      Effect.andThen(
        Effect.logError(`bot ${botId} could not be put in error`, cause),
        Cause.hasInterrupts(cause) ? Effect.void : Effect.sleep("10 seconds")
      )
    )
  )
