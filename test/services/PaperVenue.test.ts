/**
 * The paper venue keeps what every venue owes its callers, and what it was before it is after a
 * restart.
 */
import { makePaperVenue } from "@candlewick/core"
import { testName, testVenueId, type VenueHarness, VenueSuite } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { decodePaperOrder } from "../../packages/core/src/services/venues/paperRecord.ts"

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
  slippageRate: "0.0005"
}

const optionsOf = (key: string) => ({
  key,
  capital: "10000",
  quote: "USDT",
  markets: [market],
  nowMs: Clock.currentTimeMillis
})

/** A paper venue whose market moves in candles of a second. */
const open = Effect.gen(function* () {
  const { show, venue } = yield* makePaperVenue(optionsOf(testName()))
  let [time, last] = [0, 100]
  const candle = (close: number) => {
    const [open, high, low] = [last, Math.max(last, close), Math.min(last, close)]
    last = close
    time += 1_000
    return show([{ symbol, time, open, high, low, close }])
  }
  yield* candle(100)
  const harness: VenueHarness = {
    venue,
    symbol,
    slowestMs: 1,
    moveTo: (price) => candle(Number(price)),
    wait: (ms) => Effect.andThen(TestClock.adjust(ms), candle(last)),
    nowMs: Clock.currentTimeMillis,
    cut: Effect.void
  }
  return harness
})

VenueSuite.suite("the paper venue", MemoryStore.layer, {
  open,
  skip: [
    {
      test: "ends its feed or fails it where the connection is cut, and feeds anew",
      reason: "paper has no connection"
    }
  ]
})

describe("an account at the paper venue", () => {
  it.effect("is the same for whoever opens it next, orders, trades and ids included", () =>
    Effect.gen(function* () {
      const key = testName()
      const first = yield* makePaperVenue(optionsOf(key))
      const flat = { symbol, open: 100, high: 100, low: 100, close: 100 }
      yield* first.show([{ ...flat, time: 0 }])
      const order = {
        id: testVenueId("base62"),
        symbol,
        side: "buy",
        type: "market",
        quantity: "1",
        limitPrice: null,
        stopPrice: null,
        isReduceOnly: false,
        sentAtMs: 0
      } as const
      yield* first.venue.submit(order)
      yield* first.show([{ ...flat, time: 1_000 }])
      const second = yield* makePaperVenue(optionsOf(key))
      assert.deepStrictEqual(yield* second.venue.holdings, yield* first.venue.holdings)
      yield* second.venue.submit(order)
      yield* second.show([{ ...flat, time: 2_000 }])
      const { trades } = yield* second.venue.trades(null)
      assert.deepStrictEqual(
        trades.map(({ orderId }) => orderId),
        [order.id]
      )
    }).pipe(Effect.provide(MemoryStore.layer))
  )

  it.effect("ends orders as filled, rejected and cancelled", () =>
    Effect.gen(function* () {
      const { show, venue } = yield* makePaperVenue(optionsOf(testName()))
      const flat = { symbol, open: 100, high: 100, low: 100, close: 100 }
      yield* show([{ ...flat, time: 0 }])
      const order = {
        symbol,
        side: "buy",
        type: "market",
        quantity: "1",
        limitPrice: null,
        stopPrice: null,
        isReduceOnly: false,
        sentAtMs: 0
      } as const
      const [bought, sold, late, resting] = [1, 2, 3, 4].map(() => testVenueId("base62"))
      const ends = Effect.forEach([bought!, sold!, late!, resting!], (id) =>
        Effect.map(venue.order(symbol, id), (found) => Option.getOrNull(found)?.status ?? null)
      )
      yield* venue.submit({ ...order, id: bought! })
      assert.deepStrictEqual(yield* ends, ["open", null, null, null])
      yield* show([{ ...flat, time: 1_000 }])
      // Both sales are of all that is held, so the second finds nothing left.
      yield* venue.submit({ ...order, id: sold!, side: "sell" })
      yield* venue.submit({ ...order, id: late!, side: "sell" })
      yield* venue.submit({ ...order, id: resting!, type: "limit", limitPrice: "50" })
      assert.deepStrictEqual(yield* ends, ["filled", "open", "open", "open"])
      yield* show([{ ...flat, time: 2_000 }])
      yield* venue.cancel(symbol, resting!)
      assert.deepStrictEqual(yield* ends, ["filled", "filled", "rejected", "cancelled"])
    }).pipe(Effect.provide(MemoryStore.layer))
  )

  it.effect("still reads every phase that its store may have", () =>
    Effect.gen(function* () {
      for (const phase of ["open", "filled", "cancelled", "expired", "rejected"]) {
        const kept = {
          id: "a1",
          symbol,
          side: "buy",
          quantity: "1",
          filledQuantity: "0",
          lockPrice: "100",
          phase
        }
        assert.deepStrictEqual(yield* decodePaperOrder(kept), kept)
      }
    })
  )

  it.effect("keeps more trades than one page has", () =>
    Effect.gen(function* () {
      const { show, venue } = yield* makePaperVenue(optionsOf(testName()))
      const flat = { symbol, open: 100, high: 100, low: 100, close: 100 }
      yield* show([{ ...flat, time: 0 }])
      for (let nth = 1; nth <= 205; nth++) {
        const side = nth % 2 === 1 ? "buy" : "sell"
        yield* venue.submit({
          id: testVenueId("base62"),
          symbol,
          side,
          type: "market",
          quantity: "0.1",
          limitPrice: null,
          stopPrice: null,
          isReduceOnly: false,
          sentAtMs: 0
        })
        yield* show([{ ...flat, time: nth * 1_000 }])
      }
      const ids: Array<string> = []
      for (let cursor: string | null = null, hasMore = true; hasMore;) {
        const page: Effect.Success<ReturnType<typeof venue.trades>> = yield* venue.trades(cursor)
        ids.push(...page.trades.map(({ id }) => id))
        ;({ cursor, hasMore } = page)
      }
      assert.lengthOf(ids, 205)
      assert.strictEqual(new Set(ids).size, 205)
    }).pipe(Effect.provide(MemoryStore.layer))
  )
})
