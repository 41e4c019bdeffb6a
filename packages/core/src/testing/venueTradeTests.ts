/**
 * The duties of a venue to its callers about trades, holdings and hints.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option, Stream } from "effect"
import { decimalOf } from "../domain/decimals.ts"
import type { VenueTrade } from "../ports/Venue.ts"
import {
  changesFrom,
  looks,
  movesOf,
  onceEach,
  testVenueId,
  tradesFrom,
  tradeWith,
  type VenueHarness
} from "./venueAccount.ts"

type Open<R> = Effect.Effect<VenueHarness, unknown, R>

/** Buys and sells; a position is closed, and of a coin something stays for fees in it. */
const tradeForAWhile = Effect.fnUntraced(function* (account: ReturnType<typeof tradeWith>) {
  yield* account.trade({ quantity: "2" })
  yield* account.moveTo("103")
  yield* account.trade({ side: "sell" })
  yield* account.trade({ type: "limit", limitPrice: "104" })
  yield* account.moveTo("101.5")
  const isPosition = account.venue.capabilities.kind === "one_way"
  yield* account.trade({ side: "sell", quantity: isPosition ? "2" : "1" })
})

const cursorTests = <R>(open: Open<R>) => ({
  "leaves no trade out, from the first one and from each cursor": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    const { venue } = account
    const start = yield* tradesFrom(venue, null)
    const read = [start]
    for (let round = 0; round < 3; round++) {
      // Some of these trades may be reported before the cursor, and some after.
      yield* account.place({ quantity: "2" })
      read.push(yield* tradesFrom(venue, read.at(-1)!.cursor))
      yield* account.trade()
      read.push(yield* tradesFrom(venue, read.at(-1)!.cursor))
    }
    const all = (yield* tradesFrom(venue, null)).trades.map(({ id }) => id)
    const seen = new Set<string>()
    for (const { cursor, trades } of read) {
      for (const { id } of trades) seen.add(id)
      const later = (yield* tradesFrom(venue, cursor)).trades.map(({ id }) => id)
      assert.sameMembers([...new Set([...seen, ...later])], [...new Set(all)])
    }
    assert.isAtLeast(new Set(all).size - new Set(start.trades.map(({ id }) => id)).size, 6)
  }),

  "tells of funding once for each id, as the holdings have moved": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    const { fund, venue } = account
    if (fund === undefined) return
    yield* account.trade({ quantity: "2" })
    const { cursor, payments: none } = yield* tradesFrom(venue, null)
    assert.isEmpty(none)
    const before = yield* venue.holdings
    yield* fund("0.01")
    let { payments } = yield* tradesFrom(venue, cursor)
    for (let look = 0; payments.length === 0; look++) {
      assert.isBelow(look, looks, "the payment is never told")
      yield* account.settled
      payments = (yield* tradesFrom(venue, cursor)).payments
    }
    const [payment] = payments
    assert.deepInclude(payment, { type: "funding", symbol: account.symbol })
    assert.strictEqual(new Set(payments.map(({ id }) => id)).size, 1)
    // A long pays where the rate is above nothing.
    assert.isBelow(Number(payment!.amount), 0)
    yield* account.settled
    const changes = changesFrom(before.balances, (yield* venue.holdings).balances)
    assert.deepStrictEqual([...changes], [[payment!.currency, payment!.amount]])
    const again = (yield* tradesFrom(venue, null)).payments
    for (const one of again) assert.deepStrictEqual(one, payment)
    const trades = (yield* tradesFrom(venue, null)).trades.map(({ id }) => id)
    assert.notInclude(trades, payment!.id)
  }),

  "tells a trade the same each time": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    yield* tradeForAWhile(account)
    const first = (yield* tradesFrom(account.venue, null)).trades
    const again = (yield* tradesFrom(account.venue, null)).trades
    const byId = new Map(first.map((one) => [one.id, one]))
    for (const one of [...first, ...again]) assert.deepStrictEqual(one, byId.get(one.id))
    assert.isAtLeast(byId.size, 4)
  })
})

