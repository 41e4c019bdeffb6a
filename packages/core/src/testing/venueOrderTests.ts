/**
 * The duties of a venue to its callers about orders.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { BigDecimal, Effect, Option } from "effect"
import { decimalOfUnsafe, decimalText } from "../domain/decimals.ts"
import type { VenueOrder } from "../ports/Venue.ts"
import {
  looks,
  onceEach,
  quantityOf,
  tradesFrom,
  tradeWith,
  type VenueHarness
} from "./venueAccount.ts"

type Open<R> = Effect.Effect<VenueHarness, unknown, R>

const far: Partial<VenueOrder> = { type: "limit", limitPrice: "60" }

const tradesOf = Effect.fnUntraced(function* ({ venue }: VenueHarness, id: string) {
  const { trades } = yield* tradesFrom(venue, null)
  return onceEach(trades).filter(({ orderId }) => orderId === id)
})

const restingTests = <R>(open: Open<R>) => ({
  "shows an order that it has taken within its read lag, under the id that it was given":
    Effect.gen(function* () {
      const { place, symbol, venue, wait } = tradeWith(yield* open)
      const { id } = yield* place(far)
      yield* wait(venue.capabilities.readLagMs)
      const wanted = { id, symbol, side: "buy", status: "open", quantity: "1" } as const
      const found = yield* venue.order(symbol, id)
      assert.deepStrictEqual(found, Option.some({ ...wanted, filledQuantity: "0" }))
      const listed = (yield* venue.openOrders).filter((order) => order.id === id)
      assert.deepStrictEqual(listed, [{ ...wanted, filledQuantity: "0" }])
    }),

  "fills a market order whole, at its id, and finds it afterwards": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    const { id } = yield* account.trade()
    const found = Option.getOrThrow(yield* account.venue.order(account.symbol, id))
    assert.deepInclude(found, { id, status: "filled", quantity: "1", filledQuantity: "1" })
    const trades = yield* tradesOf(account, id)
    assert.strictEqual(quantityOf(trades), "1")
    for (const trade of trades) {
      assert.deepInclude(trade, { symbol: account.symbol, side: "buy" })
    }
    const listed = (yield* account.venue.openOrders).map((order) => order.id)
    assert.notInclude(listed, id)
  }),

  "lets a limit order rest until the price is there, and fills it no worse": Effect.gen(
    function* () {
      const account = tradeWith(yield* open)
      const order = yield* account.place({ type: "limit", limitPrice: "95" })
      yield* account.moveTo("97")
      yield* account.settled
      assert.strictEqual(yield* account.statusOf(order.id), "open")
      yield* account.moveTo("94")
      yield* account.orderOnce(order, "filled")
      yield* account.settled
      const trades = yield* tradesOf(account, order.id)
      assert.strictEqual(quantityOf(trades), "1")
      for (const { price } of trades) assert.isAtMost(Number(price), 95)
    }
  )
})

const endTests = <R>(open: Open<R>) => ({
  "cancels an order that rests, and says gone of one that doesn't": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    const { symbol, venue } = account
    const resting = yield* account.place(far)
    assert.strictEqual(yield* venue.cancel(symbol, resting.id), "cancelled")
    yield* account.orderOnce(resting, "cancelled")
    assert.strictEqual(yield* venue.cancel(symbol, resting.id), "gone")
    const filled = yield* account.trade()
    assert.strictEqual(yield* venue.cancel(symbol, filled.id), "gone")
    assert.strictEqual(yield* account.statusOf(filled.id), "filled")
    yield* account.moveTo("50")
    yield* account.settled
    assert.deepStrictEqual(yield* tradesOf(account, resting.id), [])
  }),

  "never has two open orders of one id": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    const order = yield* account.place(far)
    yield* Effect.exit(account.venue.submit(order))
    yield* account.settled
    const listed = (yield* account.venue.openOrders).filter(({ id }) => id === order.id)
    assert.lengthOf(listed, 1)
    yield* account.moveTo("60")
    yield* account.orderOnce(order, "filled")
    yield* account.settled
    assert.strictEqual(quantityOf(yield* tradesOf(account, order.id)), "1")
  })
})

/** So much that a unit can be sold, also where the fee is taken from the bought coins. */
const enough: Partial<VenueOrder> = { quantity: "2" }

