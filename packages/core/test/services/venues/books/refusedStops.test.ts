/**
 * Stops of a bot's code that their venue refuses: by the lot, and by the time.
 */
import { assert, describe, it } from "@effect/vitest"
import { missingNameOf } from "../../../../src/services/venues/books/missingHoldings.ts"
import { protectionOf } from "../../../../src/services/venues/books/protectionStatus.ts"
import {
  askAgainOf,
  forgetRefusals,
  refusedLots
} from "../../../../src/services/venues/books/refusedStops.ts"
import { placeInBook, type VenueBook } from "../../../../src/services/venues/books/venueBook.ts"
import { unwatch, watchExits } from "../../../../src/services/venues/books/watchedExits.ts"
import { endFactRecord, orderAttemptRecord } from "../../../../src/testing/venueRecords.ts"
import { Matcher, order, tradeOf } from "./venueFacts.ts"

const spot = { hasStops: true, hasReduceOnly: false, canShareQuantity: false }
const shared = { hasStops: true, hasReduceOnly: true, canShareQuantity: true }
const nowhere = { ...spot, hasStops: false }

/** A position of one unit at 100, and stops of its bot's code. */
const holding = (
  unprotectedMaxMs = 60_000,
  terms: Partial<VenueBook> = {},
  capabilities = spot
) => {
  const matcher = new Matcher(terms)
  const { book } = matcher
  const entry = matcher.place(order())
  matcher.tell(tradeOf(entry))
  const placeStop = (quantity = 1, lot?: string, price = "90") => {
    const stop = order({ side: -1, leg: "exit", type: "stop", stop: +price, quantity, lot })
    const watch = { isOn: true, limitPrice: null, stopPrice: price, takenBack: [] }
    placeInBook(book, 0, stop, watch)
    return stop.id
  }
  /** The steps at a time; the venue has these orders at rest by then. */
  const at = (seconds: number, resting: ReadonlyArray<string> = []) => {
    const context = { capabilities, nowMs: seconds * 1_000, unprotectedMaxMs }
    const steps = watchExits(book, context).map(({ type }) => type)
    const attempts = resting.map((id) => restingOf(id, Number(book.orders[id]!.quantity)))
    forgetRefusals(book, attempts, context)
    return steps
  }
  const refuse = (id: string) =>
    matcher.tell(endFactRecord({ client_order_id: id, outcome: "rejected" }))
  const isTold = (seconds: number) =>
    refusedLots(book, seconds * 1_000, unprotectedMaxMs).some((lot) => lot.isTold)
  return { at, book, entry, isTold, matcher, placeStop, refuse }
}

const restingOf = (id: string, quantity = 1) => {
  const attempt = orderAttemptRecord({ client_order_id: id, state: "working" })
  const order = { ...attempt.order, type: "stop" as const, quantity: String(quantity) }
  return { ...attempt, order }
}

