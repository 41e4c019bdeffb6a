/**
 * A bot's own exits at a price, where the venue shares no quantity between orders.
 */
import { assert, describe, it } from "@effect/vitest"
import { endIdOf } from "../../../../src/domain/VenueAccount.ts"
import { placeInBook } from "../../../../src/services/venues/books/venueBook.ts"
import { toBookedAccount } from "../../../../src/services/venues/books/VenueBooks.ts"
import {
  locksQuantity,
  unwatch,
  watchExits
} from "../../../../src/services/venues/books/watchedExits.ts"
import { wantedExits } from "../../../../src/services/venues/books/wantedExits.ts"
import { endFactRecord } from "../../../../src/testing/venueRecords.ts"
import { Desk, order, tradeOf } from "./venueFacts.ts"

const spot = { hasStops: true, hasReduceOnly: false, canShareQuantity: false }
const context = { capabilities: spot }

const stopAt = (value: number) => ({
  stopLoss: { kind: "fraction", value } as const,
  takeProfit: null,
  trailingStop: null,
  breakEven: null
})

/** A position of one unit at 100 with an exit of so much at 120, and a stop at 90 if any. */
const held = (quantity = 0.4, attached: ReturnType<typeof stopAt> | null = stopAt(0.1)) => {
  const desk = new Desk()
  const entry = desk.place(order({ attached }))
  desk.tell(tradeOf(entry))
  const target = order({ side: -1, leg: "exit", type: "limit", limit: 120, quantity })
  const watch = { isOn: true, limitPrice: "120", stopPrice: null, takenBack: [] }
  placeInBook(desk.book, 0, target, watch)
  return { desk, entry, target }
}

const stopsOf = (desk: Desk) =>
  wantedExits(desk.book, context).map(({ quantity, type }) => [type, quantity])

const stepsOf = (desk: Desk) =>
  watchExits(desk.book, context).map(({ exit, type }) => [type, exit.type, exit.quantity])

describe("an exit that a stop leaves no quantity for", () => {
  it("is there only where neither orders share quantity nor only reduce", () => {
    assert.isTrue(locksQuantity(spot))
    assert.isFalse(locksQuantity({ ...spot, canShareQuantity: true }))
    assert.isFalse(locksQuantity({ ...spot, hasReduceOnly: true }))
  })

  it("is watched, and leaves the stop whole until a close has reached it", () => {
    const { desk } = held()
    assert.deepStrictEqual(stepsOf(desk), [])
    desk.close(119.99)
    assert.deepStrictEqual(stepsOf(desk), [])
    assert.deepStrictEqual(stopsOf(desk), [["stop", "1"]])
    desk.close(120)
    assert.deepStrictEqual(stepsOf(desk), [["leave", "market", "0.4"]])
    assert.deepStrictEqual(stopsOf(desk), [["stop", "0.6"]], "by exactly what is sold")
    assert.deepStrictEqual(stepsOf(desk), [], "once")
  })

  it("waits while another exit is on its way to sell the same", () => {
    const { desk, target } = held(0.6)
    desk.place(order({ side: -1, leg: "exit", quantity: 0.5 }))
    desk.close(121)
    assert.deepStrictEqual(stepsOf(desk), [])
    assert.isTrue(desk.book.orders[target.id]!.watch!.isOn)
  })

  it("rests where nothing held has a stop, and is taken back once something has", () => {
    const { desk, target } = held(0.4, null)
    assert.deepStrictEqual(stepsOf(desk), [["rest", "limit", "0.4"]])
    const { watch } = desk.book.orders[target.id]!
    const [lot] = desk.book.markets[0]!.lots
    const { desk: other } = held()
    lot!.protection = other.book.markets[0]!.lots[0]!.protection
    assert.deepStrictEqual(stepsOf(desk), [["take_back", "limit", "0.4"]])
    watch!.takenBack = ["attempt"]
    const end = endFactRecord({ id: endIdOf("attempt"), client_order_id: target.id })
    assert.deepStrictEqual(desk.tell(end).ended, [], "it goes on")
    assert.deepStrictEqual(stopsOf(desk), [["stop", "1"]])
    desk.close(125)
    assert.deepStrictEqual(stepsOf(desk), [["leave", "market", "0.4"]])
    const refused = endFactRecord({ client_order_id: target.id, outcome: "rejected" })
    assert.deepInclude(desk.tell(refused).ended[0], { outcome: "rejected" })
    assert.deepStrictEqual(stopsOf(desk), [["stop", "1"]])
  })

  it("ends at once where its bot takes it back", () => {
    const { desk, target } = held()
    assert.lengthOf(toBookedAccount(desk.book).openOrders, 1)
    assert.isTrue(unwatch(desk.book, target.id))
    assert.deepStrictEqual(toBookedAccount(desk.book).openOrders, [])
    assert.isFalse(unwatch(desk.book, target.id))
  })
})
