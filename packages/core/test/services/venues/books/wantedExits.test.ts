/**
 * Which protective orders rest at a venue, and which exits are due.
 */
import { assert, describe, it } from "@effect/vitest"
import { toBookedAccount } from "../../../../src/services/venues/books/VenueBooks.ts"
import {
  type ExitsContext,
  expectExit,
  lotsToProtect,
  wantedExits
} from "../../../../src/services/venues/books/wantedExits.ts"
import { protectionOf } from "../../../../src/services/venues/books/protectionStatus.ts"
import { orderAttemptRecord } from "../../../../src/testing/venueRecords.ts"
import { Matcher, order, tradeOf } from "./venueFacts.ts"

const sharing = { hasStops: true, hasReduceOnly: false, canShareQuantity: true }
const spot = { hasStops: true, hasReduceOnly: false, canShareQuantity: false }
const reducing = { hasStops: true, hasReduceOnly: true, canShareQuantity: false }
const without = { hasStops: false, hasReduceOnly: false, canShareQuantity: false }

const attached = {
  stopLoss: { kind: "fraction", value: 0.1 },
  takeProfit: { kind: "fraction", value: 0.2 },
  trailingStop: null,
  breakEven: null
} as const

/** A position of one unit at 100, with a stop at 90 and a target at 120. */
const held = (fields: Parameters<typeof tradeOf>[1] = {}) => {
  const matcher = new Matcher()
  const entry = matcher.place(order({ attached }))
  matcher.tell(tradeOf(entry, fields))
  return { matcher, id: entry.id }
}

const shown = (matcher: Matcher, context: ExitsContext) =>
  wantedExits(matcher.book, context).map(
    ({ clientOrderId, limitPrice, quantity, stopPrice, type }) => ({
      id: clientOrderId,
      type,
      quantity,
      at: stopPrice ?? limitPrice
    })
  )

