/**
 * Books the report of a broker: orders, trades, the bot's own picture of its account, log lines and
 * events.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import { fromTimestamp, toTimestamp } from "@candlewick/engine"
import type { Order, Trade } from "../../domain/Order.ts"
import { OrderMachine, openOrderStatuses, restingStatus } from "../../domain/OrderMachine.ts"
import * as StateTable from "../../domain/StateTable.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import {
  type EndedOrder,
  type FundingPayment,
  keepLots,
  type Leg,
  type MatchFill,
  showEnded,
  showFee,
  showFill,
  showPayment
} from "@candlewick/engine/kernel"
import type { BooksReport, OwedFee } from "./BotBooks.ts"
import { atCandle, candleOfFill } from "./atCandle.ts"
import { closeLate } from "./closeLate.ts"
import { forgetLate, noteLateEnd } from "./lateParts.ts"
import { announce, nowTimestamp } from "../events/announce.ts"
import { takeBackAfter } from "./takeBackBound.ts"
import { isEndedByClose } from "./takenBack.ts"
import { groupOfFill, takeBackOthers } from "./takeBackOthers.ts"
import { upholdAdditions } from "../venues/bots/writeOrders.ts"
import { type BotPorts, log } from "./botPorts.ts"
import type { BotSession } from "./botSession.ts"
import { decidedAt, moveOrder, sideOf } from "./orderRecords.ts"
import { addResult, rememberFill } from "./rememberFills.ts"
import { endProtection, followProtection, keepProtection } from "./protectiveOrders.ts"

const tally = (session: BotSession, fill: MatchFill): void => {
  const { tallies } = session
  tallies.tradeCount++
  tallies.tradingVolume += fill.quantity * fill.price
  tallies.firstTradeTime ??= fill.time
  tallies.lastTradeTime = fill.time
  addResult(session, fill)
}

/** Keeps the filled quantity of an order; an order that a candle filled in part goes on. */
const fillOrder = Effect.fnUntraced(function* (
  ports: BotPorts,
  botId: string,
  { orderId, quantity, ordered = quantity }: MatchFill
): Effect.fn.Return<Order | null, StoreError> {
  const found = Option.getOrNull(yield* ports.orders.get(botId, orderId))
  if (found === null) return null
  const filled = found.filled_quantity + ordered
  const isWhole = filled >= found.quantity * (1 - 1e-10)
  return yield* moveOrder(ports, botId, orderId, isWhole ? "filled" : "partially_filled", {
    filled_quantity: isWhole ? found.quantity : filled
  })
})

const typeOfLeg = (leg: Leg): Order["type"] => {
  if (leg === "trailing_stop") return "trailing_stop"
  if (leg === "take_profit") return "limit"
  return leg === "entry" || leg === "exit" ? "market" : "stop"
}

/**
 * Keeps the order of a fill that has none. A protective exit that is touched in the candle of its
 * entry comes and goes between two reports. So no caller kept it while it rested.
 */
const keepFilledOrder = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  fill: MatchFill
): Effect.fn.Return<Order, StoreError> {
  const now = yield* nowTimestamp
  const type = typeOfLeg(fill.leg)
  return yield* ports.orders.insert({
    id: yield* ports.ids.make("order"),
    account_id: bot.account_id,
    bot_id: bot.id,
    client_order_id: fill.orderId,
    symbol: bot.symbols[fill.market]!,
    side: sideOf(fill.side),
    type,
    leg: fill.leg,
    quantity: fill.quantity,
    filled_quantity: fill.quantity,
    limit_price: type === "limit" ? fill.price : null,
    stop_price: type === "stop" || type === "trailing_stop" ? fill.price : null,
    is_reduce_only: fill.leg !== "entry",
    status: StateTable.move(OrderMachine, restingStatus, "filled"),
    reason: null,
    version: 1,
    created_at: now,
    updated_at: now,
    candle_time: decidedAt(session, fill.market)
  })
})

/**
 * The newest candle that a live bot decided on before it heard of a fill. None where it heard of
 * the fill before it decided on the fill's own candle.
 */
const heardAfter = ({ cursor, live }: Pick<BotSession, "cursor" | "live">, at: string) =>
  live === null || cursor === null || cursor < fromTimestamp(at)
    ? {}
    : { heard_after: toTimestamp(cursor) }

/** Books a fill, and says whether it is one of an entry that had ended with its position before. */
const bookFill = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  fill: MatchFill
): Effect.fn.Return<boolean, StoreError> {
  const group = yield* groupOfFill(ports, bot, session, fill)
  showFill(session.account, fill)
  rememberFill(bot, session, fill)
  tally(session, fill)
  const known = yield* fillOrder(ports, bot.id, fill)
  const order = known ?? (yield* keepFilledOrder(ports, bot, session, fill))
  const symbol = bot.symbols[fill.market]!
  const decidedAt = known === null ? null : fromTimestamp(known.candle_time)
  const at = toTimestamp(candleOfFill(ports.marketData.clock, session, fill, decidedAt))
  const trade: Trade = {
    id: yield* ports.ids.make("trade"),
    account_id: bot.account_id,
    bot_id: bot.id,
    order_id: order.id,
    client_order_id: fill.orderId,
    symbol,
    side: sideOf(fill.side),
    amount: fill.quantity,
    price: fill.price,
    fee: fill.fee,
    fee_currency: symbol.split("/")[1]!,
    leg: fill.leg,
    position_effect: fill.effect,
    realized_pnl: fill.closed?.pnl ?? null,
    executed_at: toTimestamp(fill.time),
    candle_time: at,
    created_at: yield* nowTimestamp
  }
  yield* ports.orders.appendTrade(trade)
  const { id, account_id: _account, created_at: _created, ...shown } = trade
  yield* announce(ports, bot.account_id, "trade.executed", { trade_id: id, ...shown })
  const result = trade.realized_pnl === null ? "" : `, result ${trade.realized_pnl.toFixed(2)}`
  yield* log(
    ports,
    bot.id,
    "info",
    "trade.executed",
    `${trade.side} ${trade.amount} ${symbol} at ${trade.price} (${fill.leg})${result}`,
    { trade_id: id, order_id: trade.order_id, candle_time: at, ...heardAfter(session, at) }
  )
  if (group !== undefined) yield* takeBackOthers(ports, bot, session, fill, group)
  if (fill.effect === "open") yield* keepProtection(ports, bot, session, fill, order)
  if (fill.effect === "close") yield* endProtection(ports, bot, fill)
  forgetLate(session, fill)
  yield* takeBackAfter(ports, bot, session, fill)
  return fill.leg === "entry" && isEndedByClose(order.reason)
})

