/**
 * Lots that are too small for their venue to sell.
 */
import { assert, describe, it } from "@effect/vitest"
import { dustLots, type SellingContext } from "../../../../src/services/venues/books/dustLots.ts"
import { openVenueBook } from "../../../../src/services/venues/books/venueBook.ts"

const spec = {
  tick: 0.01,
  lot: 0.1,
  minNotional: 10,
  makerRate: 0,
  takerRate: 0,
  feePerFill: 0,
  slippageRate: 0,
  canShort: false,
  leverage: 1
}

/** Books with lots of these sizes, at a last close of 10. */
const bookOf = (...quantities: ReadonlyArray<string>) => {
  const symbols = ["BTC/USDT"]
  const book = openVenueBook(1_000, { kind: "spot", symbols, specs: [spec], netting: "hedging" })
  const state = book.markets[0]!
  state.lastClose = 10
  state.lots = quantities.map((quantity, at) => ({
    id: `lot-${at}`,
    quantity,
    position: {
      quantity: Number(quantity),
      entryPrice: 10,
      entryIndex: 0,
      entryTime: 0,
      entryFees: 0
    } as never,
    protection: null
  }))
  return book
}

const markets = [{ minNotional: "10", minQuantity: "0.5" }]
const spot: SellingContext = { capabilities: { hasReduceOnly: false }, markets }

const lotsOf = (book: ReturnType<typeof bookOf>, context = spot) =>
  dustLots(book, context).map(({ isWhole, lot }) => [lot, isWhole])

describe("lots that are too small", () => {
  it("are below the least quantity, or worth less than the least notional", () => {
    assert.deepStrictEqual(lotsOf(bookOf("0.4")), [["lot-0", true]])
    assert.deepStrictEqual(lotsOf(bookOf("0.9")), [["lot-0", true]])
    assert.deepStrictEqual(lotsOf(bookOf("1")), [])
    assert.deepStrictEqual(lotsOf(bookOf("-0.4")), [["lot-0", true]])
  })

  it("count without the part that is no whole step", () => {
    assert.deepStrictEqual(lotsOf(bookOf("1.09")), [])
    assert.deepStrictEqual(lotsOf(bookOf("0.99")), [["lot-0", true]])
  })

  it("can be sold once the price has risen", () => {
    assert.deepStrictEqual(lotsOf(bookOf("0.9"), { ...spot, priceOf: () => 12 }), [])
  })

  it("can be sold together with a later one", () => {
    assert.deepStrictEqual(lotsOf(bookOf("0.4", "2")), [["lot-0", false]])
    assert.deepStrictEqual(lotsOf(bookOf("0.6", "0.6")), [
      ["lot-0", false],
      ["lot-1", false]
    ])
    assert.deepStrictEqual(lotsOf(bookOf("0.4", "0.2")), [
      ["lot-0", true],
      ["lot-1", true]
    ])
  })

  it("are asked for where orders that reduce may be let off, and where no terms are known", () => {
    const reducing = { ...spot, capabilities: { hasReduceOnly: true } }
    assert.deepStrictEqual(lotsOf(bookOf("0.9"), reducing), [])
    assert.deepStrictEqual(lotsOf(bookOf("0.4"), reducing), [["lot-0", true]])
    assert.deepStrictEqual(lotsOf(bookOf("0.1"), { capabilities: spot.capabilities }), [])
  })
})
