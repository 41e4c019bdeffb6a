/**
 * A bot's own exits at a price, where the venue shares no quantity between orders.
 */
import { assert, describe, it } from "@effect/vitest"
import { endIdOf } from "../../../../src/domain/VenueAccount.ts"
import {
  isFilled,
  placeInBook,
  type WatchedTerms
} from "../../../../src/services/venues/books/venueBook.ts"
import { toBookedAccount } from "../../../../src/services/venues/books/VenueBooks.ts"
import { unwatch, watchExits } from "../../../../src/services/venues/books/watchedExits.ts"
import { locksQuantity, wantedExits } from "../../../../src/services/venues/books/wantedExits.ts"
import { endFactRecord } from "../../../../src/testing/venueRecords.ts"
import { Matcher, order, tradeOf } from "./venueFacts.ts"

const spot = { hasStops: true, hasReduceOnly: false, canShareQuantity: false }
const context = { capabilities: spot }

const stopAt = (value: number) => ({
  stopLoss: { kind: "fraction", value } as const,
  takeProfit: null,
  trailingStop: null,
  breakEven: null
})

/** A position of one unit at 100 with an exit of so much at 120, and a stop at 90 if any. */
const held = (
  quantity = 0.4,
  attached: ReturnType<typeof stopAt> | null = stopAt(0.1),
  fee: Parameters<typeof tradeOf>[1] = {}
) => {
  const matcher = new Matcher()
  const entry = matcher.place(order({ attached }))
  matcher.tell(tradeOf(entry, fee))
  const target = order({ side: -1, leg: "exit", type: "limit", limit: 120, quantity })
  const watch = { isOn: true, limitPrice: "120", stopPrice: null, takenBack: [] }
  placeInBook(matcher.book, 0, target, watch)
  return { matcher, entry, target }
}

const stopsOf = (matcher: Matcher) =>
  wantedExits(matcher.book, context).map(({ quantity, type }) => [type, quantity])

const stepsOf = (matcher: Matcher) =>
  watchExits(matcher.book, context).map(({ exit, type }) => [type, exit.type, exit.quantity])

