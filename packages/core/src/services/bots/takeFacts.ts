/**
 * Books the facts of a live bot's venue between candles.
 *
 * @since 0.1.0
 */
import { Effect, Option, Queue } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import { restingStates } from "../../domain/BotMachine.ts"
import { reviseEquity } from "./botEquity.ts"
import type { RunnerError } from "./botFailure.ts"
import type { BotInbox } from "./botInbox.ts"
import { bookReport } from "./bookReport.ts"
import { closeLateAgain } from "./closeLate.ts"
import { type BotPorts, booksOf } from "./botPorts.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { isConflict } from "../untilKept.ts"
import { type DueAudits, lookEveryMs, makeDueAudits } from "./dueAudits.ts"
import { isOrderOver } from "../venues/books/venueBook.ts"
import { inBotTransaction, openRun, type BotRun } from "./botRun.ts"
import { decideTask, firstReconcile, holdBot, runBotTask } from "./botTasks.ts"
import { canClose, intendClose } from "./intendClose.ts"
import { closeAgainMs } from "./lateParts.ts"
import { saveSession } from "./stepBot.ts"
import { compareNow, wakeAgent, showMissing } from "../venues/bots/followVenue.ts"
import { placementKeyOf } from "../venues/bots/liveVenue.ts"
import { protectAtVenue } from "../venues/bots/protectAtVenue.ts"
import { isEntry } from "../orderLegs.ts"

/** Whether a stop that closes has ended. An entry that was taken back may fill after it. */
const hasClosed = ({ status, stop_positions: positions }: Bot): boolean =>
  status === "stopped" && positions === "close"

/**
 * Books the venue's facts about a live bot, and moves its stops accordingly. Its books are compared
 * where the venue has come to lack some of them, or lacks it no more. A stop that closes asks for
 * the exit of an entry that filled after it, and again where `asksAgain` says so.
 */
export const takeFacts = Effect.fnUntraced(function* (
  run: BotRun,
  asksAgain = false
): Effect.fn.Return<void, RunnerError> {
  const { ports, session } = run
  const { live } = session
  if (live === null) return
  const taking = Effect.gen(function* () {
    const bot = yield* holdBot(run)
    if (bot === null) return
    const report = yield* booksOf(ports, bot).settle(bot.id, [])
    yield* bookReport(ports, bot, session, report)
    yield* closeLateAgain(ports, bot, session)
    if (hasClosed(bot) && (asksAgain || report.fills.some(isEntry))) {
      yield* intendClose(ports, bot, session, "force_exit")
    }
    yield* protectAtVenue(ports, bot, session)
    const isChanged = yield* showMissing(ports, bot, live)
    const { fees = [], fills, payments } = report
    if (fees.length + fills.length + payments.length > 0) yield* reviseEquity(ports, bot, session)
    yield* saveSession(ports, bot.id, session)
    // A change is seen once: a process that ended before it is compared would leave that undone.
    if (isChanged) yield* decideTask(run, bot, firstReconcile)
  })
  yield* inBotTransaction(run, taking)
  yield* wakeAgent(ports, live)
})

/** Whether a bot at rest has something at its venue, or a report of something that it had there. */
export const concernsVenue = Effect.fnUntraced(function* (
  { venueAccounts, venueBooks }: BotPorts,
  botId: string
): Effect.fn.Return<boolean, StoreError> {
  // A bot that was never started has no books.
  const book = yield* Effect.catchTag(venueBooks.read(botId), "BooksError", () =>
    Effect.succeed(null)
  )
  if (book === null) return false
  if (book.markets.some(({ lots }) => lots.length > 0)) return true
  if (Object.values(book.orders).some((order) => !isOrderOver(book, order))) return true
  return (yield* venueAccounts.factsOf(botId, book.sequence)).length > 0
})

/**
 * Holds a bot that begins against its venue. A pending answer is not waited for once a caller asks
 * for something: the bot is woken when it comes.
 */
export const reconcileFirst = Effect.fnUntraced(function* (
  run: BotRun,
  { bell }: BotInbox
): Effect.fn.Return<void, RunnerError> {
  const { live } = run.session
  if (live !== null) yield* Effect.raceFirst(compareNow(run.ports, live), Queue.peek(bell))
  yield* runBotTask(run, firstReconcile)
})

/**
 * Waits until an audit is due, or a stop that closes may ask for its exit again. Returns whether it
 * may.
 */
const untilDue = Effect.fnUntraced(function* (
  { session }: BotRun,
  isDue: DueAudits,
  mustAsk: boolean
): Effect.fn.Return<boolean> {
  // Looks are counted: the clock of a process may be set meanwhile.
  for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
    if (yield* isDue(session)) return false
    if (mustAsk && waitedMs >= closeAgainMs) return true
    yield* Effect.sleep(lookEveryMs)
  }
})

/**
 * Takes the facts of a bot at rest that has orders at its venue. They are a stop that may fill
 * there, a requested exit, or an entry that the bot took back. A command that is quicker takes the
 * facts itself. It goes on for as long as a lot lacks its stop, so that each audit comes in time,
 * and while a stop that closes is refused its exit.
 */
export const takeFactsAtRest = Effect.fnUntraced(function* (
  ports: BotPorts,
  accountId: string,
  botId: string
): Effect.fn.Return<void, RunnerError> {
  const isDue = makeDueAudits(ports)
  const { isMine, shareOf } = ports.placement
  // New facts begin this anew, so that an exit that is refused at once is asked for after a pause.
  let asksAgain = false
  for (;;) {
    const bot = Option.getOrNull(yield* ports.bots.get(accountId, botId))
    if (bot === null || !restingStates.includes(bot.status)) return
    if (!isMine(shareOf(placementKeyOf(bot)))) return
    if (!(yield* concernsVenue(ports, botId))) return
    const run = yield* openRun(ports, bot, () => true)
    yield* Effect.catchIf(takeFacts(run, asksAgain), isConflict, () => Effect.void)
    const mustAsk = hasClosed(bot) && canClose(run.session)
    const { askAgainMs, bare, late } = run.session
    const isAudited = (bare ?? late ?? askAgainMs) !== undefined
    if (!isAudited && !mustAsk) return
    asksAgain = yield* untilDue(run, isDue, mustAsk)
  }
})