describe("protective orders", () => {
  it("rest as stop and target where both may share the quantity", () => {
    const { matcher, id } = held()
    assert.deepStrictEqual(shown(matcher, { capabilities: sharing }), [
      { id: `${id}:stop`, type: "stop", quantity: "1", at: "90" },
      { id: `${id}:target`, type: "limit", quantity: "1", at: "120" }
    ])
  })

  it("rest as a stop alone elsewhere, and the target is watched", () => {
    const { matcher, id } = held()
    const stop = { id: `${id}:stop`, type: "stop", quantity: "1", at: "90" } as const
    assert.deepStrictEqual(shown(matcher, { capabilities: spot }), [stop])
    const priceOf = (price: number) => () => price
    assert.deepStrictEqual(shown(matcher, { capabilities: spot, priceOf: priceOf(119.99) }), [stop])
    assert.deepStrictEqual(shown(matcher, { capabilities: spot, priceOf: priceOf(120) }), [
      { id: `${id}:target`, type: "market", quantity: "1", at: null }
    ])
  })

  it("are watched where the venue has no stops, and leave at a close beyond a level", () => {
    const { matcher, id } = held()
    matcher.close(95)
    assert.deepStrictEqual(shown(matcher, { capabilities: without }), [])
    matcher.close(89)
    assert.deepStrictEqual(shown(matcher, { capabilities: without }), [
      { id: `${id}:stop`, type: "market", quantity: "1", at: null }
    ])
    assert.strictEqual(protectionOf(matcher.book, []), "local")
  })

  it("are no larger than what the venue has of a coin, the oldest lot giving first", () => {
    const { matcher, id } = held()
    matcher.book.missing = { BTC: "0.25" }
    assert.deepStrictEqual(shown(matcher, { capabilities: spot }), [
      { id: `${id}:stop`, type: "stop", quantity: "0.75", at: "90" }
    ])
    assert.deepStrictEqual(
      lotsToProtect(matcher.book, { capabilities: spot }).map(({ quantity }) => quantity),
      ["0.75"]
    )
    matcher.book.missing = { BTC: "1" }
    assert.deepStrictEqual(shown(matcher, { capabilities: spot }), [])
  })

  it("are as large as what is held after fees, in whole steps", () => {
    const { matcher } = held({ fee_amount: "0.0015", fee_currency: "BTC" })
    assert.deepInclude(shown(matcher, { capabilities: spot })[0], { quantity: "0.998" })
  })

  it("grow with the fill, at the average price", () => {
    const matcher = new Matcher()
    const entry = matcher.place(order({ quantity: 2, attached }))
    matcher.tell(tradeOf(entry, { quantity: "1" }))
    assert.deepInclude(shown(matcher, { capabilities: spot })[0], { quantity: "1", at: "90" })
    matcher.tell(tradeOf(entry, { quantity: "1", price: "110" }))
    assert.deepInclude(shown(matcher, { capabilities: spot })[0], { quantity: "2", at: "94.5" })
  })

  it("leave room for the bot's own exits where a stop locks what it would sell", () => {
    const { matcher } = held()
    matcher.place(order({ leg: "exit", side: -1, quantity: 0.4 }))
    assert.deepInclude(shown(matcher, { capabilities: spot })[0], { quantity: "0.6" })
    assert.deepInclude(shown(matcher, { capabilities: reducing })[0], { quantity: "1" })
    matcher.place(order({ leg: "exit", side: -1, quantity: 0.6 }))
    assert.deepStrictEqual(shown(matcher, { capabilities: spot }), [])
  })

  it("are one for each lot where lots are kept apart", () => {
    const matcher = new Matcher({ netting: "hedging" })
    const ids = ["100", "110"].map((price) => {
      const entry = matcher.place(order({ attached }))
      matcher.tell(tradeOf(entry, { price }))
      return entry.id
    })
    assert.deepStrictEqual(
      shown(matcher, { capabilities: spot }).map(({ at, id }) => [id, at]),
      [
        [`${ids[0]}:stop`, "90"],
        [`${ids[1]}:stop`, "99"]
      ]
    )
  })

  it("leave room for the exit of a lot in that lot alone, and for others in the oldest", () => {
    const matcher = new Matcher({ netting: "hedging" })
    const [first, second] = ["100", "110"].map((price) => {
      const entry = matcher.place(order({ attached }))
      matcher.tell(tradeOf(entry, { price }))
      return entry.id
    })
    const sizes = (context: ExitsContext) =>
      shown(matcher, context).map(({ id, quantity, type }) => [id, type, quantity])
    matcher.place(order({ leg: "exit", side: -1, quantity: 0.4, lot: second }))
    // Orders that only reduce would reduce the other lot.
    for (const capabilities of [spot, reducing]) {
      assert.deepStrictEqual(sizes({ capabilities }), [
        [`${first}:stop`, "stop", "1"],
        [`${second}:stop`, "stop", "0.6"]
      ])
      assert.deepStrictEqual(sizes({ capabilities, priceOf: () => 132 }), [
        [`${first}:target`, "market", "1"],
        [`${second}:target`, "market", "0.6"]
      ])
    }
    matcher.place(order({ leg: "exit", side: -1, quantity: 0.3 }))
    assert.deepStrictEqual(sizes({ capabilities: spot }), [
      [`${first}:stop`, "stop", "0.7"],
      [`${second}:stop`, "stop", "0.6"]
    ])
  })

  it("buy back a short", () => {
    const matcher = new Matcher({ kind: "one_way" })
    matcher.tell(tradeOf(matcher.place(order({ side: -1, attached }))))
    const [stop] = wantedExits(matcher.book, { capabilities: reducing })
    assert.deepInclude(stop, { side: "buy", stopPrice: "110", isReduceOnly: true })
  })

  it("follow the closes, and a ladder's moves", () => {
    const level = { kind: "fraction", value: 0.1 } as const
    const matcher = new Matcher()
    const exits = { ...attached, trailingStop: { distance: level, activation: null } }
    const entry = matcher.place(order({ attached: exits }))
    matcher.tell(tradeOf(entry))
    matcher.close(109, { high: 110 })
    assert.deepInclude(shown(matcher, { capabilities: spot })[0], { at: "99" })
    const { protection } = toBookedAccount(matcher.book).positions[0]!
    assert.deepInclude(protection, { stop: 99, stopReason: "trailing_stop", isTrailing: true })
    matcher.close(105, { high: 109 })
    assert.deepInclude(shown(matcher, { capabilities: spot })[0], { at: "99" })
  })

  it("are marked where the price has passed them already", () => {
    const { matcher } = held()
    const [stop] = wantedExits(matcher.book, { capabilities: spot, priceOf: () => 90 })
    assert.deepInclude(stop, { type: "stop", isPassed: true })
  })

  it("rest beside an entry that filled after a close beyond their levels", () => {
    const isPassed = (matcher: Matcher, context: ExitsContext) =>
      wantedExits(matcher.book, context).map((exit) => exit.isPassed)
    // The entry broke out: the last close lies below its stop, and no trade was there since.
    const matcher = new Matcher()
    const entry = matcher.place(order({ attached }))
    matcher.close(89)
    matcher.tell(tradeOf(entry, { quantity: "0.5" }))
    assert.deepStrictEqual(isPassed(matcher, { capabilities: spot }), [false])
    assert.deepStrictEqual(isPassed(matcher, { capabilities: without }), [])
    matcher.tell(tradeOf(entry, { quantity: "0.5" }))
    assert.deepStrictEqual(isPassed(matcher, { capabilities: spot }), [false])
    matcher.close(89)
    assert.deepStrictEqual(isPassed(matcher, { capabilities: spot }), [true])
    // A limit entry came far below the last close, which was beyond its target.
    const lower = new Matcher()
    const limit = lower.place(order({ attached, type: "limit", limit: 100 }))
    lower.close(121)
    lower.tell(tradeOf(limit))
    assert.deepStrictEqual(
      shown(lower, { capabilities: spot }).map(({ type }) => type),
      ["stop"]
    )
    lower.close(121)
    assert.deepStrictEqual(
      shown(lower, { capabilities: spot }).map(({ type }) => type),
      ["market"]
    )
  })

  it("are judged by the close where a trade was made before it and told after it", () => {
    const isPassedAt = (timeMs: number) => {
      const matcher = new Matcher()
      const entry = matcher.place(order({ attached }))
      matcher.close(89, { closedMs: 5_000 })
      matcher.tell(tradeOf(entry, { time_ms: timeMs }))
      return wantedExits(matcher.book, { capabilities: spot }).map((exit) => exit.isPassed)
    }
    assert.deepStrictEqual(isPassedAt(4_999), [true])
    assert.deepStrictEqual(isPassedAt(5_000), [false])
  })

  it("give way to an exit at the market for a lot that is to leave", () => {
    const { matcher, id } = held()
    const leaving = new Set([id])
    assert.deepStrictEqual(shown(matcher, { capabilities: sharing, leaving }), [
      { id: `${id}:stop`, type: "market", quantity: "1", at: null }
    ])
  })

  it("are none for what has no stop, which the status says", () => {
    const matcher = new Matcher()
    assert.isNull(protectionOf(matcher.book, []))
    matcher.tell(tradeOf(matcher.place(order())))
    assert.deepStrictEqual(shown(matcher, { capabilities: spot }), [])
    assert.strictEqual(protectionOf(matcher.book, []), "none")
  })

  it("are at the venue once that has confirmed them for all that is held", () => {
    const { matcher, id } = held()
    const attempt = orderAttemptRecord({ client_order_id: `${id}:stop`, state: "working" })
    const order = { ...attempt.order, type: "stop" as const, stop_price: "90", quantity: "1" }
    const found = (fields: Partial<typeof attempt>) =>
      protectionOf(matcher.book, [{ ...attempt, order, ...fields }])
    assert.strictEqual(found({}), "venue")
    assert.strictEqual(found({ filled_quantity: "0.1" }), "local")
    const leaving = { ...order, type: "market" as const, stop_price: null }
    assert.strictEqual(found({ order: leaving }), "local", "it is no stop")
    for (const state of ["written", "sending", "unknown", "refused", "over"] as const) {
      assert.strictEqual(found({ state }), "local", state)
    }
  })

  it("are known by their trades, which close the lot with their reason", () => {
    const { matcher, id } = held()
    const [stop] = wantedExits(matcher.book, { capabilities: spot })
    expectExit(matcher.book, stop!)
    const sold = tradeOf(order({ id: `${id}:stop`, leg: "exit", side: -1 }), { price: "89.5" })
    const [fill] = matcher.tell(sold).fills
    assert.deepInclude(fill, { orderId: `${id}:stop`, leg: "stop_loss", effect: "close" })
    assert.strictEqual(fill!.closed!.exitReason, "stop_loss")
    assert.isTrue(matcher.own.books[0]!.wasStopped)
    assert.deepStrictEqual(shown(matcher, { capabilities: spot }), [])
  })
})
