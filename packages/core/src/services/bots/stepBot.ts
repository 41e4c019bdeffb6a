/**
 * One step of a bot: candles of one time come in; fills are booked, risk is looked at, orders are
 * decided.
 *
 * All of it is one transaction, cursor included. A decision is sent to the broker only afterwards.
 * Since each order carries an id of its decision, sending again after a crash is harmless.
 *
 * @since 0.1.0
 */
import { managingStates } from "../../domain/BotMachine.ts"
import { Clock, Effect, Option } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import { BooksError, BooksUnavailable } from "../../domain/BooksError.ts"
import { openOrderStatuses } from "../../domain/OrderMachine.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { tradingFields } from "../../domain/TradingStateMachine.ts"
import { toRiskLimits } from "@candlewick/engine"
import {
  type CandleInput,
  closeCandles,
  equityOf,
  isStale,
  observeEquity,
  openCandles,
  showEnded
} from "@candlewick/engine/kernel"
import type { BookedAccount } from "./BotBooks.ts"
import type { MarketUpdate } from "../../ports/MarketData.ts"
import { bookReport } from "./bookReport.ts"
import { intend, type Intent } from "./intend.ts"
import { moveOrder } from "./orderRecords.ts"
import { keepMovedStops } from "./protectiveOrders.ts"
import { nowTimestamp } from "../events/announce.ts"
import { keepEquity } from "./botEquity.ts"
import type { RunnerError } from "./botFailure.ts"
import { type BotPorts, log, booksOf } from "./botPorts.ts"
import { inGroup, type BotRun } from "./botRun.ts"
import { decideClose, viewForCode } from "./botLadders.ts"
import { type BotSession, candleMs, type LevelMove, toBotState } from "./botSession.ts"
import { ownIdPrefix } from "./clientIds.ts"
import { notePassedOver } from "./passedOver.ts"
import { restReason } from "./takenBack.ts"
import { fireAlerts, watchedValues } from "./fireAlerts.ts"
import { lookForHindrances } from "./hindrances.ts"
import { protectAtVenue } from "../venues/bots/protectAtVenue.ts"
import { cancelAtVenue, endBornOver } from "../venues/bots/writeOrders.ts"
import { cancelOverdue } from "../venues/bots/cancelOverdue.ts"
import { wakeAgent, reportCloses } from "../venues/bots/followVenue.ts"
import { isEntry } from "../orderLegs.ts"

type CandlesUpdate = Extract<MarketUpdate, { readonly type: "candles" }>

const toInputs = (bot: Bot, update: CandlesUpdate): ReadonlyArray<CandleInput> =>
  update.candles.map(({ symbol, candle }) => ({
    market: bot.symbols.indexOf(symbol),
    time: candle.time,
    open: candle.open,
    high: candle.high,
    low: candle.low,
    close: candle.close,
    volume: candle.volume
  }))

/** Whether an order that rests at the broker, though the bot has it not, is to be cancelled. */
export const isGivenUp = (bot: Bot, { disowned }: BotSession, clientOrderId: string): boolean =>
  clientOrderId.startsWith(ownIdPrefix(bot)) || disowned.includes(clientOrderId)

/** The purpose of an order, and how it is priced. */
interface Cancellable {
  readonly leg: string
  readonly type: string
}

/**
 * An order that a stop takes back which keeps positions: an entry, or an exit at market. An exit
 * that rests at a price stays with its position, as a stop loss does.
 */
export const isCancelledByStop = ({ leg, type }: Cancellable): boolean =>
  leg === "entry" || (leg === "exit" && type === "market")

/** Cancels the resting orders that a command takes back. */
export const intendCancels = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  isCancelled: (order: Cancellable) => boolean,
  reason = restReason(bot.status)
): Effect.fn.Return<ReadonlyArray<Intent>, StoreError> {
  const intents: Array<Intent> = []
  for (const [market, book] of session.account.books.entries()) {
    for (const order of book.orders.filter(isCancelled)) {
      yield* moveOrder(ports, bot.id, order.id, "cancelled", { reason })
      const ended = { orderId: order.id, market, outcome: "cancelled", reason: "" } as const
      showEnded(session.account, ended)
      yield* cancelAtVenue(ports, bot, session, market, order.id)
      intents.push({ type: "cancel", market, orderId: order.id })
    }
  }
  return intents
})

/** Places an order in the books on paper, unless it was taken back since it was decided. */
const placeOnPaper = Effect.fnUntraced(function* (
  ports: BotPorts,
  botId: string,
  { market, order }: Extract<Intent, { readonly type: "place" }>
): Effect.fn.Return<void, StoreError | BooksError> {
  const kept = Option.getOrNull(yield* ports.orders.get(botId, order.id))
  if (kept !== null && !openOrderStatuses.includes(kept.status)) return
  yield* ports.paperBooks.place(botId, market, order)
  yield* moveOrder(ports, botId, order.id, "accepted")
})

/**
 * Sends the decisions to the broker, as long as no other process has written the bot's state since.
 * An earlier owner so never sends, however late, an order that the next owner has sent or taken
 * back.
 */
