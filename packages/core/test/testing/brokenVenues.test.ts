/**
 * The suite of venues sees what it is for: a venue that breaks one of its promises fails the test of
 * that promise.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Option, Stream } from "effect"
import { TestClock } from "effect/testing"
import { decimalOfUnsafe, decimalText, floorDecimalToStep } from "../../src/domain/decimals.ts"
import { VenueError, VenueRefused } from "../../src/domain/VenueError.ts"
import type { Venue, VenueCapabilities, VenueTrade } from "../../src/ports/Venue.ts"
import { makeModelVenue } from "../../src/testing/modelVenue/ModelVenue.ts"
import { testVenueId, type VenueHarness } from "../../src/testing/venueAccount.ts"
import { venueOrderTests } from "../../src/testing/venueOrderTests.ts"
import { venueTradeTests } from "../../src/testing/venueTradeTests.ts"

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
  takerRate: "0.001",
  price: "100"
}

const capabilities: Partial<VenueCapabilities> = { readLagMs: 1_000 }

const harnessOf = (breaking: (venue: Venue) => Venue): Effect.Effect<VenueHarness> =>
  Effect.sync(() => {
    const model = makeModelVenue({
      markets: [market],
      balances: { USDT: "10000" },
      capabilities,
      feeCoin: "received"
    })
    return {
      venue: breaking(model.venue),
      symbol,
      slowestMs: 1,
      moveTo: (price) => model.moveTo(symbol, price),
      wait: (ms) => Effect.andThen(TestClock.adjust(ms), model.catchUp),
      nowMs: Clock.currentTimeMillis,
      placeByHand: model.placeByHand,
      cut: model.cut
    }
  })

const tellTrades =
  (change: (trade: VenueTrade, nth: number) => VenueTrade | null) =>
  (venue: Venue): Venue => ({
    ...venue,
    trades: (cursor) =>
      Effect.map(venue.trades(cursor), (page) => ({
        ...page,
        trades: page.trades.map(change).filter((one) => one !== null)
      }))
  })

let called = 0

/** The broken part, the promise's test, and the fault. */
const broken: ReadonlyArray<readonly [what: string, test: string, (venue: Venue) => Venue]> = [
  [
    "leaves out all but the first trade of a page",
    "leaves no trade out, from the first one and from each cursor",
    tellTrades((trade, nth) => (nth === 0 ? trade : null))
  ],
  [
    "tells a trade under another id each time",
    "tells a trade the same each time",
    tellTrades((trade) => ({ ...trade, id: `${trade.id}-${called++}` }))
  ],
  [
    "names another order in its trades",
    "fills a market order whole, at its id, and finds it afterwards",
    tellTrades((trade) => ({ ...trade, orderId: trade.orderId && `x-${trade.orderId}` }))
  ],
  [
    "invents an id for the orders of others",
    "tells of orders that others have placed, and gives their trades no id of an order",
    tellTrades((trade) => ({ ...trade, orderId: trade.orderId ?? "0".repeat(22) }))
  ],
  [
    "tells fees in the quote that were taken of what was bought",
    "holds what its trades add up to, to the last decimal",
    tellTrades((trade) => ({ ...trade, fee: { ...trade.fee, currency: "USDT" } }))
  ],
  [
    "tells amounts with exponents",
    "tells each amount as plain decimal text",
    tellTrades((trade) => ({ ...trade, quantity: `${trade.quantity}e0` }))
  ],
  [
    "forgets orders that are over",
    "fills a market order whole, at its id, and finds it afterwards",
    (venue) => ({
      ...venue,
      order: (market, id) =>
        Effect.map(
          venue.order(market, id),
          Option.filter(({ status }) => status === "open")
        )
    })
  ],
  [
    "shows an order later than its read lag",
    "shows an order that it has taken within its read lag, under the id that it was given",
    (venue) => {
      let shownFromMs = 0
      return {
        ...venue,
        submit: (order) => {
          shownFromMs = order.sentAtMs + 5_000
          return venue.submit(order)
        },
        order: (market, id) =>
          Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
            nowMs < shownFromMs ? Effect.succeed(Option.none()) : venue.order(market, id)
          )
      }
    }
  ],
  [
    "tells the free amounts alone",
    "counts what orders at rest have locked as held",
    (venue) => ({
      ...venue,
      holdings: Effect.gen(function* () {
        const [held, open] = [yield* venue.holdings, yield* venue.openOrders]
        const isLocked = open.length > 0
        return isLocked ? { ...held, balances: new Map(held.balances).set("USDT", "1") } : held
      })
    })
  ],
  [
    "sends a request once more by itself",
    "holds what an order has bought",
    (venue) => ({
      ...venue,
      submit: (order) => {
        const again = { ...order, id: testVenueId(venue.capabilities.idForm) }
        return Effect.andThen(venue.submit(order), venue.submit(again))
      }
    })
  ],
  [
    "takes orders of yesterday",
    "refuses an order after its window, where it has one",
    (venue) => ({
      ...venue,
      submit: (order) =>
        Effect.flatMap(Clock.currentTimeMillis, (sentAtMs) => venue.submit({ ...order, sentAtMs }))
    })
  ],
  [
    "rounds what is beside its steps",
    "refuses amounts beside its steps and below its minima",
    (venue) => ({
      ...venue,
      submit: (order) => {
        const [quantity, step] = [order.quantity, market.quantityStep].map(decimalOfUnsafe)
        return venue.submit({
          ...order,
          quantity: decimalText(floorDecimalToStep(quantity!, step!))
        })
      }
    })
  ],
  [
    "refuses what it has taken",
    "refuses an order that the account can't pay for",
    (venue) => ({
      ...venue,
      submit: (order) => {
        const code = "insufficient_funds"
        const reason = new VenueRefused({ code, why: "no" })
        return Effect.andThen(
          venue.submit({ ...order, quantity: "1" }),
          Effect.fail(new VenueError({ reason }))
        )
      }
    })
  ],
  [
    "says cancelled of whatever it is asked",
    "cancels an order that rests, and says gone of one that doesn't",
    (venue) => ({
      ...venue,
      cancel: (market, id) => Effect.as(venue.cancel(market, id), "cancelled" as const)
    })
  ],
  [
    "knows orders that nobody gave it",
    "knows no order that it was never given",
    (venue) => ({ ...venue, cancel: () => Effect.succeed("cancelled" as const) })
  ],
  [
    "reconnects its feed in silence",
    "ends its feed or fails it where the connection is cut, and feeds anew",
    (venue) => ({
      ...venue,
      feed: Stream.forever(
        Stream.concat(
          Stream.catchCause(venue.feed, () => Stream.empty),
          Stream.fromEffectDrain(Effect.sleep(1))
        )
      )
    })
  ]
]

describe("the suite of venues", () => {
  for (const [what, name, breaking] of broken) {
    it.effect(`finds a venue that ${what}`, () =>
      Effect.gen(function* () {
        const exitAt = (open: Effect.Effect<VenueHarness>) => {
          const tests = { ...venueOrderTests(open), ...venueTradeTests(open) }
          const test = Object.entries(tests).find(([known]) => known === name)?.[1]
          assert.isDefined(test, `there is no test "${name}"`)
          return Effect.exit(Effect.scoped(test))
        }
        const sound = yield* exitAt(harnessOf((venue) => venue))
        assert.isTrue(Exit.isSuccess(sound), String(sound))
        assert.isTrue(Exit.isFailure(yield* exitAt(harnessOf(breaking))))
      })
    )
  }
})
