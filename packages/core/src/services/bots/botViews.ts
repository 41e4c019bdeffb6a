/**
 * The views of a bot, from its record, its state and its broker's holdings.
 *
 * @since 0.1.0
 */
import { Clock, Effect } from "effect"
import type { Bot, BotState } from "../../domain/Bot.ts"
import { restingStates } from "../../domain/BotMachine.ts"
import { decimalOfUnsafe, numberOf } from "../../domain/decimals.ts"
import type { BotPerformance, BotStatusView } from "../../domain/BotViews.ts"
import type { OpenPosition, ProtectionPlace } from "../../domain/OpenPosition.ts"
import type { BooksError } from "../../domain/BooksError.ts"
import { fromTimestamp, measureAll, timeframeMs, toTimestamp } from "@candlewick/engine"
import type { Problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { type Book, type LotState } from "@candlewick/engine/kernel"
import type { BotJournal } from "../../ports/BotJournal.ts"
import type { BookedPosition } from "./BotBooks.ts"
import { measureEquity } from "./botEquity.ts"
import { type BotPorts, booksOf } from "./botPorts.ts"
import { type BotSnapshot, isDustIn, readSnapshot } from "./botSession.ts"
import { viewHindrances } from "./hindrances.ts"
import { keptState } from "./keptState.ts"
import { viewPassedOver } from "./passedOver.ts"
import { ownStops } from "../venues/books/ownStops.ts"
import { leastOf, protectionIn, stopIdOf } from "../venues/books/protectionStatus.ts"

const loadSnapshot = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot
): Effect.fn.Return<
  { readonly snapshot: BotSnapshot; readonly cursor: number | null },
  Problem | StoreError
> {
  const state = yield* keptState(ports, bot)
  return { snapshot: readSnapshot(state), cursor: state.cursor }
})

/** The positions of a bot, at its markets' last closes. */
export const openPositions = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot
): Effect.fn.Return<ReadonlyArray<OpenPosition>, Problem | StoreError | BooksError> {
  const { snapshot } = yield* loadSnapshot(ports, bot)
  const isHolding = snapshot.account.books.some(({ position }) => position !== null)
  if (!isHolding) return []
  const held = yield* booksOf(ports, bot).account(bot.id)
  const protections = yield* protectionsOf(ports, bot)
  return snapshot.account.books.flatMap((book, market) => {
    const symbol = bot.symbols[market]!
    const theirs = held.positions.find((one) => one.symbol === symbol)
    if (book.position === null) return []
    const position = toOpenPosition(symbol, book, book.position, theirs)
    if (isDustIn(snapshot, market)) return [{ ...position, protection: "none", is_dust: true }]
    return [{ ...position, protection: protections[market] ?? "none" }]
  })
})

/** Where the stops of a bot's positions are, by market, as attempts at its venue say just now. */
const protectionsOf = Effect.fnUntraced(function* (
  ports: Pick<BotPorts, "venueAccounts" | "venueBooks">,
  bot: Bot
): Effect.fn.Return<ReadonlyArray<ProtectionPlace | null>, StoreError | BooksError> {
  // On paper the matcher carries every stop out.
  if (bot.mode !== "live") return bot.symbols.map(() => "local")
  const book = yield* ports.venueBooks.read(bot.id)
  const stops = book.markets.flatMap(({ lots }, market) => [
    ...lots.map(stopIdOf),
    ...ownStops(book, market).map(([id]) => id)
  ])
  const attempts = yield* Effect.forEach(stops, (id) => ports.venueAccounts.attemptsOf(bot.id, id))
  // A bot at rest has no watcher.
  const isWatching = !restingStates.includes(bot.status)
  return protectionIn(book, attempts.flat()).map((found) =>
    found === "local" && !isWatching ? "none" : found
  )
})

/** A position as the bot has it, with the exits that rest for it at the broker. */
const toOpenPosition = (
  symbol: string,
  { lastClose, lots }: Book,
  position: NonNullable<Book["position"]>,
  theirs: BookedPosition | undefined
): OpenPosition => {
  const price = lastClose ?? position.entryPrice
  return {
    symbol,
    direction: position.quantity > 0 ? "long" : "short",
    quantity: Math.abs(position.quantity),
    entry_price: position.entryPrice,
    entry_at: toTimestamp(position.entryTime),
    price,
    value: Math.abs(position.quantity) * price,
    unrealized_pnl: position.quantity * (price - position.entryPrice),
    stop_price: theirs?.protection?.stop ?? null,
    target_price: theirs?.protection?.target ?? null,
    ...(lots !== undefined && { lots: lots.map((lot) => toOpenLot(lot, price, theirs)) })
  }
}

const toOpenLot = (
  { id, position: { entryPrice, entryTime, quantity } }: LotState,
  price: number,
  theirs: BookedPosition | undefined
) => {
  const protection = theirs?.lots?.find((lot) => lot.entryOrderId === id)?.protection
  return {
    client_order_id: id,
    quantity: Math.abs(quantity),
    entry_price: entryPrice,
    entry_at: toTimestamp(entryTime),
    unrealized_pnl: quantity * (price - entryPrice),
    stop_price: protection?.stop ?? null,
    target_price: protection?.target ?? null
  }
}