describe("an exit that a stop leaves no quantity for", () => {
  it("is there only where neither orders share quantity nor only reduce", () => {
    assert.isTrue(locksQuantity(spot))
    assert.isFalse(locksQuantity({ ...spot, canShareQuantity: true }))
    assert.isFalse(locksQuantity({ ...spot, hasReduceOnly: true }))
  })

  it("is watched, and leaves the stop whole until a close has reached it", () => {
    const { matcher } = held()
    assert.deepStrictEqual(stepsOf(matcher), [])
    matcher.close(119.99)
    assert.deepStrictEqual(stepsOf(matcher), [])
    assert.deepStrictEqual(stopsOf(matcher), [["stop", "1"]])
    matcher.close(120)
    assert.deepStrictEqual(stepsOf(matcher), [["leave", "market", "0.4"]])
    assert.deepStrictEqual(stopsOf(matcher), [["stop", "0.6"]], "by exactly what is sold")
    assert.deepStrictEqual(stepsOf(matcher), [], "once")
  })

  it("sells all its steps where doubles miss a whole number of them", () => {
    const { matcher } = held(0.3999999999999999)
    matcher.close(120)
    assert.deepStrictEqual(stepsOf(matcher), [["leave", "market", "0.4"]])
  })

  it("waits while another exit is on its way to sell the same", () => {
    const { matcher, target } = held(0.6)
    matcher.place(order({ side: -1, leg: "exit", quantity: 0.5 }))
    matcher.close(121)
    assert.deepStrictEqual(stepsOf(matcher), [])
    assert.isTrue(matcher.book.orders[target.id]!.watch!.isOn)
  })

  it("waits for another exit of its own lot alone, and never leaves without that lot", () => {
    const matcher = new Matcher({ netting: "hedging" })
    const [first, second] = [1, 2].map(() => {
      const entry = matcher.place(order({ attached: stopAt(0.1) }))
      matcher.tell(tradeOf(entry))
      return entry.id
    })
    const watch = () => ({ isOn: true, limitPrice: "120", stopPrice: null, takenBack: [] })
    const limit = { side: -1, leg: "exit", type: "limit", limit: 120, quantity: 0.5 } as const
    const target = order({ ...limit, lot: second })
    placeInBook(matcher.book, 0, target, watch())
    const other = matcher.place(order({ side: -1, leg: "exit", quantity: 0.6, lot: second }))
    matcher.close(121)
    assert.deepStrictEqual(stepsOf(matcher), [], "most of the lot is being sold")
    matcher.tell(endFactRecord({ client_order_id: other.id }))
    const whole = matcher.place(order({ side: -1, leg: "exit", quantity: 1, lot: first }))
    assert.deepStrictEqual(stepsOf(matcher), [["leave", "market", "0.5"]])
    const late = order({ ...target, id: "late" })
    placeInBook(matcher.book, 0, late, watch())
    const last = matcher.place(order({ side: -1, leg: "exit", quantity: 0.5, lot: second }))
    for (const one of [target, last]) matcher.tell(tradeOf(one, { price: "121" }))
    assert.lengthOf(matcher.book.markets[0]!.lots, 1)
    assert.strictEqual(matcher.book.markets[0]!.lots[0]!.id, whole.lot)
    assert.deepStrictEqual(stepsOf(matcher), [])
  })

  it("rests where nothing held has a stop, and is taken back once something has", () => {
    const { matcher, target } = held(0.4, null)
    assert.deepStrictEqual(stepsOf(matcher), [["rest", "limit", "0.4"]])
    const { watch } = matcher.book.orders[target.id]!
    const [lot] = matcher.book.markets[0]!.lots
    const { matcher: other } = held()
    lot!.protection = other.book.markets[0]!.lots[0]!.protection
    assert.deepStrictEqual(stepsOf(matcher), [["take_back", "limit", "0.4"]])
    watch!.takenBack = ["attempt"]
    const end = endFactRecord({ id: endIdOf("attempt"), client_order_id: target.id })
    assert.deepStrictEqual(matcher.tell(end).ended, [], "it goes on")
    assert.deepStrictEqual(stopsOf(matcher), [["stop", "1"]])
    matcher.close(125)
    assert.deepStrictEqual(stepsOf(matcher), [["leave", "market", "0.4"]])
    const refused = endFactRecord({ client_order_id: target.id, outcome: "rejected" })
    const { ended, watchedAgain } = matcher.tell(refused)
    assert.deepStrictEqual(ended, [])
    assert.deepInclude(watchedAgain?.[0], { orderId: target.id, outcome: "rejected" })
    assert.deepStrictEqual(stopsOf(matcher), [["stop", "1"]])
    assert.deepStrictEqual(stepsOf(matcher), [], "not at once")
    matcher.close(125)
    assert.deepStrictEqual(stepsOf(matcher), [["leave", "market", "0.4"]])
  })

  it("is watched where all exits together would close more than is held, until they do not", () => {
    const { matcher, target } = held(0.6, null)
    assert.deepStrictEqual(stepsOf(matcher), [["rest", "limit", "0.6"]])
    const reduction = matcher.place(order({ side: -1, leg: "exit", quantity: 0.5 }))
    assert.deepStrictEqual(stepsOf(matcher), [["take_back", "limit", "0.6"]])
    assert.deepStrictEqual(stepsOf(matcher), [], "while the reduction is on its way")
    matcher.tell(tradeOf(reduction))
    assert.deepStrictEqual(stepsOf(matcher), [], "0.6 is more than what is left still")
    matcher.close(120)
    assert.deepStrictEqual(stepsOf(matcher), [["leave", "market", "0.5"]])
    matcher.tell(tradeOf({ ...target, quantity: 0.5 }))
    assert.deepStrictEqual(toBookedAccount(matcher.book).positions, [])
  })

  it("is sent for the step less that fees in the coin have left, and has filled with that", () => {
    const { matcher, target } = held(1, null, { fee_amount: "0.0005", fee_currency: "BTC" })
    assert.deepStrictEqual(stepsOf(matcher), [["rest", "limit", "0.999"]])
    const { fills } = matcher.tell(tradeOf(target, { quantity: "0.999" }))
    assert.deepInclude(fills[0], { effect: "close", quantity: 0.9995, ordered: 1 })
    assert.isTrue(isFilled(matcher.book, matcher.book.orders[target.id]!))
  })

  it("is not filled while its last step rests, where all of it was sent", () => {
    const { matcher, target } = held(1, null)
    assert.deepStrictEqual(stepsOf(matcher), [["rest", "limit", "1"]])
    matcher.tell(tradeOf(target, { quantity: "0.999" }))
    assert.isFalse(isFilled(matcher.book, matcher.book.orders[target.id]!))
  })

  it("is watched beside a stop of all that is held, which rests, and has that taken back", () => {
    const { matcher, target } = held(1, null)
    const stop = order({ side: -1, leg: "exit", type: "stop", stop: 90, quantity: 1 })
    const watch = { isOn: true, limitPrice: null, stopPrice: "90", takenBack: [] }
    placeInBook(matcher.book, 0, stop, watch)
    assert.deepStrictEqual(stepsOf(matcher), [["rest", "stop", "1"]])
    matcher.close(121)
    assert.deepStrictEqual(stepsOf(matcher), [
      ["leave", "market", "1"],
      ["take_back", "stop", "1"]
    ])
    assert.strictEqual(matcher.book.orders[target.id]!.type, "market")
  })

  it("rests beside the stop where orders only reduce, until another bot holds the market", () => {
    const { matcher, target } = held()
    matcher.book.orders[target.id]!.watch!.isOn = false
    const alone = { capabilities: { ...spot, hasReduceOnly: true } }
    const beside = { capabilities: { ...alone.capabilities, reducesOthers: true } }
    const stops = (context: typeof alone) =>
      wantedExits(matcher.book, context).map(({ quantity, type }) => [type, quantity])
    assert.deepStrictEqual(watchExits(matcher.book, alone), [])
    assert.deepStrictEqual(stops(alone), [["stop", "1"]])
    const [step] = watchExits(matcher.book, beside)
    assert.strictEqual(step?.type, "take_back")
    assert.deepStrictEqual(stops(beside), [["stop", "1"]], "the stop has the whole quantity")
  })

  it("rests again beside the stop once the other bot has left, and a passed stop leaves", () => {
    const { matcher } = held()
    const alone = { capabilities: { ...spot, hasReduceOnly: true } }
    const steps = () => watchExits(matcher.book, alone).map(({ exit, type }) => [type, exit.type])
    assert.deepStrictEqual(steps(), [["rest", "limit"]])
    const { matcher: other } = stopped()
    other.close(89)
    const [left] = watchExits(other.book, alone)
    assert.deepInclude(left?.exit, { type: "market", quantity: "1" })
  })

  it("leaves with its rest, once all fills of an order that was taken back are booked", () => {
    const { matcher, target } = held()
    const { watch } = matcher.book.orders[target.id]!
    watch!.takenBack = ["attempt"]
    watch!.awaited = ["attempt"]
    matcher.close(121)
    assert.deepStrictEqual(stepsOf(matcher), [], "the order may fill still")
    matcher.tell(tradeOf(target, { quantity: "0.3", price: "121" }))
    assert.deepStrictEqual(stepsOf(matcher), [], "and may fill more")
    const end = endFactRecord({ id: endIdOf("attempt"), client_order_id: target.id })
    matcher.tell(end)
    matcher.tell(end)
    assert.deepStrictEqual(stepsOf(matcher), [["leave", "market", "0.1"]])
  })

  it("ends at once where its bot takes it back", () => {
    const { matcher, target } = held()
    assert.lengthOf(toBookedAccount(matcher.book).openOrders, 1)
    assert.isTrue(unwatch(matcher.book, target.id))
    assert.deepStrictEqual(toBookedAccount(matcher.book).openOrders, [])
    assert.isFalse(unwatch(matcher.book, target.id))
  })

  it("is over once what was asked for has filled, although its bot took it back meanwhile", () => {
    const { matcher, target } = held(1, null, { fee_amount: "0.0005", fee_currency: "BTC" })
    matcher.close(119)
    assert.deepStrictEqual(stepsOf(matcher), [["rest", "limit", "0.999"]])
    assert.isTrue(unwatch(matcher.book, target.id))
    matcher.tell(tradeOf(target, { quantity: "0.999", price: "120" }))
    assert.deepStrictEqual(toBookedAccount(matcher.book).openOrders, [])
  })
})

