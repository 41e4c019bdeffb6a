/**
 * The matcher of the simulator as a venue of its own: one account on spot, whose orders candles
 * fill.
 *
 * - `show` moves the venue by candles. It never moves by itself, and reads no clock but the
 *   store's.
 * - An order is open at once. `PaperOrderMachine` has its ends.
 * - An id is unique for ever. The venue does not place an order again whose id it has met before,
 *   and its sender learns that it was taken.
 * - Everything is kept in the store, so that a process that opens the account next finds it as it
 *   was.
 *
 * **Example** (A market order that the next candle fills)
 *
 * ```ts
 * import { makePaperVenue } from "@candlewick/core"
 * import { MemoryStore } from "@candlewick/store-memory"
 * import { Effect } from "effect"
 *
 * const steps = { quantityStep: "0.001", priceStep: "0.01", minQuantity: "0.001", minNotional: "5" }
 * const coins = { symbol: "BTC/USDT", base: "BTC", quote: "USDT" }
 * const market = { ...coins, ...steps, makerRate: "0.001", takerRate: "0.002" }
 * const program = Effect.gen(function* () {
 *   const options = { key: "demo", capital: "1000", quote: "USDT", markets: [market] }
 *   const { show, venue } = yield* makePaperVenue({ ...options, nowMs: Effect.succeed(0) })
 *   const candle = { symbol: "BTC/USDT", open: 100, high: 100, low: 100, close: 100 }
 *   yield* show([{ ...candle, time: 0 }])
 *   yield* venue.submit({
 *     id: "0000000000000000000001",
 *     symbol: "BTC/USDT",
 *     side: "buy",
 *     type: "market",
 *     quantity: "2",
 *     limitPrice: null,
 *     stopPrice: null,
 *     isReduceOnly: false,
 *     sentAtMs: 0
 *   })
 *   yield* show([{ ...candle, time: 60_000 }])
 *   const { balances } = yield* venue.holdings
 *   return Object.fromEntries(balances)
 * })
 * console.log(await Effect.runPromise(Effect.provide(program, MemoryStore.layer)))
 * ```
 *
 * ```text output
 * { USDT: '799.6', BTC: '2' }
 * ```
 *
 * @since 0.1.0
 */
import { BigDecimal, Effect, Option, Queue, Stream } from "effect"
import { makeOutcome, type OrderRequest } from "@candlewick/engine/kernel"
import { decimalOfUnsafe, decimalText } from "../../domain/decimals.ts"
import { faultOfAmounts, orderAmountsOf } from "../../domain/orderTerms.ts"
import { PaperOrderMachine } from "../../domain/PaperOrderMachine.ts"
import * as StateTable from "../../domain/StateTable.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { venueIdPatterns } from "../../domain/venueIds.ts"
import {
  VenueError,
  VenueOutcomeUnknown,
  VenueRefused,
  VenueUnavailable
} from "../../domain/VenueError.ts"
import { PaperAccountStore } from "../../ports/PaperAccountStore.ts"
import { Transactor } from "../../ports/Transactor.ts"
import type {
  Decimal,
  Venue,
  VenueCapabilities,
  VenueHint,
  VenueOrder,
  VenueTrades
} from "../../ports/Venue.ts"
import {
  keepPaper,
  type PaperAccountAtWork,
  type PaperKeeper,
  type PaperVenueOptions
} from "./paperKeeper.ts"
import {
  balancesAfter,
  isLess,
  minus,
  pageSize,
  type PaperMarket,
  type PaperOrder,
  plus,
  stateOf,
  times,
  tradeOf
} from "./paperRecord.ts"

/** A candle of a market, as the paper venue is shown it. @category models @since 0.1.0 */
export interface PaperCandle {
  readonly symbol: string
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume?: number | undefined
}

/** An account at the paper venue, and its market. @category models @since 0.1.0 */
export interface PaperVenue {
  readonly venue: Venue
  /** Shows the candles of one time, of each market at most one. */
  readonly show: (candles: ReadonlyArray<PaperCandle>) => Effect.Effect<void, StoreError>
}

const capabilities: VenueCapabilities = {
  kind: "spot",
  idForm: "base62",
  windowMs: 5_000,
  readLagMs: 0,
  hasStops: true,
  hasReduceOnly: false,
  canShareQuantity: true
}

const fail = (reason: VenueError["reason"]) => Effect.fail(new VenueError({ reason }))

const refuse = (code: VenueRefused["code"], why: string) => fail(new VenueRefused({ code, why }))

const invalid = (why: string) => refuse("invalid_order", why)

/** A store that fails leaves a request open, as a lost connection would. */
const asUnknown = <A, R>(
  effect: Effect.Effect<A, StoreError | VenueError, R>
): Effect.Effect<A, VenueError, R> =>
  Effect.catchTag(effect, "StoreError", ({ message }) =>
    fail(new VenueOutcomeUnknown({ why: message }))
  )