const numbersOf = (amounts: Readonly<Record<string, string>>): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(amounts).map(([coin, amount]) => [coin, numberOf(decimalOfUnsafe(amount))])
  )

/** The present state of a bot. */
export const statusOf = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot
): Effect.fn.Return<BotStatusView, Problem | StoreError | BooksError> {
  const { snapshot, cursor } = yield* loadSnapshot(ports, bot)
  const { gate, account, lastTickMs, isDataEnded, mismatch, unpricedFees } = snapshot
  const openOrders = yield* ports.orders.listOpen(bot.id)
  const nowMs = yield* Clock.currentTimeMillis
  const positions = yield* openPositions(ports, bot)
  const upSince = restingStates.includes(bot.status) ? null : bot.started_at
  const isLive = ports.marketData.clock === "live"
  const closedAt = cursor === null ? null : cursor + timeframeMs(bot.timeframe)
  return {
    id: bot.id,
    status: bot.status,
    desired_status: bot.desired_status,
    trading_state: bot.trading_state,
    trading_state_reason: bot.trading_state_reason,
    error: bot.error,
    mismatch: mismatch && { found_at: mismatch.found_at, differences: mismatch.differences },
    uptime_seconds: upSince === null ? 0 : Math.max(0, (nowMs - fromTimestamp(upSince)) / 1000),
    last_tick_at: lastTickMs === null ? null : toTimestamp(lastTickMs),
    last_candle_at: lastTickMs === null || cursor === null ? null : toTimestamp(cursor),
    data_lag_seconds: isLive && closedAt !== null ? Math.max(0, (nowMs - closedAt) / 1000) : null,
    is_data_ended: isDataEnded,
    hindrances: yield* viewHindrances(ports, bot, { cursor, snapshot }, openOrders),
    passed_over: viewPassedOver(bot, snapshot),
    equity: gate.lastEquity,
    cash: account.ledger.cash,
    ...(unpricedFees !== undefined && { unpriced_fees: numbersOf(unpricedFees) }),
    daily_pnl: gate.lastEquity - gate.dayStartEquity,
    drawdown:
      gate.peakEquity > 0 ? Math.max(0, (gate.peakEquity - gate.lastEquity) / gate.peakEquity) : 0,
    protection: leastOf(
      positions.flatMap(({ is_dust, protection }) => (is_dust === true ? [] : (protection ?? [])))
    ),
    open_positions: positions,
    open_orders: openOrders
  }
})

/** The results of a bot. */
export const performanceOf = (
  ports: BotPorts,
  bot: Bot
): Effect.Effect<BotPerformance, Problem | StoreError> =>
  Effect.flatMap(keptState(ports, bot), (state) => measurePerformance(ports.journal, bot, state))

/** The results of a bot with this state, be it at work or deleted. */
export const measurePerformance = Effect.fnUntraced(function* (
  journal: Pick<BotJournal["Service"], "equityAt" | "listEquity">,
  bot: Bot,
  state: BotState
): Effect.fn.Return<BotPerformance, StoreError> {
  const { cursor } = state
  const snapshot = readSnapshot(state)
  const { tallies, account, gate, adjusted, adjustments } = snapshot
  // Sums of rounded results seldom add up to nothing to the bit.
  const isFlat = account.books.every(({ position }) => position === null)
  const { curve, measurement } = yield* measureEquity({ journal }, bot, snapshot.running)
  const measured = measureAll({
    ...measurement,
    positions: tallies.positions,
    feesPaid: account.ledger.feesPaid,
    traded: tallies.tradingVolume
  })
  // How much was in the market at each candle is not kept.
  const { exposure: _exposure, exposure_time: _time, ...metrics } = measured.metrics
  const { count, winCount } = tallies.positions.pnls
  const { firstClose, lastClose } = tallies
  return {
    id: bot.id,
    currency: bot.symbols[0]!.split("/")[1]!,
    capital_allocation: bot.capital_allocation,
    equity: gate.lastEquity,
    realized_pnl: account.ledger.realizedPnl,
    unrealized_pnl: isFlat
      ? 0
      : gate.lastEquity - bot.capital_allocation - account.ledger.realizedPnl - adjusted,
    adjusted,
    adjustments,
    fees_paid: account.ledger.feesPaid,
    total_return: gate.lastEquity / bot.capital_allocation - 1,
    trade_count: tallies.tradeCount,
    trading_volume: tallies.tradingVolume,
    positions_closed: count,
    wins: winCount,
    losses: count - winCount,
    metrics,
    metric_reasons: measured.reasons,
    first_trade_at: tallies.firstTradeTime === null ? null : toTimestamp(tallies.firstTradeTime),
    last_trade_at: tallies.lastTradeTime === null ? null : toTimestamp(tallies.lastTradeTime),
    since: measurement.time.length === 0 ? null : toTimestamp(measurement.time[0]!),
    until: cursor === null || measurement.time.length === 0 ? null : toTimestamp(cursor),
    benchmark: {
      buy_and_hold_return:
        firstClose === null || lastClose === null ? null : lastClose / firstClose - 1
    },
    equity_curve: curve
  }
})