/** A position of one unit at 100 with a stop of the bot's own at 90. */
const stopped = (quantity = 1) => {
  const matcher = new Matcher()
  matcher.tell(tradeOf(matcher.place(order())))
  const stop = order({ side: -1, leg: "exit", type: "stop", stop: 90, quantity })
  const watch = { isOn: true, limitPrice: null, stopPrice: "90", takenBack: [] }
  placeInBook(matcher.book, 0, stop, watch)
  return { matcher, stop }
}

const sell = (matcher: Matcher, quantity: number) =>
  matcher.place(order({ side: -1, leg: "exit", quantity }))

describe("a stop of the bot's own", () => {
  it("rests for what exits at the market leave of it, and for all again if they end", () => {
    const { matcher } = stopped()
    assert.deepStrictEqual(stepsOf(matcher), [["rest", "stop", "1"]])
    const reduction = sell(matcher, 0.4)
    assert.deepStrictEqual(stepsOf(matcher), [["take_back", "stop", "1"]])
    assert.deepStrictEqual(stepsOf(matcher), [["rest", "stop", "0.6"]])
    assert.deepStrictEqual(stepsOf(matcher), [], "it has its size")
    matcher.tell(tradeOf(reduction, { quantity: "0.3" }))
    assert.deepStrictEqual(stepsOf(matcher), [], "what is sold was not its own")
    matcher.tell(endFactRecord({ client_order_id: reduction.id }))
    assert.deepStrictEqual(stepsOf(matcher), [["take_back", "stop", "1"]])
    assert.deepStrictEqual(stepsOf(matcher), [["rest", "stop", "0.7"]])
  })

  it("asks its venue for no more than is held, as a part of its order", () => {
    const { matcher, stop } = stopped(1.5)
    const [step] = watchExits(matcher.book, context)
    assert.deepInclude(step?.exit, { quantity: "1", asked: "1.5" })
    const [fill] = matcher.tell(tradeOf({ ...stop, quantity: 1 }, { price: "90" })).fills
    assert.deepInclude(fill, { effect: "close", quantity: 1 })
    assert.isFalse(isFilled(matcher.book, matcher.book.orders[stop.id]!))
    assert.isTrue(unwatch(matcher.book, stop.id))
    assert.isTrue(isFilled(matcher.book, matcher.book.orders[stop.id]!))
  })

  it("is watched again where its venue refuses it anew, and rests after the next close", () => {
    const { matcher, stop } = stopped()
    stepsOf(matcher)
    const { watch } = matcher.book.orders[stop.id]!
    sell(matcher, 0.4)
    stepsOf(matcher)
    watch!.takenBack = ["attempt"]
    assert.deepStrictEqual(stepsOf(matcher), [["rest", "stop", "0.6"]])
    const refused = endFactRecord({ client_order_id: stop.id, outcome: "rejected" })
    assert.lengthOf(matcher.tell(refused).watchedAgain ?? [], 1)
    assert.isTrue(watch!.isOn)
    assert.deepStrictEqual(stepsOf(matcher), [], "not at once")
    matcher.close(100)
    assert.deepStrictEqual(stepsOf(matcher), [["rest", "stop", "0.6"]])
  })

  it("goes on where its venue refuses it at first, and a target ends", () => {
    const { matcher, stop } = stopped()
    stepsOf(matcher)
    const refused = endFactRecord({ client_order_id: stop.id, outcome: "rejected" })
    assert.lengthOf(matcher.tell(refused).watchedAgain ?? [], 1)
    const { matcher: other, target } = held(1, null)
    stepsOf(other)
    const ended = other.tell(endFactRecord({ client_order_id: target.id, outcome: "rejected" }))
    assert.deepInclude(ended.ended[0], { outcome: "rejected" })
  })

  /** A stop at rest, the steps at a time, and the refusal of the stop. */
  const refusable = (terms: Partial<WatchedTerms> = {}) => {
    const { matcher, stop } = stopped()
    Object.assign(matcher.book.orders[stop.id]!.watch!, terms)
    const at = (seconds: number) =>
      watchExits(matcher.book, { ...context, nowMs: seconds * 1_000 }).map(({ type }) => type)
    const refuse = () =>
      matcher.tell(endFactRecord({ client_order_id: stop.id, outcome: "rejected" }))
    return { at, matcher, refuse }
  }

  it("is asked for again three times a minute where no candle closes, and then leaves", () => {
    const { at, refuse } = refusable()
    assert.deepStrictEqual(at(0), ["rest"])
    for (const seconds of [1, 21, 41]) {
      refuse()
      assert.deepStrictEqual(at(seconds), [])
      assert.deepStrictEqual(at(seconds + 19.999), [])
      assert.deepStrictEqual(at(seconds + 20), [seconds === 41 ? "leave" : "rest"])
    }
  })

  it("never leaves beyond its limit, however often it was refused", () => {
    const { at, refuse } = refusable({ limitPrice: "89.5" })
    assert.deepStrictEqual(at(0), ["rest"])
    for (const seconds of [1, 61, 121]) {
      refuse()
      assert.deepStrictEqual(at(seconds), [])
      assert.deepStrictEqual(at(seconds + 59.999), [])
      assert.deepStrictEqual(at(seconds + 60), ["rest"])
    }
  })

  it("is sent once it can be, where it can't when its time has come", () => {
    const { at, matcher, refuse } = refusable()
    assert.deepStrictEqual(at(0), ["rest"])
    refuse()
    assert.deepStrictEqual(at(1), [])
    const sale = sell(matcher, 1)
    assert.deepStrictEqual(at(21), [], "all of it is being sold")
    matcher.tell(endFactRecord({ client_order_id: sale.id, outcome: "rejected" }))
    assert.deepStrictEqual(at(22), ["rest"])
  })

  it("has what a stop nearer to the market leaves, whichever came first", () => {
    const { matcher } = stopped(0.6)
    assert.deepStrictEqual(stepsOf(matcher), [["rest", "stop", "0.6"]])
    const near = order({ side: -1, leg: "exit", type: "stop", stop: 95, quantity: 0.6 })
    const watch = { isOn: true, limitPrice: null, stopPrice: "95", takenBack: [] }
    placeInBook(matcher.book, 0, near, watch)
    const steps = () =>
      watchExits(matcher.book, context).map(({ exit, type }) => [
        type,
        exit.stopPrice,
        exit.quantity
      ])
    assert.deepStrictEqual(steps(), [
      ["take_back", "90", "0.6"],
      ["rest", "95", "0.6"]
    ])
    assert.deepStrictEqual(steps(), [["rest", "90", "0.4"]])
    assert.deepStrictEqual(steps(), [])
  })

  const apart = [
    ["where a resting order locks its coins", spot],
    ["where orders only reduce", { ...spot, hasReduceOnly: true }],
    [
      "where orders share their quantity",
      { hasStops: true, hasReduceOnly: true, canShareQuantity: true }
    ]
  ] as const

  /** A stop at 90 that rests, and a nearer one that takes its place. */
  const nearer = (terms: Partial<WatchedTerms> = {}) => {
    const { matcher, stop } = stopped()
    stepsOf(matcher)
    const near = order({ side: -1, leg: "exit", type: "stop", stop: 95, quantity: 1 })
    const watch = { isOn: true, limitPrice: null, stopPrice: "95", takenBack: [], ...terms }
    placeInBook(matcher.book, 0, near, watch)
    const at = (seconds: number) =>
      watchExits(matcher.book, { ...context, nowMs: seconds * 1_000 }).map(
        ({ exit, type }) => `${type} ${exit.stopPrice ?? ""}`
      )
    return { at, matcher, near, stop }
  }

  it("rests again where a nearer one is refused, which leaves if that goes on", () => {
    const { at, matcher, near } = nearer()
    assert.deepStrictEqual(at(0), ["take_back 90", "rest 95"])
    matcher.tell(endFactRecord({ client_order_id: near.id, outcome: "rejected" }))
    for (const [seconds, again] of [
      [1, 21],
      [22, 42],
      [43, 61]
    ] as const) {
      assert.deepStrictEqual(at(seconds), ["rest 90"])
      assert.deepStrictEqual(at(again - 1), [])
      const asked = again === 61 ? ["leave ", "take_back 90"] : ["take_back 90", "rest 95"]
      assert.deepStrictEqual(at(again), asked)
      matcher.tell(endFactRecord({ client_order_id: near.id, outcome: "rejected" }))
    }
  })

  it("has its quantity before a stop limit that is nearer", () => {
    const { at } = nearer({ limitPrice: "94.5" })
    assert.deepStrictEqual(at(0), [])
  })

  it("is watched where its venue has no stops, and leaves once a close has passed it", () => {
    const { matcher } = stopped()
    const capabilities = { ...spot, hasStops: false }
    const steps = () => watchExits(matcher.book, { capabilities }).map(({ type }) => type)
    assert.deepStrictEqual(steps(), [])
    matcher.close(90.01)
    assert.deepStrictEqual(steps(), [])
    matcher.close(90)
    assert.deepStrictEqual(steps(), ["leave"])
  })

  it("rests at its limit where its venue has no stops, and a close lies between both", () => {
    const { matcher, stop } = stopped()
    matcher.book.orders[stop.id]!.watch = {
      isOn: true,
      limitPrice: "89",
      stopPrice: "90",
      takenBack: []
    }
    const capabilities = { ...spot, hasStops: false }
    matcher.close(89.5)
    const [step] = watchExits(matcher.book, { capabilities })
    assert.strictEqual(step?.type, "rest")
    assert.deepInclude(step?.exit, { type: "limit", limitPrice: "89", stopPrice: null })
  })

  it.each(apart)("of a lot leaves a nearer one of it its quantity, %s", (_, capabilities) => {
    const matcher = new Matcher({ netting: "hedging" })
    const [first] = [null, stopAt(0.1)].map((attached) => {
      const entry = matcher.place(order({ attached }))
      matcher.tell(tradeOf(entry))
      return entry.id
    })
    for (const [stop, quantity] of [
      [95, 1],
      [99, 0.6]
    ] as const) {
      const exit = order({ side: -1, leg: "exit", type: "stop", stop, quantity, lot: first! })
      const watch = { isOn: true, limitPrice: null, stopPrice: String(stop), takenBack: [] }
      placeInBook(matcher.book, 0, exit, watch)
    }
    const steps = () =>
      watchExits(matcher.book, { capabilities }).map(({ exit }) => [exit.stopPrice, exit.quantity])
    assert.deepStrictEqual(steps(), [
      ["95", "0.4"],
      ["99", "0.6"]
    ])
    assert.deepStrictEqual(steps(), [])
  })

  it.each(apart)(
    "closes no more than its lot, and leaves other lots theirs, %s",
    (_, capabilities) => {
      const matcher = new Matcher({ netting: "hedging" })
      const [first, second] = [null, stopAt(0.1)].map((attached) => {
        const entry = matcher.place(order({ attached }))
        matcher.tell(tradeOf(entry))
        return entry.id
      })
      const stop = order({ side: -1, leg: "exit", type: "stop", stop: 95, lot: first! })
      const watch = { isOn: true, limitPrice: null, stopPrice: "95", takenBack: [] }
      placeInBook(matcher.book, 0, stop, watch)
      const steps = () =>
        watchExits(matcher.book, { capabilities }).map(({ exit, type }) => [type, exit.quantity])
      const otherStops = () =>
        wantedExits(matcher.book, { capabilities }).map(({ lot, quantity }) => [lot, quantity])
      assert.deepStrictEqual(steps(), [["rest", "1"]])
      assert.deepStrictEqual(otherStops(), [[second, "1"]])
      const sale = matcher.place(order({ side: -1, leg: "exit", quantity: 0.4, lot: first! }))
      assert.deepStrictEqual(steps(), [["take_back", "1"]])
      assert.deepStrictEqual(steps(), [["rest", "0.6"]])
      assert.deepStrictEqual(otherStops(), [[second, "1"]])
      matcher.tell(tradeOf(sale))
      assert.deepStrictEqual(steps(), [], "it has its size")
      assert.deepStrictEqual(otherStops(), [[second, "1"]])
    }
  )

  it("is a limit from the price of its stop on, where it has one", () => {
    const { matcher, stop } = stopped()
    const order = matcher.book.orders[stop.id]!
    order.type = "stop_limit"
    order.watch = { ...order.watch!, limitPrice: "89.5" }
    matcher.close(89)
    const [step] = watchExits(matcher.book, context)
    assert.deepInclude(step, { type: "rest" })
    assert.deepInclude(step?.exit, { type: "limit", limitPrice: "89.5", stopPrice: null })
  })

  it("is cut by a step where less than a step of it is missing", () => {
    const { matcher } = stopped()
    assert.deepStrictEqual(stepsOf(matcher), [["rest", "stop", "1"]])
    matcher.book.missing = { BTC: "0.0005" }
    assert.deepStrictEqual(stepsOf(matcher), [["take_back", "stop", "1"]])
    assert.deepStrictEqual(stepsOf(matcher), [["rest", "stop", "0.999"]])
    assert.deepStrictEqual(stepsOf(matcher), [])
  })

  it("leaves at the market where the price has passed it before it could rest", () => {
    const { matcher } = stopped()
    matcher.close(89)
    assert.deepStrictEqual(stepsOf(matcher), [["leave", "market", "1"]])
  })

  it("waits for an exit of a profit that is to make room", () => {
    const { matcher } = stopped()
    const target = order({ side: -1, leg: "exit", type: "limit", limit: 120, quantity: 1 })
    const watch = { isOn: false, limitPrice: "120", stopPrice: null, takenBack: [] }
    placeInBook(matcher.book, 0, target, watch)
    assert.deepStrictEqual(stepsOf(matcher), [["take_back", "limit", "1"]])
    assert.deepStrictEqual(stepsOf(matcher), [["rest", "stop", "1"]])
  })

  it("of one lot rests, whatever stop another lot has", () => {
    const matcher = new Matcher({ netting: "hedging" })
    const [first] = [null, stopAt(0.1)].map((attached) => {
      const entry = matcher.place(order({ attached }))
      matcher.tell(tradeOf(entry))
      return entry.id
    })
    const exit = { side: -1, leg: "exit", type: "stop", quantity: 1, lot: first } as const
    for (const [stop, lot] of [
      [95, first],
      [94, null]
    ] as const) {
      const watch = { isOn: true, limitPrice: null, stopPrice: String(stop), takenBack: [] }
      placeInBook(matcher.book, 0, order({ ...exit, stop, lot: lot ?? undefined }), watch)
    }
    assert.deepStrictEqual(stepsOf(matcher), [["rest", "stop", "1"]])
  })

  it("is watched where another takes all of the quantity, or leaves too little for its venue", () => {
    const { matcher } = stopped()
    const second = order({ side: -1, leg: "exit", type: "stop", stop: 80, quantity: 1 })
    const watch = { isOn: true, limitPrice: null, stopPrice: "80", takenBack: [] }
    placeInBook(matcher.book, 0, second, watch)
    assert.deepStrictEqual(stepsOf(matcher), [["rest", "stop", "1"]], "the first")
    sell(matcher, 0.9)
    const markets = [{ minNotional: "10", minQuantity: "0.001" }]
    const strict = () => watchExits(matcher.book, { ...context, markets }).map(({ type }) => type)
    assert.deepStrictEqual(strict(), ["take_back"])
    assert.deepStrictEqual(strict(), [], "a tenth at 90 is worth 9")
  })
})