export const sendIntents = Effect.fnUntraced(function* (
  run: BotRun,
  intents: ReadonlyArray<Intent>
): Effect.fn.Return<void, RunnerError> {
  const { accountId, botId, ports } = run
  const { live, stateVersion } = run.session
  if (live !== null) return yield* wakeAgent(ports, live)
  const hold = Effect.andThen(
    ports.bots.hold(accountId, botId),
    ports.botStates.hold(botId, stateVersion)
  )
  let isHeldBack = false
  for (const intent of intents) {
    if (intent.type === "move") {
      const moving = ports.paperBooks.protect(botId, intent.market, intent)
      yield* inGroup(run, Effect.andThen(hold, moving))
      continue
    }
    if (intent.type === "cancel") {
      const cancelling = ports.paperBooks.cancel(botId, intent.market, intent.orderId)
      yield* inGroup(run, Effect.andThen(hold, cancelling))
      continue
    }
    const { order } = intent
    if (isEntry(order) && (yield* ports.haltFlag.isHaltedHere(accountId))) {
      isHeldBack = true
      continue
    }
    const placing = inGroup(run, Effect.andThen(hold, placeOnPaper(ports, botId, intent)))
    // Whether it was taken is asked before it is sent again.
    yield* Effect.tapError(placing, (error) =>
      error._tag === "BooksError" && error.reason._tag === "OutcomeUnknown"
        ? ports.transactor.transact(Effect.asVoid(moveOrder(ports, botId, order.id, "timed_out")))
        : Effect.void
    )
  }
  // The session is opened anew, which takes entries back before anything is sent.
  if (!isHeldBack) return
  return yield* new BooksError({ reason: new BooksUnavailable({ cause: "halted" }) })
})

/**
 * Earlier decisions that have not reached the broker. They are orders that were never confirmed and
 * that it does not know, and orders that rest there although they were given up. Orders of others
 * are left alone.
 */
export const unsentIntents = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession
): Effect.fn.Return<ReadonlyArray<Intent>, StoreError | BooksError> {
  // The agent of its account finds them in the store.
  if (bot.mode === "live") return []
  const wanted = session.account.books.flatMap(({ orders }, market) =>
    orders.map((order) => ({ type: "place", market, order }) as const)
  )
  const open = wanted.length === 0 ? [] : yield* ports.orders.listOpen(bot.id)
  const unconfirmed = new Set(
    open
      .filter(({ status }) => status === "submitted" || status === "unknown")
      .map((order) => order.client_order_id)
  )
  const known = new Set(wanted.map(({ order }) => order.id))
  const unsent: Array<Intent> = []
  for (const intent of wanted) {
    const { market, order } = intent
    if (!unconfirmed.has(order.id)) continue
    if (Option.isNone(yield* ports.paperBooks.find(bot.id, market, order.id))) unsent.push(intent)
    else yield* ports.transactor.transact(moveOrder(ports, bot.id, order.id, "accepted"))
  }
  const { openOrders } = yield* ports.paperBooks.account(bot.id)
  return [
    ...openOrders.flatMap(({ clientOrderId, symbol }) =>
      known.has(clientOrderId) || !isGivenUp(bot, session, clientOrderId)
        ? []
        : [{ type: "cancel", market: bot.symbols.indexOf(symbol), orderId: clientOrderId } as const]
    ),
    ...unsent,
    // To move levels once more to where they are does nothing.
    ...(session.moves ?? []).map((levels) => ({ type: "move", ...levels }) as const)
  ]
})

/** Saves the state of a session. */
export const saveSession = Effect.fnUntraced(function* (
  ports: BotPorts,
  botId: string,
  session: BotSession
): Effect.fn.Return<void, StoreError> {
  const saved = yield* ports.botStates.put(toBotState(botId, session))
  session.stateVersion = saved.version
})

const observeRisk = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  time: number
): Effect.fn.Return<Bot, StoreError> {
  const { gate } = session
  if (!observeEquity(gate, toRiskLimits(bot.risk), time, equityOf(session.account))) return bot
  const message =
    gate.state === "active"
      ? "trading is active again"
      : `trading is ${gate.state}: ${gate.reason.replace("_", " ")}`
  yield* log(ports, bot.id, gate.state === "active" ? "info" : "warn", "risk.changed", message, {
    trading_state: gate.state,
    reason: gate.reason
  })
  return yield* ports.bots.update({
    ...bot,
    ...tradingFields(gate.reason),
    updated_at: yield* nowTimestamp
  })
})

/** Shows each step the candles of the markets that its rules read besides. */
const showOthers = ({ steps }: BotSession, { candles }: CandlesUpdate): void => {
  for (const step of steps) {
    for (const { symbol, candle } of candles) {
      if (step.others.includes(symbol)) step.seeOther(symbol, candle)
    }
  }
}

