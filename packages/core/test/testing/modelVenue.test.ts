/**
 * The model exchange in unwelcome cases: faults of the way, an id that is taken again, and answers
 * that lag. The exchange's own clock and others' orders are here too.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, Stream } from "effect"
import { TestClock } from "effect/testing"
import { makeRandom } from "@candlewick/engine/kernel"
import { venueIdOf } from "../../src/domain/venueIds.ts"
import type { Venue, VenueOrder, VenueTrade } from "../../src/ports/Venue.ts"
import { ordersOf, tradesOf } from "../../src/testing/modelVenue/Exchange.ts"
import { makeModelVenue, type ModelVenueOptions } from "../../src/testing/modelVenue/ModelVenue.ts"
import type { VenueFault } from "../../src/testing/modelVenue/venueFaults.ts"

const symbol = "BTC/USDT"

const market = {
  symbol,
  base: "BTC",
  quote: "USDT",
  quantityStep: "0.001",
  priceStep: "0.01",
  minQuantity: "0.001",
  minNotional: "5",
  makerRate: "0.001",
  takerRate: "0.002",
  price: "100"
}

const make = (options: Partial<ModelVenueOptions> = {}) =>
  makeModelVenue({ markets: [market], balances: { USDT: "1000" }, ...options })

const idAt = (nth: number): string => venueIdOf(nth.toString(16).padStart(32, "0"), "base62")

const orderOf = (fields: Partial<VenueOrder> = {}): VenueOrder => ({
  id: idAt(1),
  symbol,
  side: "buy",
  type: "market",
  quantity: "1",
  limitPrice: null,
  stopPrice: null,
  isReduceOnly: false,
  sentAtMs: 0,
  ...fields
})

/** The reason of a call's failure. */
const reasonOf = <A, E extends { readonly reason: { readonly _tag: string } }>(
  call: Effect.Effect<A, E>
) => Effect.map(Effect.flip(call), ({ reason }) => reason._tag)

const allTrades = Effect.fnUntraced(function* (venue: Venue) {
  const trades: Array<VenueTrade> = []
  let cursor: string | null = null
  for (;;) {
    const page: Effect.Success<ReturnType<Venue["trades"]>> = yield* venue.trades(cursor)
    trades.push(...page.trades)
    if (!page.hasMore) return trades
    cursor = page.cursor
  }
})