const stopTests = <R>(open: Open<R>) => ({
  "fills a stop once the price is there, or refuses all stops": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    const stop: Partial<VenueOrder> = { side: "sell", type: "stop", stopPrice: "95" }
    yield* account.trade(enough)
    if (!account.venue.capabilities.hasStops) {
      assert.strictEqual(yield* account.refusal(stop), "invalid_order")
      return
    }
    const order = yield* account.place(stop)
    yield* account.moveTo("97")
    yield* account.settled
    assert.strictEqual(yield* account.statusOf(order.id), "open")
    yield* account.moveTo("94")
    yield* account.orderOnce(order, "filled")
    yield* account.settled
    assert.strictEqual(quantityOf(yield* tradesOf(account, order.id)), "1")
  }),

  "fills a stop with a limit between the two, or refuses it": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    const stop: Partial<VenueOrder> = {
      side: "sell",
      type: "stop_limit",
      stopPrice: "95",
      limitPrice: "93"
    }
    yield* account.trade(enough)
    if (!account.venue.capabilities.hasStops) {
      assert.strictEqual(yield* account.refusal(stop), "invalid_order")
      return
    }
    const order = yield* account.place(stop)
    yield* account.moveTo("94")
    yield* account.orderOnce(order, "filled")
    yield* account.settled
    const trades = yield* tradesOf(account, order.id)
    for (const { price } of trades) assert.isAtLeast(Number(price), 93)
  })
})

const exitTests = <R>(open: Open<R>) => ({
  "has a second stop for a quantity where it says so": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    const { canShareQuantity, hasStops, kind } = account.venue.capabilities
    yield* account.trade({ quantity: "3" })
    const common = { side: "sell", quantity: "2", isReduceOnly: kind === "one_way" } as const
    const exit: Partial<VenueOrder> = hasStops
      ? { ...common, type: "stop", stopPrice: "95" }
      : { ...common, type: "limit", limitPrice: "130" }
    const first = yield* account.place(exit)
    if (canShareQuantity) yield* account.place(exit)
    else assert.strictEqual(yield* account.refusal(exit), "insufficient_funds")
    yield* account.settled
    assert.strictEqual(yield* account.statusOf(first.id), "open")
  }),

  "opens nothing by a reduce-only order, or refuses all of them": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    const reduce: Partial<VenueOrder> = { isReduceOnly: true }
    if (!account.venue.capabilities.hasReduceOnly) {
      assert.strictEqual(yield* account.refusal(reduce), "invalid_order")
      return
    }
    const before = yield* account.venue.holdings
    yield* Effect.exit(account.place(reduce))
    yield* account.settled
    assert.deepStrictEqual(yield* account.venue.holdings, before)
    yield* account.trade()
    yield* Effect.exit(account.place({ side: "sell", quantity: "2", isReduceOnly: true }))
    yield* account.settled
    const held = (yield* account.venue.holdings).positions.get(account.symbol) ?? "0"
    assert.isAtLeast(Number(held), 0)
  })
})

/** The status of an order once it is over. */
const overOnce = Effect.fnUntraced(function* (
  { settled, statusOf }: ReturnType<typeof tradeWith>,
  id: string
) {
  for (let look = 0; ; look++) {
    const status = yield* statusOf(id)
    if (status !== "open" && status !== "absent") return status
    assert.isBelow(look, looks, "the order never ends")
    yield* settled
  }
})

const ends = ["cancelled", "expired"]