const holdingTests = <R>(open: Open<R>) => ({
  "holds what its trades add up to, to the last decimal": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    const { symbol, venue } = account
    const [before, start] = [yield* venue.holdings, yield* tradesFrom(venue, null)]
    yield* tradeForAWhile(account)
    const known = new Set(start.trades.map(({ id }) => id))
    const told = (yield* tradesFrom(venue, start.cursor)).trades
    const trades = onceEach(told).filter(({ id }) => !known.has(id))
    const terms = Option.getOrThrow(yield* venue.market(symbol))
    const after = yield* venue.holdings
    const moves = new Map(movesOf(trades, terms))
    const changes = changesFrom(before.balances, after.balances)
    const positions = changesFrom(before.positions, after.positions)
    if (venue.capabilities.kind === "one_way") {
      assert.isFalse(moves.has(terms.base), "all that was bought was sold")
      assert.deepStrictEqual([...positions], [])
    }
    assert.deepStrictEqual([...changes], [...moves])
    assert.isAtLeast(trades.length, 4)
  }),

  "holds what an order has bought": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    const { symbol, venue } = account
    const before = yield* venue.holdings
    const { cursor } = yield* tradesFrom(venue, null)
    const { id } = yield* account.trade({ quantity: "2" })
    const after = yield* venue.holdings
    const told = (yield* tradesFrom(venue, cursor)).trades
    const trades = onceEach(told).filter(({ orderId }) => orderId === id)
    const { base, quote } = Option.getOrThrow(yield* venue.market(symbol))
    const [held, moved] =
      venue.capabilities.kind === "one_way"
        ? [changesFrom(before.positions, after.positions).get(symbol), "2"]
        : [
            changesFrom(before.balances, after.balances).get(base),
            movesOf(trades, { base, quote }).get(base)
          ]
    assert.strictEqual(held, moved)
    assert.isAtLeast(trades.length, 1)
  })
})

const amountsIn = (answer: unknown, names: ReadonlySet<string>): ReadonlyArray<unknown> => {
  if (answer instanceof Map) return [...answer.values()]
  if (Array.isArray(answer)) return answer.flatMap((one) => amountsIn(one, names))
  if (typeof answer !== "object" || answer === null) return []
  return Object.entries(answer).flatMap(([name, value]) =>
    names.has(name) && typeof value !== "object" ? [value] : amountsIn(value, names)
  )
}

const amountNames = new Set(
  ["quantity", "filledQuantity", "price", "amount", "quantityStep", "priceStep"].concat([
    "minQuantity",
    "minNotional"
  ])
)

const amountTests = <R>(open: Open<R>) => ({
  "tells each amount as plain decimal text": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    const { symbol, venue } = account
    const { id } = yield* account.trade({ quantity: "2" })
    yield* account.place({ type: "limit", limitPrice: "60" })
    yield* account.settled
    const answers = [
      Option.getOrNull(yield* venue.market(symbol)),
      Option.getOrNull(yield* venue.order(symbol, id)),
      yield* venue.openOrders,
      yield* tradesFrom(venue, null),
      yield* venue.holdings
    ]
    const amounts = amountsIn(answers, amountNames)
    assert.isAtLeast(amounts.length, 10)
    for (const amount of amounts) {
      assert.isString(amount)
      assert.isTrue(Option.isSome(decimalOf(String(amount))), String(amount))
    }
  }),

  "counts what orders at rest have locked as held": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    yield* account.trade({ quantity: "2" })
    const before = yield* account.venue.holdings
    yield* account.place({ type: "limit", limitPrice: "60" })
    yield* account.place({ side: "sell", type: "limit", limitPrice: "130" })
    yield* account.settled
    const after = yield* account.venue.holdings
    assert.deepStrictEqual([...changesFrom(before.balances, after.balances)], [])
    assert.deepStrictEqual([...changesFrom(before.positions, after.positions)], [])
  })
})