/** The account at the broker, where a ladder asks for the stops of its positions. */
const heldForLadders = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  { account, ladders }: BotSession
): Effect.fn.Return<BookedAccount | null, StoreError | BooksError> {
  const isAsked = ladders !== undefined && account.books.some(({ position }) => position !== null)
  return isAsked ? yield* booksOf(ports, bot).account(bot.id) : null
})

/** Decides on each candle, and writes the decisions down. */
const decideCandles = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  update: CandlesUpdate,
  canEnter: boolean
): Effect.fn.Return<ReadonlyArray<Intent>, StoreError | BooksError> {
  const intents: Array<Intent> = []
  const moves: Array<LevelMove> = []
  const held = yield* heldForLadders(ports, bot, session)
  showOthers(session, update)
  const view = viewForCode(bot, session, held, moves)
  for (const { symbol, candle } of update.candles) {
    const market = bot.symbols.indexOf(symbol)
    const decision = session.steps[market]!.next(candle, view.book(market), view)
    if (!managingStates.includes(bot.status)) continue
    const close = { market, decision, canEnter, held }
    yield* notePassedOver(ports, bot, session, close)
    for (const one of decideClose(bot, session, close)) {
      if (one.type === "place") {
        intents.push(yield* intend(ports, bot, session, market, one.order))
      } else if (one.type === "cancel") {
        const { orderId } = one
        yield* moveOrder(ports, bot.id, orderId, "cancelled", { reason: "no longer wanted" })
        showEnded(session.account, { orderId, market, outcome: "cancelled", reason: "" })
        yield* cancelAtVenue(ports, bot, session, market, orderId)
        intents.push({ type: "cancel", market, orderId })
      } else {
        const levels = { market, stop: one.stop, target: one.target, lot: one.lot }
        if (session.live !== null) yield* ports.venueBooks.protect(bot.id, market, levels)
        moves.push(levels)
        intents.push({ type: "move", ...levels })
      }
    }
  }
  const placed = intents.flatMap((one) => (one.type === "place" ? [one] : []))
  yield* endBornOver(ports, bot, session, placed)
  session.moves = moves.length === 0 ? undefined : moves
  return intents
})

/**
 * Carries decisions out in the books on paper, where these are in the store of the step. Returns
 * the others: those of a live bot, and entries of an account that is halted in this process.
 */
const carryOutOnPaper = Effect.fnUntraced(function* (
  ports: BotPorts,
  { account_id: accountId, id, mode }: Bot,
  intents: ReadonlyArray<Intent>
): Effect.fn.Return<ReadonlyArray<Intent>, StoreError | BooksError> {
  const { haltFlag, paperBooks } = ports
  if (mode === "live" || paperBooks.isInStore !== true) return intents
  const left: Array<Intent> = []
  for (const intent of intents) {
    if (intent.type === "move") yield* paperBooks.protect(id, intent.market, intent)
    else if (intent.type === "cancel") yield* paperBooks.cancel(id, intent.market, intent.orderId)
    else if (isEntry(intent.order) && (yield* haltFlag.isHaltedHere(accountId))) left.push(intent)
    else yield* placeOnPaper(ports, id, intent)
  }
  return left
})

/**
 * Processes the candles of one time and returns the orders for the broker. Candles that are not
 * newer than the session's are left. To be run in a transaction; a session whose transaction failed
 * must be opened anew.
 */
export const stepBot = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  update: CandlesUpdate
): Effect.fn.Return<ReadonlyArray<Intent>, StoreError | BooksError> {
  // Its fills are booked, and a step of the past would be decided by later facts.
  if (session.cursor !== null && update.time <= session.cursor) return []
  const inputs = toInputs(bot, update)
  const closedMs = update.time + candleMs(session)
  const candles = update.candles.map(({ symbol, candle }) => ({ symbol, ...candle, closedMs }))
  const report = yield* booksOf(ports, bot).settle(bot.id, candles)
  openCandles(session.account, inputs)
  yield* bookReport(ports, bot, session, report)
  closeCandles(session.account, inputs)
  reportCloses(ports, session, candles)
  yield* cancelOverdue(ports, bot, session, closedMs)
  session.cursor = update.time
  session.isDataEnded = false
  session.lastTickMs = yield* Clock.currentTimeMillis
  session.tallies.firstClose ??= session.account.books[0]!.lastClose
  session.tallies.lastClose = session.account.books[0]!.lastClose
  const watched = yield* observeRisk(ports, bot, session, update.time)
  const marketNow = ports.marketData.clock === "live" ? session.lastTickMs : closedMs
  const isOld = isStale(update.time, candleMs(session), marketNow)
  const hindrances = yield* lookForHindrances(ports, bot, session, { isOld })
  const canEnter = bot.status === "running" && hindrances.length === 0
  const intents = yield* decideCandles(ports, bot, session, update, canEnter)
  yield* keepMovedStops(ports, bot, session)
  yield* protectAtVenue(ports, bot, session)
  yield* keepEquity(ports, bot, session, update.time)
  yield* fireAlerts(ports, watched, watchedValues(watched, session, isOld), update.time)
  yield* saveSession(ports, bot.id, session)
  return yield* carryOutOnPaper(ports, bot, intents)
})
