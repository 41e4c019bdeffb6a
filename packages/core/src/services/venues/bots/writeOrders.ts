/**
 * Orders of a live bot, written in the transaction that decides them.
 *
 * Each order is written twice. The agent of the exchange account sends it as an attempt, and the
 * bot's books wait for the venue's reports of it.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Bot } from "../../../domain/Bot.ts"
import type { BooksError } from "../../../domain/BooksError.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import { type OrderRequest, showEnded } from "@candlewick/engine/kernel"
import { type BotPorts, log } from "../../bots/botPorts.ts"
import type { BotSession } from "../../bots/botSession.ts"
import { moveOrder } from "../../bots/orderRecords.ts"
import { outOfTimeReason } from "../../bots/takenBack.ts"
import { timeframeMs } from "@candlewick/engine"
import {
  type AttemptSetting,
  type DecidedOrder,
  isNowOrNever,
  judgeTerms,
  writeAttempts
} from "../agent/writeAttempts.ts"
import { bookOf } from "../agent/agentState.ts"
import { isHeldByOthers, mayShareQuantity } from "../agent/sharedMarket.ts"
import type { ProtectedAccount } from "../books/keepProtected.ts"
import { keptApart, placeInBook } from "../books/venueBook.ts"
import { locksQuantity } from "../books/wantedExits.ts"
import { unwatch } from "../books/watchedExits.ts"
import type { LiveVenue } from "./liveVenue.ts"
import { leastForStop, refusalOfStop, takesCoins } from "./smallStop.ts"

const settingOf = (
  ports: BotPorts,
  { key, markets, venue }: LiveVenue,
  { specs }: Pick<BotSession, "specs">
): AttemptSetting => ({
  ports,
  key,
  capabilities: venue.capabilities,
  markets,
  leverages: Object.fromEntries(
    markets.map(({ symbol }, market) => [symbol, specs[market]?.leverage ?? 1])
  )
})

/** An order of a bot that ends without a fill. */
interface EndedOrder {
  readonly id: string
  readonly market: number
  readonly outcome: "expired" | "rejected"
  readonly why: string
}

/** When an order that is decided now ends by the clock; undefined for never. */
const expiryOf = (
  { timeframe }: Pick<Bot, "timeframe">,
  { cursor }: Pick<BotSession, "cursor">,
  { expiresAfter, until }: Pick<OrderRequest, "expiresAfter" | "until">
): number | undefined => {
  const length = timeframeMs(timeframe)
  const times = until === undefined ? [] : [until]
  if (expiresAfter !== null && cursor !== null) times.push(cursor + length * (1 + expiresAfter))
  return times.length === 0 ? undefined : Math.min(...times)
}

/** The venue's capabilities for the exits of a bot, and whether others hold the bot's markets. */
export const protectingFor = Effect.fnUntraced(function* (
  { venueAccounts }: Pick<BotPorts, "venueAccounts">,
  bot: Bot,
  { key, venue: { capabilities } }: LiveVenue
): Effect.fn.Return<ProtectedAccount["capabilities"], StoreError> {
  const { hasReduceOnly, kind } = capabilities
  // Coins have no owner at a venue: an order that sells too many takes those of others.
  if (kind === "spot") return { ...capabilities, canShareQuantity: false, reducesOthers: true }
  const account = hasReduceOnly ? Option.getOrNull(yield* venueAccounts.get(key)) : null
  if (account === null) {
    return { ...capabilities, canShareQuantity: mayShareQuantity(capabilities, false) }
  }
  const open = yield* venueAccounts.listOpenAttempts(key)
  const { shares } = bookOf(account)
  const reducesOthers = isHeldByOthers(bot.id, bot.symbols, shares, open)
  const canShareQuantity = mayShareQuantity(capabilities, reducesOthers)
  return { ...capabilities, canShareQuantity, reducesOthers }
})

/**
 * Whether an exit at a price may have to be watched, because it would lock the quantity that the
 * stop needs. It may do so now, or once another bot holds the market. One that ends at once locks
 * nothing for long: the stop makes room for it, as for one at the market.
 */
const isWatchable = (order: OrderRequest): boolean =>
  order.leg !== "entry" && order.type !== "market" && !isNowOrNever(order)

/**
 * Writes the attempt of an order, or the terms by which it is watched; gives the fault where it
 * can't.
 */