describe("a lot whose stops are refused", () => {
  it("leaves in its time where code places a new stop at each close", () => {
    const { at, isTold, matcher, placeStop, refuse } = holding()
    let id = placeStop()
    for (const seconds of [0, 25, 50]) {
      assert.deepStrictEqual(at(seconds), ["rest"])
      refuse(id)
      assert.deepStrictEqual(at(seconds + 1), [])
      if (seconds === 50) break
      unwatch(matcher.book, id)
      matcher.close(100)
      id = placeStop()
    }
    assert.isFalse(isTold(60))
    assert.deepStrictEqual(at(60.9), [])
    assert.deepStrictEqual(at(61), ["leave"])
    assert.isTrue(isTold(61))
  })

  it("leaves in its time where closes come more often than a stop is asked for", () => {
    const { at, matcher, placeStop, refuse } = holding(200_000)
    const id = placeStop()
    for (const seconds of [0, 60, 120, 180]) {
      assert.deepStrictEqual(at(seconds), ["rest"])
      refuse(id)
      assert.deepStrictEqual(at(seconds + 1), [])
      if (seconds < 180) matcher.close(100)
    }
    assert.strictEqual(askAgainOf(matcher.book, 181_000), 201_000)
    assert.deepStrictEqual(at(201), ["leave"])
  })

  it("leaves three times a minute where that is refused too", () => {
    const { at, matcher, placeStop, refuse } = holding(6_000)
    const id = placeStop()
    assert.deepStrictEqual(at(0), ["rest"])
    for (const [seconds, next] of [
      [0, "rest"],
      [2, "rest"],
      [4, "leave"]
    ] as const) {
      refuse(id)
      assert.deepStrictEqual(at(seconds), [])
      assert.deepStrictEqual(at(seconds + 2), [next])
    }
    refuse(id)
    matcher.close(100)
    assert.deepStrictEqual(at(7), ["rest"])
    refuse(id)
    assert.deepStrictEqual(at(8), [])
    assert.deepStrictEqual(at(25.9), [])
    assert.deepStrictEqual(at(26), ["rest"])
    refuse(id)
    assert.deepStrictEqual(at(27), ["leave"])
  })

  it("is asked for again after a time without a process, before it leaves", () => {
    const { at, placeStop, refuse } = holding()
    const id = placeStop()
    at(0)
    refuse(id)
    assert.deepStrictEqual(at(1), [])
    assert.deepStrictEqual(at(100), ["rest"])
    refuse(id)
    assert.deepStrictEqual(at(101), ["leave"])
  })

  it("has its time anew once its stops rest", () => {
    const { at, isTold, matcher, placeStop, refuse } = holding()
    const id = placeStop()
    at(0)
    refuse(id)
    assert.deepStrictEqual(at(1), [])
    assert.deepStrictEqual(at(21), ["rest"])
    assert.deepStrictEqual(at(23), [], "it is on its way")
    assert.isTrue(isTold(61))
    assert.deepStrictEqual(at(24, [id]), [])
    assert.isFalse(isTold(61))
    unwatch(matcher.book, id)
    matcher.tell(endFactRecord({ client_order_id: id }))
    const next = placeStop()
    assert.deepStrictEqual(at(70), ["rest"])
    refuse(next)
    assert.deepStrictEqual(at(71), [])
    assert.deepStrictEqual(at(91), ["rest"])
  })

  it("leaves in its time although a farther stop rests, and makes room at each try", () => {
    const { at, isTold, placeStop, refuse } = holding()
    const near = placeStop(1, undefined, "95")
    const far = placeStop()
    assert.deepStrictEqual(at(0), ["rest"])
    for (const seconds of [1, 22, 43]) {
      refuse(near)
      assert.deepStrictEqual(at(seconds), ["rest"])
      assert.deepStrictEqual(at(seconds + 2, [far]), [])
      if (seconds === 43) break
      assert.deepStrictEqual(at(seconds + 20), ["take_back"])
      assert.deepStrictEqual(at(seconds + 20.5), ["rest"])
    }
    assert.deepStrictEqual(at(61, [far]), ["leave", "take_back"])
    assert.isTrue(isTold(61))
  })

  it("is forgotten with a stop whose quantity a nearer one has", () => {
    const { at, isTold, placeStop, refuse } = holding()
    const far = placeStop()
    at(0)
    refuse(far)
    at(1)
    const near = placeStop(1, undefined, "95")
    at(2)
    at(21, [near])
    assert.isFalse(isTold(61))
  })

  it("is forgotten at a venue without stops, where it is watched", () => {
    const { at, isTold, matcher, placeStop, refuse } = holding(60_000, {}, nowhere)
    const id = placeStop()
    matcher.close(89)
    assert.deepStrictEqual(at(0), ["leave"])
    refuse(id)
    assert.deepStrictEqual(at(1), [])
    matcher.close(100)
    assert.deepStrictEqual(at(2), [])
    assert.isFalse(isTold(61))
  })

  it("stays while nearer stops rest for all of it, and has its time anew without them", () => {
    const { at, isTold, matcher, placeStop, refuse } = holding(60_000, {}, shared)
    const nears = [placeStop(0.4, undefined, "95"), placeStop(0.6, undefined, "96")]
    const far = placeStop()
    assert.deepStrictEqual(at(0), ["rest", "rest", "rest"])
    refuse(far)
    assert.deepStrictEqual(at(1), [])
    assert.isTrue(isTold(61), "no nearer one is confirmed")
    for (const seconds of [21, 42, 63, 84]) {
      assert.deepStrictEqual(at(seconds, nears), ["rest"], "it is asked for again")
      refuse(far)
      assert.deepStrictEqual(at(seconds + 1, nears), [])
      assert.isFalse(isTold(1_000))
    }
    unwatch(matcher.book, nears[1]!)
    matcher.tell(endFactRecord({ client_order_id: nears[1]! }))
    const [near] = nears
    assert.deepStrictEqual(at(90, [near!]), [])
    for (const seconds of [105, 126, 147]) {
      assert.deepStrictEqual(at(seconds, [near!]), ["rest"])
      refuse(far)
      assert.deepStrictEqual(at(seconds + 1, [near!]), [])
    }
    assert.isFalse(isTold(149))
    assert.isTrue(isTold(150))
    assert.deepStrictEqual(at(150, [near!]), ["leave"])
  })

  it("is told of while a nearer stop waits for its cancel", () => {
    const { at, book, isTold, placeStop, refuse } = holding(60_000, {}, shared)
    const near = placeStop(1, undefined, "95")
    Object.assign(book.orders[near]!.watch!, { awaited: ["attempt"] })
    const far = placeStop()
    assert.deepStrictEqual(at(0), ["rest"])
    refuse(far)
    at(1)
    assert.isTrue(isTold(61))
  })

  it("keeps its time while the account seems to lack its coins", () => {
    const { at, book, isTold, placeStop, refuse } = holding()
    const id = placeStop()
    at(0)
    refuse(id)
    at(1)
    book.missing = { [missingNameOf(book, book.symbols[0]!)]: "1" }
    at(2)
    book.missing = {}
    at(3)
    assert.isTrue(isTold(61))
  })

  it("is told of while another stop of a part of it rests", () => {
    const { at, isTold, placeStop, refuse } = holding()
    const near = placeStop(0.4, undefined, "95")
    const far = placeStop(0.6)
    at(0)
    refuse(far)
    at(1, [near])
    assert.isTrue(isTold(61))
  })
})