const strangerTests = <R>(open: Open<R>) => ({
  "knows no order that it was never given": Effect.gen(function* () {
    const { symbol, venue } = tradeWith(yield* open)
    const id = testVenueId(venue.capabilities.idForm)
    assert.deepStrictEqual(yield* venue.order(symbol, id), Option.none())
    assert.strictEqual(yield* venue.cancel(symbol, id), "gone")
  }),

  "tells of orders that others have placed, and gives their trades no id of an order": Effect.gen(
    function* () {
      const account = tradeWith(yield* open)
      const { placeByHand, symbol, venue } = account
      if (placeByHand === undefined) return
      const common = { symbol, side: "buy", quantity: "1", isReduceOnly: false } as const
      const { cursor } = yield* tradesFrom(venue, null)
      yield* placeByHand({ ...common, type: "limit", limitPrice: "60", stopPrice: null })
      yield* account.settled
      assert.lengthOf(yield* venue.openOrders, 1)
      yield* placeByHand({ ...common, type: "market", limitPrice: null, stopPrice: null })
      let trades: ReadonlyArray<VenueTrade> = []
      for (let look = 0; trades.length === 0; look++) {
        assert.isBelow(look, looks, "the trade is never told")
        yield* account.settled
        trades = onceEach((yield* tradesFrom(venue, cursor)).trades)
      }
      for (const { orderId } of trades) assert.isNull(orderId)
    }
  ),

  "has an order once or not at all whose request was interrupted": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    const order = yield* account.orderOf({ type: "limit", limitPrice: "60" })
    const sending = yield* Effect.forkChild(account.venue.submit(order))
    yield* Fiber.interrupt(sending)
    yield* account.settled
    const same = (yield* account.venue.openOrders).filter(({ id }) => id === order.id)
    assert.isAtMost(same.length, 1)
    const other = yield* account.trade()
    assert.strictEqual(yield* account.statusOf(other.id), "filled")
  })
})

/** Listens to the feed; a condition that never holds fails, and doesn't wait for ever. */
const listen = Effect.fnUntraced(function* (account: ReturnType<typeof tradeWith>) {
  const hinted = yield* Deferred.make<void>()
  const ended = yield* Deferred.make<void>()
  yield* account.venue.feed.pipe(
    Stream.tap(() => Deferred.succeed(hinted, undefined)),
    Stream.runDrain,
    Effect.exit,
    Effect.andThen(Deferred.succeed(ended, undefined)),
    Effect.forkScoped
  )
  yield* account.settled
  const once = (done: Deferred.Deferred<void>, never: string) =>
    Effect.gen(function* () {
      for (let look = 0; !(yield* Deferred.isDone(done)); look++) {
        assert.isBelow(look, looks, never)
        yield* account.settled
      }
    })
  return {
    hinted: once(hinted, "nothing is ever hinted at"),
    ended: once(ended, "the feed neither ends nor fails")
  }
})

const feedTests = <R>(open: Open<R>) => ({
  "hints at what an order does": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    const { hinted } = yield* listen(account)
    const { id } = yield* account.trade()
    yield* hinted
    assert.strictEqual(yield* account.statusOf(id), "filled")
  }),

  "ends its feed or fails it where the connection is cut, and feeds anew": Effect.gen(function* () {
    const account = tradeWith(yield* open)
    const first = yield* listen(account)
    yield* account.cut
    yield* first.ended
    const second = yield* listen(account)
    const { id } = yield* account.trade()
    yield* second.hinted
    assert.strictEqual(yield* account.statusOf(id), "filled")
  })
})

/** Tests of trades. */
export const venueTradeTests = <R>(open: Open<R>) => ({
  ...cursorTests(open),
  ...holdingTests(open),
  ...amountTests(open),
  ...strangerTests(open),
  ...feedTests(open)
})