const writePlaced = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  live: LiveVenue,
  {
    market,
    order
  }: {
    readonly market: number
    readonly order: OrderRequest & Pick<DecidedOrder, "afterExits" | "cancelsAtMs" | "expiresAtMs">
  }
): Effect.fn.Return<string | null, StoreError | BooksError> {
  const canWatch = isWatchable(order)
  const { capabilities } = live.venue
  // A venue without stops is not asked for one of the bot's own exits.
  const isLocal = canWatch && order.stop !== null && !capabilities.hasStops
  const isOn = isLocal || (canWatch && locksQuantity(yield* protectingFor(ports, bot, live)))
  const known = settingOf(ports, live, session)
  const setting = isLocal ? { ...known, capabilities: { ...capabilities, hasStops: true } } : known
  const { lastPrice, order: terms, why: broken } = judgeTerms(setting, session, market, order)
  const entry = { request: order, order: terms, lastPrice }
  const book = yield* ports.venueBooks.read(bot.id)
  const least = leastForStop(entry, live, session, market, takesCoins(book, market))
  const why = broken ?? refusalOfStop(entry, least)
  if (why !== null) return why
  if (!isOn) {
    const lot = keptApart(book, market, order.lot ?? null) ?? undefined
    const intent = { type: "place", market, lot, decidedAfter: book.sequence } as const
    const decided = { ...order, leastNotional: least ?? undefined }
    const intents = [{ ...intent, order: decided }]
    const [refused] = yield* writeAttempts(setting, bot, session, intents)
    if (refused !== undefined) return refused.why
  }
  const { limit_price: limitPrice, stop_price: stopPrice } = terms
  // A watched exit is sent at the end of the step where no stop needs its quantity.
  const { cancelsAtMs, expiresAtMs } = order
  const times = {
    ...(cancelsAtMs !== undefined && { cancelsAtMs }),
    ...(expiresAtMs !== undefined && { expiresAtMs })
  }
  const watch = canWatch ? { isOn, limitPrice, stopPrice, ...times, takenBack: [] } : undefined
  placeInBook(book, market, order, watch)
  yield* ports.venueBooks.write(bot.id, book)
  return null
})

/** Ends an order in the records and the picture of its bot, and says so in the log. */
export const endUnfilled = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  { id, market, outcome, why }: EndedOrder
): Effect.fn.Return<void, StoreError> {
  yield* moveOrder(ports, bot.id, id, outcome, { reason: why })
  showEnded(session.account, { orderId: id, market, outcome, reason: why })
  const level = outcome === "rejected" ? "warn" : "info"
  const message = `order ${id} was ${outcome}: ${why}`
  yield* log(ports, bot.id, level, `order.${outcome}`, message, { client_order_id: id })
})

/** Whether an order is over at the open of the first candle that could fill it. */
const isBornOver = (
  { timeframe }: Pick<Bot, "timeframe">,
  { cursor }: Pick<BotSession, "cursor">,
  { until }: Pick<OrderRequest, "until">
): boolean => until !== undefined && cursor !== null && cursor + timeframeMs(timeframe) >= until

/**
 * Writes an order for the venue. One that the venue would refuse by its terms is rejected, and one
 * that no candle would fill is not sent.
 */
export const placeAtVenue = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  market: number,
  order: OrderRequest
): Effect.fn.Return<void, StoreError> {
  const { live } = session
  if (live === null || isBornOver(bot, session, order)) return
  const { id } = order
  const { orders } = session.account.books[market]!
  const afterExits = orders.flatMap(({ id, leg, type }) =>
    leg === "exit" && type === "market" ? [id] : []
  )
  // A recording's clock is none that a venue goes by. A life in candles may be longer than by the
  // clock, for a market may be closed meanwhile: the agent leaves its end to the bot.
  const times = ports.marketData.clock === "live" && {
    expiresAtMs: expiryOf(bot, session, order),
    cancelsAtMs: order.until
  }
  const limited = { market, order: { ...order, ...times, afterExits } }
  // The step has read these books before it decided.
  const writing = writePlaced(ports, bot, session, live, limited)
  const why = yield* Effect.catchTag(writing, "BooksError", Effect.die)
  if (why === null) return
  yield* endUnfilled(ports, bot, session, { id, market, outcome: "rejected", why })
})

/**
 * Ends the orders of a close that no candle would fill, once all markets are decided on. In a
 * backtest they count until the next open, as against the cap on exposure.
 */
export const endBornOver = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  placed: ReadonlyArray<{ readonly market: number; readonly order: OrderRequest }>
): Effect.fn.Return<void, StoreError> {
  if (session.live === null) return
  for (const { market, order } of placed) {
    if (!isBornOver(bot, session, order)) continue
    const ended = { id: order.id, market, outcome: "expired", why: outOfTimeReason } as const
    yield* endUnfilled(ports, bot, session, ended)
  }
})

/**
 * Upholds the entries that add to the bot's positions, and that were not sent yet, after the exits
 * that its books have. It took the others back.
 */
export const upholdAdditions = Effect.fnUntraced(function* (
  { venueAccounts, venueBooks }: BotPorts,
  bot: Bot,
  { live }: BotSession
): Effect.fn.Return<void, StoreError> {
  if (live === null) return
  const waiting = (yield* venueAccounts.listOpenAttempts(live.key)).filter(
    (one) => one.bot_id === bot.id && one.ends_with_position === true && one.state === "written"
  )
  if (waiting.length === 0) return
  const { sequence } = yield* Effect.catchTag(venueBooks.read(bot.id), "BooksError", Effect.die)
  for (const attempt of waiting) {
    yield* venueAccounts.putAttempt({ ...attempt, upheld_after: sequence })
  }
})

/** Takes an order back at the venue, or ends the watch for it. */
export const cancelAtVenue = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  market: number,
  orderId: string
): Effect.fn.Return<void, StoreError> {
  const { live } = session
  if (live === null) return
  yield* writeAttempts(settingOf(ports, live, session), bot, session, [
    { type: "cancel", market, orderId }
  ])
  const { venueBooks } = ports
  const book = yield* Effect.catchTag(venueBooks.read(bot.id), "BooksError", Effect.die)
  if (unwatch(book, orderId)) yield* venueBooks.write(bot.id, book)
})
