import { assert, describe, it } from "@effect/vitest"
import { makeRandom } from "../../src/kernel/random.ts"
import {
  cashAfter,
  feeOf,
  fillLimit,
  fillMarket,
  fillStop,
  fillStopLimit,
  floorToStep,
  inverseOf,
  isLimitBeyond,
  isStopFirst,
  lotsIn,
  passesStop,
  payableLots,
  payableOf,
  roundToStep,
  slip,
  toStep,
  unitCost,
  unitProceeds
} from "../../src/match/fillRules.ts"

const lots = [0, 1e-8, 1e-6, 3e-5, 0.001, 0.1, 1 / 3, 0.3333333333333, 0.7, 1, 2, 25, 49]

/** The double that is so many places above a positive one, or below it. */
const placesFrom = (value: number, places: number): number => {
  const words = new BigInt64Array(Float64Array.of(value).buffer)
  words[0] = words[0]! + BigInt(places)
  return new Float64Array(words.buffer)[0]!
}

/** A quantity on lots, by one quotient and two ways of rounding. */
const plainlyOnLots = (quantity: number, lot: number): number => {
  if (lot === 0) return quantity
  const count = quantity / lot
  const nearest = Math.round(count)
  const whole = nearest - count <= count * 1e-12 ? nearest : Math.floor(count)
  return toStep(whole, lot, inverseOf(lot))
}

describe("a quantity on lots", () => {
  it("is what one quotient and two ways of rounding give, also where it hardly misses a lot", () => {
    const random = makeRandom("lots")
    for (const lot of lots) {
      for (let drawn = 0; drawn < 4_000; drawn++) {
        const step = lot === 0 ? 1 : lot
        const count = Math.ceil(10 ** (random.next() * random.pick([1, 3, 8, 13])))
        const missing = random.pick([0, 1e-12, 1e-12, 2e-12, random.next() / count])
        const wanted = count * step * (1 - missing)
        const amount = placesFrom(wanted, random.integer(-40, 40))
        const floored = floorToStep(amount, lot, inverseOf(lot))
        assert.strictEqual(floored, plainlyOnLots(amount, lot), `${amount} on lots of ${lot}`)
      }
    }
  })
})

describe("the affordable quantity", () => {
  it("is all that is ordered, or as much of it as leaves no cash below zero", () => {
    const random = makeRandom("payable")
    const seen = { whole: 0, cut: 0, none: 0 }
    for (let drawn = 0; drawn < 40_000; drawn++) {
      const lot = random.pick(lots)
      const inverse = inverseOf(lot)
      const rate = random.pick([0, 0.001, 0.0004, -0.0002])
      const price = 10 ** (random.next() * 7 - 3)
      const ordered = floorToStep(10 ** (random.next() * 4) * (lot || 1), lot, inverse)
      const share = random.pick([1, 1 - 1e-15, 1 + 1e-15, 0.999, 0.3, 1e-5, 2])
      const power = ordered * price * (1 + rate) * share
      const paid = payableOf(ordered, price, rate, power, lot, inverse)
      assert.isAtMost(paid, ordered)
      assert.isAtMost(paid * price * (1 + rate), power)
      if (ordered * price * (1 + rate) <= power) assert.strictEqual(paid, ordered)
      // One lot more is too much, or more than what is ordered.
      if (lot !== 0 && paid < ordered) {
        assert.isAbove((paid + lot) * price * (1 + rate) * (1 + 4e-12), power)
      }
      seen[paid === ordered ? "whole" : paid > 0 ? "cut" : "none"]++
    }
    for (const count of Object.values(seen)) assert.isAbove(count, 1_000)
  })

  it("is the same of an order that is counted in lots", () => {
    const random = makeRandom("payable lots")
    for (let drawn = 0; drawn < 20_000; drawn++) {
      const lot = random.pick(lots.filter((one) => one !== 0))
      const inverse = inverseOf(lot)
      const count = Math.ceil(10 ** (random.next() * 6))
      const price = 10 ** (random.next() * 7 - 3)
      const power = count * lot * price * random.pick([1, 1.001, 0.999, 0.3, 2])
      const ordered = toStep(count, lot, inverse)
      assert.strictEqual(
        payableLots(count, price, 0.001, power, lot, inverse),
        payableOf(ordered, price, 0.001, power, lot, inverse)
      )
    }
  })
})