describe("a model exchange", () => {
  it.effect("has the order after a loss of the answer, and not after a loss of the request", () =>
    Effect.gen(function* () {
      let fault: VenueFault = { outcome: "lost_before" }
      const { truth, venue } = make({ drawFault: () => fault })
      assert.strictEqual(yield* reasonOf(venue.submit(orderOf())), "VenueOutcomeUnknown")
      assert.strictEqual((yield* truth).orderCount, 0)
      fault = { outcome: "lost_after" }
      assert.strictEqual(yield* reasonOf(venue.submit(orderOf())), "VenueOutcomeUnknown")
      fault = {}
      const found = yield* venue.order(symbol, idAt(1))
      assert.strictEqual(Option.getOrThrow(found).status, "filled")
    })
  )

  it.effect("gets a request on its way even where its caller is gone by then", () =>
    Effect.gen(function* () {
      const { truth, venue } = make({ drawFault: () => ({ delayMs: 3_000 }) })
      const sending = yield* Effect.forkChild(venue.submit(orderOf()))
      yield* TestClock.adjust(1_000)
      yield* Fiber.interrupt(sending)
      assert.strictEqual((yield* truth).orderCount, 0)
      yield* TestClock.adjust(2_000)
      assert.strictEqual((yield* truth).orderCount, 1)
    })
  )

  it.effect("refuses a request that arrives after its window", () =>
    Effect.gen(function* () {
      const { truth, venue } = make({ drawFault: () => ({ delayMs: 5_001 }) })
      const sending = yield* Effect.forkChild(Effect.flip(venue.submit(orderOf())))
      yield* TestClock.adjust(5_001)
      const { reason } = yield* Fiber.join(sending)
      assert.deepInclude(reason, { _tag: "VenueRefused", code: "too_late" })
      assert.strictEqual((yield* truth).orderCount, 0)
    })
  )

  it.effect("goes by a clock of its own", () =>
    Effect.gen(function* () {
      const { act, venue } = make()
      yield* act({ type: "skew", skewMs: 6_000 })
      const late = yield* Effect.flip(venue.submit(orderOf()))
      assert.deepInclude(late.reason, { _tag: "VenueRefused", code: "too_late" })
      yield* act({ type: "skew", skewMs: -1_500 })
      const early = yield* Effect.flip(venue.submit(orderOf()))
      assert.deepInclude(early.reason, { _tag: "VenueNotSent", pause_ms: 500 })
    })
  )

  it.effect("takes an id again once its order is filled, and not while it is open", () =>
    Effect.gen(function* () {
      const { moveTo, truth, venue } = make()
      const limit = orderOf({ type: "limit", limitPrice: "90" })
      yield* venue.submit(limit)
      assert.strictEqual(yield* reasonOf(venue.submit(limit)), "VenueOutcomeUnknown")
      yield* moveTo(symbol, "90")
      yield* venue.submit(limit)
      assert.lengthOf(ordersOf(yield* truth), 2)
    })
  )

  it.effect("answers how things were, as long ago as its lag allows", () =>
    Effect.gen(function* () {
      const { truth, venue } = make({
        capabilities: { readLagMs: 1_500 },
        drawFault: () => ({ lagMs: 60_000 })
      })
      yield* TestClock.adjust(10_000)
      yield* venue.submit(orderOf({ sentAtMs: 10_000 }))
      yield* TestClock.adjust(1_499)
      assert.isTrue(Option.isNone(yield* venue.order(symbol, idAt(1))))
      assert.deepStrictEqual((yield* venue.trades(null)).trades, [])
      assert.lengthOf(tradesOf(yield* truth), 1)
      yield* TestClock.adjust(1)
      assert.isTrue(Option.isSome(yield* venue.order(symbol, idAt(1))))
      assert.lengthOf((yield* venue.trades(null)).trades, 1)
    })
  )

  it.effect("tells every trade, though late, in parts, out of order and twice", () =>
    Effect.gen(function* () {
      const random = makeRandom(7).next
      const { moveTo, truth, venue } = make({
        random,
        habits: { partChance: 0.8, fillDelayMs: 400, tellDelayMs: 2_000, repeatChance: 0.5 },
        pageSize: 3
      })
      for (let nth = 1; nth <= 4; nth++) {
        yield* venue.submit(orderOf({ id: idAt(nth), sentAtMs: nth * 1_000 - 1_000 }))
        yield* TestClock.adjust(1_000)
        yield* moveTo(symbol, `${100 + nth}`)
      }
      for (let second = 0; second < 60; second++) {
        yield* TestClock.adjust(1_000)
        yield* moveTo(symbol, "100")
      }
      const happened = tradesOf(yield* truth)
      const told = yield* allTrades(venue)
      const places = told.map(({ id }) => happened.findIndex((trade) => trade.id === id))
      assert.isAbove(happened.length, 4, "some orders were filled in parts")
      assert.isAbove(told.length, happened.length, "some trades were told twice")
      assert.notDeepEqual(
        places,
        places.toSorted((one, other) => one - other)
      )
      assert.strictEqual(new Set(places).size, happened.length)
      assert.isTrue(ordersOf(yield* truth).every(({ status }) => status === "filled"))
    })
  )

  it.effect(
    "takes fees in quote, in what an order brings, or in a third coin while there is one",
    () =>
      Effect.gen(function* () {
        const holdingsWith = Effect.fnUntraced(function* (options: Partial<ModelVenueOptions>) {
          const { venue } = make({ balances: { USDT: "1000", BNB: "0.0005" }, ...options })
          yield* venue.submit(orderOf())
          yield* venue.submit(orderOf({ id: idAt(2) }))
          return Object.fromEntries((yield* venue.holdings).balances)
        })
        const [inQuote, inBase, inThird] = [
          yield* holdingsWith({}),
          yield* holdingsWith({ feeCoin: "received" }),
          yield* holdingsWith({ feeCoin: { coin: "BNB", price: "400" } })
        ]
        assert.deepStrictEqual(inQuote, { USDT: "799.6", BNB: "0.0005", BTC: "2" })
        assert.deepStrictEqual(inBase, { USDT: "800", BNB: "0.0005", BTC: "1.996" })
        assert.deepStrictEqual(inThird, { USDT: "800", BTC: "1.998" })
      })
  )

  it.effect("locks what open orders may spend", () =>
    Effect.gen(function* () {
      const { venue } = make({ balances: { USDT: "200", BTC: "1" } })
      yield* venue.submit(orderOf({ type: "limit", limitPrice: "99", quantity: "2" }))
      const more = venue.submit(orderOf({ id: idAt(2), quantity: "0.1" }))
      assert.deepInclude((yield* Effect.flip(more)).reason, { code: "insufficient_funds" })
      const sell = orderOf({ id: idAt(3), side: "sell", type: "limit", limitPrice: "120" })
      yield* venue.submit(sell)
      const stop = orderOf({ id: idAt(4), side: "sell", type: "stop", stopPrice: "80" })
      const second = yield* Effect.flip(venue.submit(stop))
      assert.deepInclude(second.reason, { code: "insufficient_funds" })
      assert.strictEqual(yield* venue.cancel(symbol, sell.id), "cancelled")
      yield* venue.submit(stop)
      assert.lengthOf(yield* venue.openOrders, 2)
    })
  )

  it.effect("ends orders by itself, and rejects some that it has taken", () =>
    Effect.gen(function* () {
      const { act, venue } = make({ habits: { rejectChance: 0.5 }, random: makeRandom(1).next })
      const resting = { type: "limit", limitPrice: "50", quantity: "0.1" } as const
      for (let nth = 1; nth <= 20; nth++) {
        yield* venue.submit(orderOf({ id: idAt(nth), ...resting }))
      }
      const open = yield* venue.openOrders
      assert.isAbove(open.length, 0)
      assert.isBelow(open.length, 20)
      const { id } = open[0]!
      yield* act({ type: "end", id, status: "expired" })
      assert.strictEqual(Option.getOrThrow(yield* venue.order(symbol, id)).status, "expired")
      assert.strictEqual(yield* venue.cancel(symbol, id), "gone")
    })
  )

  it.effect("answers nothing under maintenance, and fills nothing", () =>
    Effect.gen(function* () {
      const { act, moveTo, truth, venue } = make()
      yield* venue.submit(orderOf({ type: "limit", limitPrice: "90" }))
      yield* act({ type: "maintenance", isDown: true })
      const refusal = yield* Effect.flip(venue.openOrders)
      assert.deepInclude(refusal.reason, { _tag: "VenueUnavailable", is_maintenance: true })
      assert.strictEqual(yield* reasonOf(venue.submit(orderOf())), "VenueUnavailable")
      yield* moveTo(symbol, "90")
      assert.lengthOf(tradesOf(yield* truth), 0)
      yield* act({ type: "maintenance", isDown: false })
      assert.lengthOf((yield* venue.trades(null)).trades, 1)
    })
  )

  it.effect("shows orders and trades by hand without an id of ours", () =>
    Effect.gen(function* () {
      const { placeByHand, venue } = make()
      yield* placeByHand(orderOf())
      yield* placeByHand(orderOf({ type: "limit", limitPrice: "50" }))
      assert.deepStrictEqual(
        (yield* venue.trades(null)).trades.map(({ orderId }) => orderId),
        [null]
      )
      assert.lengthOf(yield* venue.openOrders, 1)
    })
  )

  it.effect("fails its feed where it is cut, and feeds a new listener", () =>
    Effect.gen(function* () {
      const { cut, venue } = make()
      const first = yield* Effect.forkChild(Effect.exit(Stream.runDrain(venue.feed)))
      yield* Effect.yieldNow
      yield* cut
      assert.isTrue(Exit.isFailure(yield* Fiber.join(first)))
      const second = yield* Effect.forkChild(Stream.runCollect(Stream.take(venue.feed, 3)))
      yield* Effect.yieldNow
      yield* venue.submit(orderOf())
      assert.sameMembers([...(yield* Fiber.join(second))], ["order", "balance", "trade"])
    })
  )

  it.effect("keeps one position a market where it is one-way, and realises what is closed", () =>
    Effect.gen(function* () {
      const { moveTo, venue } = make({
        capabilities: { kind: "one_way", hasReduceOnly: true, canShareQuantity: true },
        leverage: 3
      })
      const sell = { side: "sell", quantity: "3" } as const
      yield* venue.submit(orderOf({ id: idAt(1), ...sell }))
      assert.strictEqual((yield* venue.holdings).positions.get(symbol), "-3")
      const stop = { type: "stop", side: "buy", stopPrice: "110", isReduceOnly: true } as const
      yield* venue.submit(orderOf({ id: idAt(2), ...stop, quantity: "3" }))
      yield* venue.submit(orderOf({ id: idAt(3), ...stop, quantity: "3" }))
      yield* moveTo(symbol, "110")
      const { balances, positions } = yield* venue.holdings
      assert.deepStrictEqual([...positions], [])
      // 300 came in, 330 went out; both fills paid the taker's rate.
      assert.strictEqual(balances.get("USDT"), "968.74")
      assert.strictEqual(Option.getOrThrow(yield* venue.order(symbol, idAt(3))).status, "expired")
      const reduce = yield* Effect.flip(venue.submit(orderOf({ id: idAt(4), isReduceOnly: true })))
      assert.deepInclude(reduce.reason, { code: "invalid_order" })
      const tooMuch = yield* Effect.flip(venue.submit(orderOf({ id: idAt(5), quantity: "30" })))
      assert.deepInclude(tooMuch.reason, { code: "insufficient_funds" })
    })
  )
})