const bookEnded = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  ended: EndedOrder
): Effect.fn.Return<void, StoreError> {
  showEnded(session.account, ended)
  const kept = Option.getOrNull(yield* ports.orders.get(bot.id, ended.orderId))
  // The bot had a reason to take it back, and its exchange says only that it did so.
  const isTakenBack = kept !== null && !openOrderStatuses.includes(kept.status)
  if (session.late !== undefined) {
    noteLateEnd(session, ended, isTakenBack, yield* ports.venueAccounts.nowMs)
  }
  const changes = isTakenBack ? {} : { reason: ended.reason }
  yield* moveOrder(ports, bot.id, ended.orderId, ended.outcome, changes)
  yield* log(
    ports,
    bot.id,
    ended.outcome === "rejected" ? "warn" : "info",
    `order.${ended.outcome}`,
    `order ${ended.orderId} was ${ended.outcome}: ${ended.reason}`,
    { client_order_id: ended.orderId, ...atCandle(session) }
  )
})

const bookPayment = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  payment: FundingPayment
): Effect.fn.Return<void, StoreError> {
  showPayment(session.account, payment)
  const { amount, market } = payment
  const symbol = bot.symbols[market]!
  const done = amount > 0 ? "paid" : "got"
  const at = toTimestamp(candleOfFill(ports.marketData.clock, session, payment))
  yield* log(
    ports,
    bot.id,
    "info",
    "funding.settled",
    `${done} ${Math.abs(amount)} of funding on ${symbol}`,
    { amount, symbol, candle_time: at }
  )
})

/**
 * Takes a fee whose worth became known after its fill, or reports one that has none yet. It does so
 * once for each coin, because the fee counts for nothing until then.
 */
const bookOwedFee = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  { amount, coin, worth }: OwedFee
): Effect.fn.Return<void, StoreError> {
  const [, quote] = bot.symbols[0]!.split("/")
  const { [coin]: before, ...others } = session.unpricedFees ?? {}
  const owed = worth === null && amount !== "0" ? { ...others, [coin]: amount } : others
  session.unpricedFees = Object.keys(owed).length === 0 ? undefined : owed
  const at = atCandle(session)
  if (worth !== null) {
    showFee(session.account, worth)
    const message = `took ${worth} ${quote} for ${amount} ${coin} of fees, which had no price before`
    yield* log(ports, bot.id, "info", "fee.priced", message, { amount, coin, worth, ...at })
    return
  }
  if (before !== undefined || amount === "0") return
  const message =
    `a fee of ${amount} ${coin} counts for nothing yet: the exchange account knows no price of ` +
    `${coin} in ${quote}. The bot takes it once the account trades ${coin}/${quote}, or another ` +
    `bot of it follows that market.`
  yield* log(ports, bot.id, "warn", "fee.unpriced", message, { amount, coin, ...at })
})

/** Whether books have reported anything. */
export const hasChanges = ({
  ended,
  fees = [],
  fills,
  payments,
  watchedAgain = []
}: BooksReport): boolean =>
  ended.length + fees.length + fills.length + payments.length + watchedAgain.length > 0

/** Logs an exit that its venue has refused, and that goes on; the venue has none of it now. */
const tellRefused = Effect.fnUntraced(function* (
  ports: BotPorts,
  botId: string,
  { orderId, reason }: EndedOrder
): Effect.fn.Return<void, StoreError> {
  yield* moveOrder(ports, botId, orderId, "submit")
  const goesOn = "it is watched, and asked for again after the next close at the latest"
  const message = `order ${orderId} was refused: ${reason}; ${goesOn}`
  yield* log(ports, botId, "warn", "order.refused", message, { client_order_id: orderId })
})

/** Books everything of a report, in its order. */
export const bookReport = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  report: BooksReport
): Effect.fn.Return<void, StoreError> {
  // The broker nets in the same way, once it holds nothing.
  if (session.account.books.every(({ position }) => position === null)) {
    keepLots(session.account, session.netting === "hedging")
  }
  for (const payment of report.payments) yield* bookPayment(ports, bot, session, payment)
  const lateFills: Array<MatchFill> = []
  for (const fill of report.fills) {
    if (yield* bookFill(ports, bot, session, fill)) lateFills.push(fill)
  }
  for (const ended of report.ended) yield* bookEnded(ports, bot, session, ended)
  for (const one of report.watchedAgain ?? []) yield* tellRefused(ports, bot.id, one)
  for (const fee of report.fees ?? []) yield* bookOwedFee(ports, bot, session, fee)
  if (report.fills.some(({ leg }) => leg !== "entry")) yield* upholdAdditions(ports, bot, session)
  const isResized = ({ effect }: MatchFill) => effect === "increase" || effect === "reduce"
  if (report.fills.some(isResized)) yield* followProtection(ports, bot, session)
  yield* closeLate(ports, bot, session, lateFills)
})