const lifeTests = <R>(open: Open<R>) => ({
  "ends an immediate order that it can't fill, where it has them": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    const order: Partial<VenueOrder> = { ...far, isImmediate: true }
    if (account.venue.capabilities.hasImmediate !== true) return
    const { id } = yield* account.place(order)
    assert.include(ends, yield* overOnce(account, id))
    yield* account.moveTo("50")
    yield* account.settled
    assert.deepStrictEqual(yield* tradesOf(account, id), [])
    const met = yield* account.place({ type: "limit", limitPrice: "55", isImmediate: true })
    yield* overOnce(account, met.id)
    yield* account.settled
    assert.isNotEmpty(yield* tradesOf(account, met.id))
  }),

  "ends an order at its time, where it has that": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    if (account.venue.capabilities.hasExpiry !== true) return
    const expiresAtMs = (yield* account.nowMs) + lifeMs
    const { id } = yield* account.place({ ...far, expiresAtMs })
    yield* account.wait(lifeMs)
    assert.include(ends, yield* overOnce(account, id))
    yield* account.moveTo("50")
    yield* account.settled
    assert.deepStrictEqual(yield* tradesOf(account, id), [])
  })
})

/** How long an order of the tests lives. */
const lifeMs = 2_000

const tenth = BigDecimal.make(1n, 1)

const partOf = (step: string): string =>
  decimalText(BigDecimal.multiply(decimalOfUnsafe(step), tenth))

const plus = (amount: string, more: string): string =>
  decimalText(BigDecimal.sum(decimalOfUnsafe(amount), decimalOfUnsafe(more)))

const refusalTests = <R>(open: Open<R>) => ({
  "gives the terms of its markets, and none of others": Effect.gen(function* () {
    const { symbol, venue } = yield* open
    const terms = Option.getOrThrow(yield* venue.market(symbol))
    assert.strictEqual(terms.symbol, symbol)
    for (const step of [terms.quantityStep, terms.priceStep]) {
      assert.isTrue(BigDecimal.isPositive(decimalOfUnsafe(step)))
    }
    assert.deepStrictEqual(yield* venue.market("NO/SUCH"), Option.none())
  }),

  "refuses amounts beside its steps and below its minima": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    const terms = Option.getOrThrow(yield* account.venue.market(account.symbol))
    const orders: Array<Partial<VenueOrder>> = [
      { quantity: plus("1", partOf(terms.quantityStep)) },
      { ...far, limitPrice: plus("60", partOf(terms.priceStep)) },
      { quantity: "0" },
      { symbol: "NO/SUCH" }
    ]
    const smallest = decimalOfUnsafe(terms.minQuantity)
    const notional = BigDecimal.multiply(smallest, decimalOfUnsafe("100"))
    if (BigDecimal.isLessThan(notional, decimalOfUnsafe(terms.minNotional))) {
      orders.push({ quantity: terms.minQuantity })
    }
    for (const order of orders) {
      assert.strictEqual(yield* account.refusal(order), "invalid_order", JSON.stringify(order))
    }
  }),

  "refuses an order that the account can't pay for": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    const code = yield* account.refusal({ quantity: "100000000" })
    assert.strictEqual(code, "insufficient_funds")
  }),

  "refuses an order after its window, where it has one": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    const { windowMs } = account.venue.capabilities
    yield* account.wait(600_000)
    const sentAtMs = (yield* account.nowMs) - (windowMs ?? 500_000) - 1
    if (windowMs === null) yield* account.trade({ sentAtMs })
    else assert.strictEqual(yield* account.refusal({ sentAtMs }), "too_late")
    yield* account.trade()
  })
})

/** Tests of orders. */
export const venueOrderTests = <R>(open: Open<R>) => ({
  ...restingTests(open),
  ...endTests(open),
  ...stopTests(open),
  ...exitTests(open),
  ...lifeTests(open),
  ...refusalTests(open)
})
