/**
 * A bot's books at a venue say what a matcher says, where the venue makes the same fills.
 */
import { assert, it } from "@effect/vitest"
import {
  makeOutcome,
  type MatchFill,
  type OrderRequest,
  type Random,
  SimulatedAccount
} from "@candlewick/engine/kernel"
import { decimalOfNumber, decimalText } from "../../../../src/domain/decimals.ts"
import type { TradeFact } from "../../../../src/domain/VenueAccount.ts"
import { toBookedAccount } from "../../../../src/services/venues/books/VenueBooks.ts"
import { expectExit, wantedExits } from "../../../../src/services/venues/books/wantedExits.ts"
import { tradeFactRecord } from "../../../../src/testing/venueRecords.ts"
import { atLeast, draws } from "../../../../../../test/draws.ts"
import { Matcher, order, spec, symbols } from "./venueFacts.ts"

const symbol = symbols[0]!
const capabilities = { hasStops: true, hasReduceOnly: true, canShareQuantity: true }
// A matcher sells what little is left as well, so that nothing is dust.
const terms = { ...spec, minNotional: 0, slippageRate: 0.0005 }

const text = (value: number): string => decimalText(decimalOfNumber(value))

const toTrade = (fill: MatchFill): TradeFact =>
  tradeFactRecord({
    client_order_id: fill.orderId,
    symbol,
    side: fill.side === 1 ? "buy" : "sell",
    quantity: fill.quantity.toFixed(3),
    price: text(fill.price),
    fee_amount: text(fill.fee),
    fee_currency: "USDT",
    time_ms: fill.time
  })

const maybe = <A>(random: Random, value: A): A | null => (random.next() < 0.6 ? value : null)

const drawEntry = (random: Random, close: number): OrderRequest => {
  const part = () => ({ kind: "fraction", value: 0.004 + random.next() * 0.03 }) as const
  const isLimit = random.next() < 0.4
  return order({
    type: isLimit ? "limit" : "market",
    limit: isLimit ? Math.round(close * 99.5) / 100 : null,
    quantity: random.integer(500, 2_000) / 1_000,
    attached: {
      stopLoss: maybe(random, part()),
      takeProfit: maybe(random, part()),
      trailingStop: maybe(random, { distance: part(), activation: maybe(random, part()) }),
      breakEven: maybe(random, { activation: part(), offsetRate: 0.001 })
    }
  })
}

const drawOrder = (
  random: Random,
  matcher: SimulatedAccount,
  close: number
): OrderRequest | null => {
  const { position } = matcher.book(0)
  if (position === null) return random.next() < 0.5 ? drawEntry(random, close) : null
  if (random.next() < 0.1) {
    const quantity = Math.max(0.001, Math.round(position.quantity * random.next() * 1_000) / 1_000)
    return order({ leg: "exit", side: -1, quantity })
  }
  return null
}

/** A fill without its result, and its quantity to the lot. */
const withoutPnl = ({ closed, effect, leg, orderId, price, quantity, side }: MatchFill) => ({
  effect,
  leg,
  orderId,
  price,
  side,
  quantity: quantity.toFixed(6),
  closed: closed && {
    entryPrice: closed.entryPrice.toPrecision(10),
    entryIndex: closed.entryIndex,
    exitReason: closed.exitReason,
    quantity: closed.quantity.toPrecision(10)
  }
})

const pnlOf = ({ closed }: MatchFill): number => closed?.pnl ?? 0

it("holds, protects and reports what the matcher does", () => {
  const met = { fills: 0, stops: 0, raised: 0 }
  for (const { random, seed } of draws("books equal matcher", 1_000)) {
    const matcher = SimulatedAccount.open(1_000, [terms], "single")
    const venue = new Matcher({ specs: [terms, terms] })
    let close = 100
    for (let time = 1; time <= 60; time++) {
      for (const exit of wantedExits(venue.book, { capabilities })) expectExit(venue.book, exit)
      const open = close
      close = open * (1 + (random.next() - 0.48) * 0.02)
      const high = Math.max(open, close) * (1 + random.next() * 0.003)
      const low = Math.min(open, close) * (1 - random.next() * 0.003)
      matcher.show([{ market: 0, time, open, high, low, close }])
      const outcome = makeOutcome()
      matcher.drain(outcome)
      const ofEntry = outcome.fills.filter(({ leg }) => leg === "entry")
      const isTouchedAtOnce = ofEntry.length > 0 && outcome.fills.length > 1
      // Stops of an entry are placed once its trades are told, and not within its candle.
      if (isTouchedAtOnce) break
      const facts = outcome.fills.map(toTrade)
      const { fills } = venue.closeWith(facts, close, { high, low })
      const at = `${seed}, ${time}`
      assert.deepStrictEqual(fills.map(withoutPnl), outcome.fills.map(withoutPnl), at)
      // A matcher and a ledger add a result up in other orders, so that its last digits differ.
      for (const [i, fill] of fills.entries()) {
        assert.closeTo(pnlOf(fill), pnlOf(outcome.fills[i]!), 1e-9, at)
      }
      const { cash, positions } = toBookedAccount(venue.book)
      assert.closeTo(cash, matcher.cash, 1e-8, seed)
      const [lot] = matcher.lots(0)
      assert.deepStrictEqual(positions[0]?.protection ?? null, lot?.protection ?? null, seed)
      met.fills += fills.length
      met.stops += fills.filter(({ leg }) => leg !== "entry" && leg !== "exit").length
      if (positions[0]?.protection?.stopReason === "trailing_stop") met.raised++
      const request = drawOrder(random, matcher, close)
      if (request === null) continue
      matcher.place(0, request)
      venue.place(request)
    }
  }
  assert.isAbove(met.fills, atLeast(5_000))
  assert.isAbove(met.stops, atLeast(1_000))
  assert.isAbove(met.raised, atLeast(1_000))
})