describe("protection by stops of code", () => {
  it("is at the venue once that has confirmed them for all that is held", () => {
    const { book, placeStop } = holding()
    const id = placeStop()
    const attempt = restingOf(id)
    assert.strictEqual(protectionOf(book, []), "local")
    assert.strictEqual(protectionOf(book, [attempt]), "venue")
    assert.strictEqual(protectionOf(book, [{ ...attempt, is_cancel_wanted: true }]), "local")
    assert.strictEqual(protectionOf(book, [{ ...attempt, filled_quantity: "0.1" }]), "local")
  })

  it("is none where they are for a part, or never leave beyond a limit", () => {
    const { book, placeStop } = holding()
    const id = placeStop(0.9)
    assert.strictEqual(protectionOf(book, [restingOf(id, 0.9)]), "none")
    placeStop(0.1)
    assert.strictEqual(protectionOf(book, []), "local")
    Object.assign(book.orders[id]!.watch!, { limitPrice: "89" })
    assert.strictEqual(protectionOf(book, []), "none")
  })

  it("is of the lots that they name, and then of the oldest", () => {
    const { book, entry, matcher, placeStop } = holding(60_000, { netting: "hedging" })
    const second = matcher.place(order())
    matcher.tell(tradeOf(second))
    const named = placeStop(1, second.id)
    assert.strictEqual(protectionOf(book, [restingOf(named)]), "none")
    const ofAny = placeStop()
    const both = [named, ofAny].map((id) => restingOf(id))
    assert.strictEqual(protectionOf(book, both), "venue")
    unwatch(book, ofAny)
    const first = placeStop(1, entry.id)
    assert.strictEqual(protectionOf(book, [restingOf(named), restingOf(first)]), "venue")
  })
})