const asUnavailable = <A, R>(
  effect: Effect.Effect<A, StoreError, R>
): Effect.Effect<A, VenueError, R> =>
  Effect.catchTag(effect, "StoreError", ({ message }) =>
    fail(new VenueUnavailable({ why: message, is_maintenance: false }))
  )

const requestOf = (order: VenueOrder): OrderRequest => ({
  id: order.id,
  side: order.side === "buy" ? 1 : -1,
  type: order.type,
  leg: order.side === "buy" ? "entry" : "exit",
  quantity: Number(order.quantity),
  limit: order.limitPrice === null ? null : Number(order.limitPrice),
  stop: order.stopPrice === null ? null : Number(order.stopPrice),
  expiresAfter: null,
  reason: "signal",
  attached: null
})

/** The reserve of a buy order, its fee included. */
const lockOf = (
  market: PaperMarket,
  { filledQuantity, lockPrice, quantity }: PaperOrder
): Decimal => times(times(minus(quantity, filledQuantity), lockPrice), plus("1", market.takerRate))

/** Whether the account can't pay for an order besides those that are open. */
const isTooMuch = (
  markets: ReadonlyArray<PaperMarket>,
  { balances, open }: PaperAccountAtWork,
  market: PaperMarket,
  order: PaperOrder
): boolean => {
  // Exits share the held quantity: the first that fills leaves the others less.
  if (order.side === "sell") return isLess(balances[market.base] ?? "0", order.quantity)
  let free = balances[market.quote] ?? "0"
  for (const other of open) {
    if (other.side === "sell") continue
    free = minus(
      free,
      lockOf(
        markets.find(({ symbol }) => symbol === other.symbol)!,
        other
      )
    )
  }
  return isLess(free, lockOf(market, order))
}

/** The order as it would rest, once everything but the account's funds allows it. */
const orderFrom = Effect.fnUntraced(function* (
  order: VenueOrder,
  market: PaperMarket | undefined,
  lastClose: (market: PaperMarket) => number
): Effect.fn.Return<PaperOrder, VenueError> {
  const { id, quantity, side, symbol } = order
  if (!venueIdPatterns.base62.test(id)) return yield* invalid("the id is not base62")
  if (market === undefined) return yield* invalid(`there is no market ${symbol}`)
  if (order.isReduceOnly) return yield* invalid("there are no reduce-only orders")
  const amounts = orderAmountsOf(order)
  if (Option.isNone(amounts)) return yield* invalid("the amounts don't fit the type of the order")
  const close = lastClose(market)
  if (Number.isNaN(close)) return yield* refuse("market_closed", `${symbol} has no price yet`)
  const { limitPrice, stopPrice } = amounts.value
  const price = limitPrice ?? stopPrice ?? BigDecimal.fromNumberUnsafe(close)
  const fault = faultOfAmounts(market, amounts.value, price)
  if (fault !== null) return yield* invalid(fault)
  const lockPrice = decimalText(price)
  const phase = PaperOrderMachine.initial
  return { id, symbol, side, quantity, filledQuantity: "0", lockPrice, phase }
})

const submitTo = (options: PaperVenueOptions, keeper: PaperKeeper) =>
  Effect.fnUntraced(function* (order: VenueOrder): Effect.fn.Return<void, VenueError> {
    const { markets, nowMs } = options
    const index = markets.findIndex(({ symbol }) => symbol === order.symbol)
    const taking = keeper.change((account) =>
      Effect.gen(function* () {
        const isOpen = account.open.some(({ id }) => id === order.id)
        if (isOpen || Option.isSome(yield* keeper.ended(order.id))) return
        const ageMs = (yield* nowMs) - order.sentAtMs
        if (ageMs > capabilities.windowMs!) {
          return yield* refuse("too_late", `sent ${ageMs} ms ago`)
        }
        const market = markets[index]
        const read = yield* orderFrom(order, market, () => account.at.lastClose(index))
        if (isTooMuch(markets, account, market!, read)) {
          return yield* refuse("insufficient_funds", "the account has too little")
        }
        account.at.place(index, requestOf(order))
        yield* keeper.save({ ...account, open: [...account.open, read] })
      })
    )
    yield* asUnknown(taking)
  })

const cancelAt = (options: PaperVenueOptions, keeper: PaperKeeper) =>
  Effect.fnUntraced(function* (
    symbol: string,
    id: string
  ): Effect.fn.Return<"cancelled" | "gone", VenueError> {
    const index = options.markets.findIndex((market) => market.symbol === symbol)
    const cancelling = keeper.change((account) =>
      Effect.gen(function* () {
        const order = account.open.find((open) => open.id === id && open.symbol === symbol)
        if (order === undefined) return "gone" as const
        account.at.cancel(index, id)
        account.at.drain(makeOutcome())
        const phase = StateTable.move(PaperOrderMachine, order.phase, "cancelled")
        yield* keeper.keepEnded({ ...order, phase })
        yield* keeper.save({ ...account, open: account.open.filter((open) => open.id !== id) })
        return "cancelled" as const
      })
    )
    return yield* asUnknown(cancelling)
  })

