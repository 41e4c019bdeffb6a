/**
 * A venue of one's own, as small as one can be: one market, market and limit orders, no stops, and
 * no fees. It lives in memory, fills at the price that `moveTo` names, and passes `VenueSuite`.
 *
 * An adapter of a real exchange has the same parts. Its requests go over the network, and each way
 * in which one can fail becomes one of the four reasons of `VenueError`.
 */
import {
  decimalOfUnsafe,
  decimalText,
  faultOfAmounts,
  orderAmountsOf,
  type Venue,
  type VenueCapabilities,
  VenueError,
  type VenueHint,
  type VenueMarket,
  type VenueOrder,
  VenueOutcomeUnknown,
  VenueRefused,
  type VenueTrade,
  VenueUnavailable
} from "@candlewick/core"
import { BigDecimal, Cause, Clock, Effect, Option, Queue, Stream } from "effect"

const { isLessThan, multiply, subtract, sum } = BigDecimal

const market: VenueMarket = {
  symbol: "TEA/USD",
  base: "TEA",
  quote: "USD",
  quantityStep: "0.01",
  priceStep: "0.01",
  minQuantity: "0.01",
  minNotional: "5"
}

const capabilities: VenueCapabilities = {
  kind: "spot",
  idForm: "hex",
  windowMs: 2_000,
  readLagMs: 0,
  hasStops: false,
  hasReduceOnly: false,
  canShareQuantity: false
}

interface Kept {
  readonly order: VenueOrder
  status: "open" | "filled" | "cancelled"
}

const fail = (reason: VenueError["reason"]) => Effect.fail(new VenueError({ reason }))
const refuse = (code: VenueRefused["code"], why: string) => fail(new VenueRefused({ code, why }))
const lost = new VenueError({
  reason: new VenueUnavailable({ why: "the connection is cut", is_maintenance: false })
})

/** A venue with an account that holds so much of the quote currency, and a hand on its price. */
export const makeOwnVenue = (cash: string, firstPrice: string) => {
  const orders = new Map<string, Kept>()
  const trades: Array<VenueTrade> = []
  const listeners = new Set<Queue.Queue<VenueHint, VenueError | Cause.Done>>()
  const balances = new Map([[market.quote, decimalOfUnsafe(cash)]])
  let price = decimalOfUnsafe(firstPrice)

  const add = (coin: string, amount: BigDecimal.BigDecimal) =>
    balances.set(coin, sum(balances.get(coin) ?? decimalOfUnsafe("0"), amount))
  const open = () => [...orders.values()].filter(({ status }) => status === "open")
  const stateOf = ({ order, status }: Kept) => ({
    id: order.id,
    symbol: order.symbol,
    side: order.side,
    status,
    quantity: order.quantity,
    filledQuantity: status === "filled" ? order.quantity : "0"
  })
  const tell = (hint: VenueHint) =>
    listeners.forEach((listener) => Queue.offerUnsafe(listener, hint))

  /** The amount that an order takes from the account: quote for a buy, base for a sell. */
  const needOf = ({ limitPrice, quantity, side }: VenueOrder) =>
    side === "sell"
      ? decimalOfUnsafe(quantity)
      : multiply(
          decimalOfUnsafe(quantity),
          limitPrice === null ? price : decimalOfUnsafe(limitPrice)
        )
  const canPay = (order: VenueOrder) => {
    const coin = order.side === "buy" ? market.quote : market.base
    const rivals = open().filter((other) => other.order.side === order.side)
    const locked = BigDecimal.sumAll(rivals.map((other) => needOf(other.order)))
    const has = balances.get(coin) ?? decimalOfUnsafe("0")
    return !isLessThan(subtract(has, locked), needOf(order))
  }

  const fillWhatCan = (nowMs: number) => {
    for (const kept of open()) {
      const { id, limitPrice, quantity, side, symbol } = kept.order
      const limit = limitPrice === null ? price : decimalOfUnsafe(limitPrice)
      if (side === "buy" ? isLessThan(limit, price) : isLessThan(price, limit)) continue
      const bought =
        side === "buy" ? decimalOfUnsafe(quantity) : BigDecimal.negate(decimalOfUnsafe(quantity))
      add(market.base, bought)
      add(market.quote, BigDecimal.negate(multiply(bought, price)))
      kept.status = "filled"
      const fee = { amount: "0", currency: market.quote }
      const trade = { orderId: id, symbol, side, quantity, price: decimalText(price), fee }
      trades.push({ id: `${trades.length + 1}`, ...trade, timeMs: nowMs })
      tell("trade")
    }
  }

  const submit: Venue["submit"] = Effect.fn("submit")(function* (order) {
    const nowMs = yield* Clock.currentTimeMillis
    const { id, sentAtMs, symbol } = order
    if (nowMs - sentAtMs > capabilities.windowMs!) return yield* refuse("too_late", "too late")
    if (symbol !== market.symbol) return yield* refuse("invalid_order", `no market ${symbol}`)
    // The order may be there already, so this is no refusal: only a look-up can decide.
    if (orders.has(id)) return yield* fail(new VenueOutcomeUnknown({ why: `${id} was met before` }))
    const amounts = orderAmountsOf(order)
    if (Option.isNone(amounts) || order.stopPrice !== null || order.isReduceOnly) {
      return yield* refuse("invalid_order", "only market and limit orders are taken")
    }
    const fault = faultOfAmounts(market, amounts.value, amounts.value.limitPrice ?? price)
    if (fault !== null) return yield* refuse("invalid_order", fault)
    if (!canPay(order)) return yield* refuse("insufficient_funds", "the account has too little")
    orders.set(id, { order, status: "open" })
    fillWhatCan(nowMs)
  })

  const venue: Venue = {
    capabilities,
    submit,
    market: (symbol) =>
      Effect.succeed(symbol === market.symbol ? Option.some(market) : Option.none()),
    cancel: (_symbol, id) =>
      Effect.sync(() => {
        const kept = orders.get(id)
        if (kept?.status !== "open") return "gone"
        kept.status = "cancelled"
        return "cancelled"
      }),
    order: (_symbol, id) =>
      Effect.sync(() => Option.map(Option.fromUndefinedOr(orders.get(id)), stateOf)),
    openOrders: Effect.sync(() => open().map(stateOf)),
    trades: (cursor) =>
      Effect.sync(() => {
        const told = trades.slice(Number(cursor ?? "0"))
        return { trades: told, cursor: String(trades.length), hasMore: false }
      }),
    holdings: Effect.sync(() => ({
      balances: new Map([...balances].map(([coin, amount]) => [coin, decimalText(amount)])),
      positions: new Map()
    })),
    feed: Stream.callback<VenueHint, VenueError>((queue) =>
      Effect.acquireRelease(
        Effect.sync(() => listeners.add(queue)),
        () => Effect.sync(() => listeners.delete(queue))
      )
    )
  }
  const moveTo = (to: string) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      price = decimalOfUnsafe(to)
      fillWhatCan(nowMs)
    })
  const cut = Effect.sync(() => {
    listeners.forEach((listener) => Queue.failCauseUnsafe(listener, Cause.fail(lost)))
  })
  return { venue, moveTo, cut, symbol: market.symbol }
}