describe("a stop-limit order on the candle of its trigger", () => {
  const filled = (side: 1 | -1, stop: number, limit: number) =>
    fillStopLimit(side, stop, limit, fillStop(side, stop, 100, 110, 90), 110, 90)

  it("fills at the trigger, and never worse than its limit", () => {
    assert.strictEqual(filled(1, 105, 108), 105)
    assert.strictEqual(filled(-1, 95, 92), 95)
    // The open has passed the stop, and the limit lies nearer.
    assert.strictEqual(filled(1, 97, 99), 99)
    assert.strictEqual(filled(-1, 103, 101), 101)
  })

  it("does not fill where its limit may have been touched before, or is not reached", () => {
    assert.isNaN(filled(1, 105, 105))
    assert.isNaN(filled(1, 105, 95))
    assert.isNaN(filled(-1, 95, 105))
    assert.isNaN(filled(1, 80, 85))
  })
})

describe("of a stop and a target", () => {
  const open = 100
  it("the stop counts where a candle touches both", () => {
    assert.isTrue(isStopFirst(-1, 95, 105, open, 90))
    assert.isTrue(isStopFirst(1, 105, 95, open, 110))
  })

  it("the target counts where the open has passed it, or the stop is not reached", () => {
    assert.isFalse(isStopFirst(-1, 95, 100, open, 90))
    assert.isFalse(isStopFirst(1, 105, 100, open, 110))
    assert.isFalse(isStopFirst(-1, 89, 105, open, 90))
    assert.isFalse(isStopFirst(1, 111, 95, open, 110))
  })
})

describe("the price of an order", () => {
  it("is no number where a price is none", () => {
    for (const side of [1, -1]) {
      assert.isNaN(fillStop(side, Number.NaN, 100, 110, 90))
      assert.isNaN(fillLimit(side, Number.NaN, 100, 110, 90))
    }
  })
})

describe("the cash after a fill", () => {
  it("pays for a buy, is paid for a sell, and pays the fee of both", () => {
    assert.strictEqual(cashAfter(1_000, 300, 2), 698)
    assert.strictEqual(cashAfter(1_000, -300, 2), 1_298)
  })
})

describe("a unit", () => {
  it("costs its price and the fee, and brings its price less the fee", () => {
    assert.strictEqual(unitCost(200, 0.25), 250)
    assert.strictEqual(unitProceeds(200, 0.25), 150)
  })
})

describe("the fee of a fill", () => {
  it("is a part of its notional and an amount of its own", () => {
    assert.strictEqual(feeOf(1_000, 0.001, 0.5), 1.5)
    assert.strictEqual(feeOf(1_000, -0.001, 0), -1)
  })
})

describe("a market order", () => {
  it("fills at the open, and a price slips against the order by a part of it", () => {
    assert.strictEqual(fillMarket(100), 100)
    assert.strictEqual(slip(1, 200, 0.25), 250)
    assert.strictEqual(slip(-1, 200, 0.25), 150)
    assert.strictEqual(slip(1, 200, 0), 200)
  })
})