/** Books the matcher's outcome: trades, balances, and orders that are over by it. */
const bookNews = Effect.fnUntraced(function* (
  markets: ReadonlyArray<PaperMarket>,
  keeper: PaperKeeper,
  account: PaperAccountAtWork
) {
  const outcome = makeOutcome()
  account.at.drain(outcome)
  let { balances, recent, tradeCount } = account
  const filled = new Map(account.open.map(({ filledQuantity, id }) => [id, filledQuantity]))
  for (const fill of outcome.fills) {
    const market = markets[fill.market]!
    const trade = tradeOf(fill, market, tradeCount)
    balances = balancesAfter(balances, trade, market)
    filled.set(fill.orderId, plus(filled.get(fill.orderId), trade.quantity))
    tradeCount += 1
    recent = [...recent, { ...trade, orderId: fill.orderId }]
    if (recent.length < pageSize) continue
    yield* keeper.keepPage(tradeCount / pageSize - 1, recent)
    recent = []
  }
  const outcomes = new Map(outcome.ended.map(({ orderId, outcome }) => [orderId, outcome]))
  const open: Array<PaperOrder> = []
  for (const order of account.open) {
    const filledQuantity = filled.get(order.id)!
    const isWhole = !isLess(filledQuantity, order.quantity)
    const end = isWhole ? "filled" : outcomes.get(order.id)
    const now: PaperOrder = { ...order, filledQuantity }
    if (end === undefined) {
      open.push(now)
      continue
    }
    const phase = StateTable.move(PaperOrderMachine, order.phase, end)
    yield* keeper.keepEnded({ ...now, phase })
  }
  yield* keeper.save({ ...account, balances, open, recent, tradeCount })
  return outcome.fills.length + outcome.ended.length > 0
})

const cursorAt = (place: number): string => `p${place}`

const tradesAt = (keeper: PaperKeeper) =>
  Effect.fnUntraced(function* (cursor: string | null): Effect.fn.Return<VenueTrades, StoreError> {
    const { recent, tradeCount } = yield* keeper.load
    const from = cursor === null ? 0 : Number(cursor.slice(1))
    const nth = Math.floor(from / pageSize)
    const isRecent = nth * pageSize + recent.length === tradeCount
    const page = isRecent ? recent : yield* keeper.page(nth)
    const until = nth * pageSize + page.length
    const trades = page.slice(from - nth * pageSize)
    return { trades, cursor: cursorAt(until), hasMore: until < tradeCount }
  })

const readsOf = (
  { markets }: PaperVenueOptions,
  keeper: PaperKeeper
): Pick<Venue, "market" | "order" | "openOrders" | "trades" | "holdings"> => ({
  market: (symbol) =>
    Effect.succeed(Option.fromUndefinedOr(markets.find((market) => market.symbol === symbol))),
  order: (symbol, id) =>
    asUnavailable(
      Effect.gen(function* () {
        const { open } = yield* keeper.load
        const resting = open.find((order) => order.id === id)
        const found = resting === undefined ? yield* keeper.ended(id) : Option.some(resting)
        return Option.map(
          Option.filter(found, (order) => order.symbol === symbol),
          stateOf
        )
      })
    ),
  openOrders: asUnavailable(Effect.map(keeper.load, ({ open }) => open.map(stateOf))),
  trades: (cursor) => asUnavailable(tradesAt(keeper)(cursor)),
  holdings: asUnavailable(
    Effect.map(keeper.load, ({ balances }) => ({
      balances: new Map(
        Object.entries(balances).filter(([, amount]) => !BigDecimal.isZero(decimalOfUnsafe(amount)))
      ),
      positions: new Map()
    }))
  )
})

/**
 * An account at the paper venue, which begins with its capital where the store has none.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makePaperVenue = Effect.fnUntraced(function* (
  options: PaperVenueOptions
): Effect.fn.Return<PaperVenue, never, PaperAccountStore | Transactor> {
  const stores = { accounts: yield* PaperAccountStore, transactor: yield* Transactor }
  const keeper = keepPaper(options, stores)
  const listeners = new Set<Queue.Enqueue<VenueHint>>()
  const { markets } = options
  const show = Effect.fnUntraced(function* (candles: ReadonlyArray<PaperCandle>) {
    const hasNews = yield* keeper.change((account) => {
      account.at.show(
        candles.map(({ symbol, ...candle }) => ({
          ...candle,
          market: markets.findIndex((market) => market.symbol === symbol)
        }))
      )
      return bookNews(markets, keeper, account)
    })
    if (!hasNews) return
    for (const listener of listeners) Queue.offerUnsafe(listener, "trade")
  })
  const feed = Stream.callback<VenueHint>((queue) =>
    Effect.acquireRelease(
      Effect.sync(() => listeners.add(queue)),
      () => Effect.sync(() => listeners.delete(queue))
    )
  )
  const submit = submitTo(options, keeper)
  const cancel = cancelAt(options, keeper)
  return { venue: { capabilities, submit, cancel, feed, ...readsOf(options, keeper) }, show }
})