describe("a stop order", () => {
  it("is passed by a price at it, and fills at the worse of the open and its own", () => {
    for (const side of [1, -1]) {
      assert.isTrue(passesStop(side, 100, 100))
      assert.isTrue(passesStop(side, 100, 100 + side))
      assert.isFalse(passesStop(side, 100, 100 - side))
    }
    assert.strictEqual(fillStop(1, 105, 100, 110, 90), 105)
    assert.strictEqual(fillStop(-1, 95, 100, 110, 90), 95)
    assert.strictEqual(fillStop(1, 95, 100, 110, 90), 100)
    assert.strictEqual(fillStop(-1, 105, 100, 110, 90), 100)
    assert.isNaN(fillStop(1, 111, 100, 110, 90))
    assert.isNaN(fillStop(-1, 89, 100, 110, 90))
  })

  it("has a limit beyond it on its own side, at a distance", () => {
    assert.isTrue(isLimitBeyond(1, 100, 100.5))
    assert.isFalse(isLimitBeyond(1, 100, 100))
    assert.isTrue(isLimitBeyond(-1, 100, 99.5))
    assert.isFalse(isLimitBeyond(-1, 100, 100.5))
  })
})

describe("a limit order", () => {
  it("fills at the better of the open and its own price, where the candle comes to it", () => {
    assert.strictEqual(fillLimit(1, 95, 100, 110, 90), 95)
    assert.strictEqual(fillLimit(-1, 105, 100, 110, 90), 105)
    assert.strictEqual(fillLimit(1, 105, 100, 110, 90), 100)
    assert.strictEqual(fillLimit(-1, 95, 100, 110, 90), 100)
    assert.strictEqual(fillLimit(1, 90, 100, 110, 90), 90)
    assert.strictEqual(fillLimit(-1, 110, 100, 110, 90), 110)
    assert.isNaN(fillLimit(1, 89, 100, 110, 90))
    assert.isNaN(fillLimit(-1, 111, 100, 110, 90))
  })
})

describe("a step", () => {
  it("has an inverse where one divided by it is a whole number", () => {
    assert.deepStrictEqual(
      [0, 0.1, 0.25, 1e-8, 1, 0.3, 1 / 3, 0.7, 2, 25].map(inverseOf),
      [0, 10, 4, 1e8, 1, 0, 3, 0, 0, 0]
    )
  })

  it("is counted to the double of its decimal form", () => {
    assert.strictEqual(toStep(3, 0.1, 10), 0.3)
    assert.strictEqual(toStep(3, 0.7, 0), 3 * 0.7)
  })

  it("rounds to its nearest multiple, and leaves a value as it is where it is 0", () => {
    assert.strictEqual(roundToStep(0.34, 0.1, 10), 0.3)
    assert.strictEqual(roundToStep(0.36, 0.1, 10), 0.4)
    assert.strictEqual(roundToStep(61, 25, 0), 50)
    assert.strictEqual(roundToStep(63, 25, 0), 75)
    assert.strictEqual(roundToStep(0.34, 0, 0), 0.34)
  })
})

describe("the lots of a quantity", () => {
  it("are as many as are not above it, by the product and by the quotient", () => {
    assert.strictEqual(lotsIn(0.3, 0.1, 10), 3)
    assert.strictEqual(lotsIn(0.29, 0.1, 10), 2)
    assert.strictEqual(lotsIn(74, 25, 0), 2)
    assert.strictEqual(lotsIn(75, 25, 0), 3)
    assert.strictEqual(lotsIn(0, 25, 0), 0)
  })

  it("count one that is missed by a part in a million millions, and by no more", () => {
    assert.strictEqual(lotsIn(3 * (1 - 0.5e-12), 1, 1), 3)
    assert.strictEqual(lotsIn(3 * (1 - 1.5e-12), 1, 1), 2)
    assert.strictEqual(lotsIn(3 * (1 - 4e-12), 1, 1), 2)
  })

  it("count no lot that is half missing, however large the quantity is", () => {
    // One part in 10^12 of so many lots is more than a lot.
    assert.strictEqual(lotsIn(4e12 + 0.25, 1, 1), 4e12)
    assert.strictEqual(lotsIn(4e12 + 0.5, 1, 1), 4e12 + 1)
  })
})
