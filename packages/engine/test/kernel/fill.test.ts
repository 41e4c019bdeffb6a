import { assert, describe, it } from "@effect/vitest"
import {
  fillLimit,
  fillMarket,
  fillStop,
  floorToLot,
  inferTick,
  roundToTick,
  type SideSign,
  slip
} from "../../src/kernel/fill.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { randomCandles } from "../../src/testing/randomCandles.ts"

const candle = { open: 100, high: 110, low: 90 }

const limitOf = (side: SideSign, limit: number) =>
  fillLimit(side, limit, candle.open, candle.high, candle.low)

const stopOf = (side: SideSign, stop: number) =>
  fillStop(side, stop, candle.open, candle.high, candle.low)

describe("a market order", () => {
  it("fills at the open", () => {
    assert.strictEqual(fillMarket(100), 100)
  })
})

describe("a limit order", () => {
  it("fills at the open, better than asked, where the open has passed it", () => {
    assert.strictEqual(limitOf(1, 105), 100)
    assert.strictEqual(limitOf(1, 1000), 100)
    assert.strictEqual(limitOf(-1, 95), 100)
    assert.strictEqual(limitOf(-1, 1), 100)
  })

  it("fills at its own price where it is touched inside, the extreme included", () => {
    for (const limit of [100, 95, 90]) assert.strictEqual(limitOf(1, limit), limit)
    for (const limit of [100, 105, 110]) assert.strictEqual(limitOf(-1, limit), limit)
  })

  it("does not fill where the candle ends before it", () => {
    assert.isNaN(limitOf(1, 89.999))
    assert.isNaN(limitOf(-1, 110.001))
  })
})

describe("a stop order", () => {
  it("fills at the open, worse than asked, where a gap has passed it", () => {
    assert.strictEqual(stopOf(-1, 105), 100)
    assert.strictEqual(stopOf(-1, 1000), 100)
    assert.strictEqual(stopOf(1, 95), 100)
    assert.strictEqual(stopOf(1, 1), 100)
  })

  it("fills at its own price where it is touched inside, the extreme included", () => {
    for (const stop of [100, 95, 90]) assert.strictEqual(stopOf(-1, stop), stop)
    for (const stop of [100, 105, 110]) assert.strictEqual(stopOf(1, stop), stop)
  })

  it("does not fill where the candle ends before it", () => {
    assert.isNaN(stopOf(-1, 89.999))
    assert.isNaN(stopOf(1, 110.001))
  })
})

describe("limits and stops on random candles", () => {
  const each = (
    show: (
      side: SideSign,
      level: number,
      ohl: readonly [open: number, high: number, low: number]
    ) => void
  ): void => {
    for (let number = 0; number < 40; number += 1) {
      const columns = randomCandles(number, { count: 50 })
      const random = makeRandom(`levels ${number}`)
      columns.open.forEach((open, at) => {
        const [high, low] = [columns.high[at]!, columns.low[at]!]
        // Levels below, in, above and exactly on the edges of the candle.
        const inside = low + random.next() * (high - low)
        for (const level of [inside, open, high, low, high * 1.01, low * 0.99]) {
          for (const side of [1, -1] as const) show(side, level, [open, high, low])
        }
      })
    }
  }

  it("fill within the candle; a limit at its price or better, a stop at its price or worse", () => {
    const counts = { limit: 0, stop: 0, improved: 0, gapped: 0 }
    each((side, level, [open, high, low]) => {
      const limit = fillLimit(side, level, open, high, low)
      const stop = fillStop(side, level, open, high, low)
      if (!Number.isNaN(limit)) {
        assert.isTrue(limit >= low && limit <= high)
        assert.isTrue((level - limit) * side >= 0)
        counts.limit += 1
        if (limit !== level) counts.improved += 1
      }
      if (!Number.isNaN(stop)) {
        assert.isTrue(stop >= low && stop <= high)
        assert.isTrue((stop - level) * side >= 0)
        counts.stop += 1
        if (stop !== level) counts.gapped += 1
      }
    })
    for (const count of Object.values(counts)) assert.isAbove(count, 500)
  })

  it("fill exactly where the candle holds the level, or opens on the filling side of it", () => {
    each((side, level, [open, high, low]) => {
      const isInside = low <= level && level <= high
      const limits = isInside || (open - level) * side <= 0
      const stops = isInside || (open - level) * side >= 0
      assert.strictEqual(!Number.isNaN(fillLimit(side, level, open, high, low)), limits)
      assert.strictEqual(!Number.isNaN(fillStop(side, level, open, high, low)), stops)
    })
  })

  it("sell in a candle turned upside down as they buy in it, to the bit", () => {
    each((side, level, [open, high, low]) => {
      const other = side === 1 ? -1 : 1
      const limit = fillLimit(side, level, open, high, low)
      const stop = fillStop(side, level, open, high, low)
      assert.deepStrictEqual(fillLimit(other, -level, -open, -low, -high), -limit)
      assert.deepStrictEqual(fillStop(other, -level, -open, -low, -high), -stop)
    })
  })

  it("fill on one side as a limit and on the other as a stop, at the same price", () => {
    each((side, level, [open, high, low]) => {
      const limit = fillLimit(side, level, open, high, low)
      const stop = fillStop(side === 1 ? -1 : 1, level, open, high, low)
      assert.deepStrictEqual(stop, limit)
    })
  })
})

describe("slippage", () => {
  it("makes buys dearer and sales cheaper by the same amount", () => {
    assert.strictEqual(slip(1, 100, 0.25), 125)
    assert.strictEqual(slip(-1, 100, 0.25), 75)
    const random = makeRandom("slippage")
    for (let at = 0; at < 1_000; at += 1) {
      const price = Math.exp(10 * random.normal())
      const rate = random.next() * 0.05
      const bought = slip(1, price, rate)
      const sold = slip(-1, price, rate)
      assert.isTrue(bought >= price && sold <= price && sold > 0)
      assert.closeTo((bought + sold) / (2 * price), 1, 1e-15)
    }
  })

  it("leaves the price alone, to the bit, at a rate of 0", () => {
    for (const price of [0.1, 1 / 3, 1e300]) {
      assert.strictEqual(slip(1, price, 0), price)
      assert.strictEqual(slip(-1, price, 0), price)
    }
  })
})

/** Steps as exchanges have them, and what makes them hard for doubles. */
const steps = [1e-8, 0.0001, 0.001, 0.01, 0.05, 0.1, 0.125, 0.25, 0.3, 0.5, 1, 2.5, 5, 100]

describe("rounding to the tick", () => {
  it("gives the nearest multiple as the double of its decimal form", () => {
    assert.strictEqual(roundToTick(0.31, 0.1), 0.3)
    assert.strictEqual(roundToTick(0.7 + 0.1, 0.1), 0.8)
    assert.strictEqual(roundToTick(1.005, 0.01), 1)
    assert.strictEqual(roundToTick(12_345.678, 0.05), 12_345.7)
    assert.strictEqual(roundToTick(1234, 100), 1200)
    assert.strictEqual(roundToTick(1 / 3, 0), 1 / 3)
  })

  it("is never more than half a tick away, and leaves what it gave as it is", () => {
    const random = makeRandom("tick")
    for (let at = 0; at < 5_000; at += 1) {
      const tick = random.pick(steps)
      const price = random.next() * 10 ** random.integer(-2, 5)
      const rounded = roundToTick(price, tick)
      assert.isAtMost(Math.abs(rounded - price), tick / 2 + 1e-12 * price)
      assert.strictEqual(roundToTick(rounded, tick), rounded)
    }
  })
})

describe("rounding down to the lot", () => {
  it("gives the largest multiple that is not above the quantity", () => {
    assert.strictEqual(floorToLot(0.999, 1), 0)
    assert.strictEqual(floorToLot(1.999, 1), 1)
    assert.strictEqual(floorToLot(7.49, 2.5), 5)
    assert.strictEqual(floorToLot(1 / 3, 0), 1 / 3)
    assert.strictEqual(floorToLot(0, 0.1), 0)
  })

  it("counts a quantity that is a multiple but for its rounding as that multiple", () => {
    assert.strictEqual(floorToLot(0.3, 0.1), 0.3)
    assert.strictEqual(floorToLot(0.1 + 0.2, 0.1), 0.3)
    assert.strictEqual(floorToLot(0.7 - 0.1, 0.1), 0.6)
    assert.strictEqual(floorToLot(4.35 * 100, 1), 435)
    assert.strictEqual(floorToLot(1 - 1e-13, 1), 1)
    assert.strictEqual(floorToLot(1 - 1e-11, 1), 0)
  })

  it("leaves a multiple as it is, however many lots it is", () => {
    const random = makeRandom("lots")
    for (let at = 0; at < 5_000; at += 1) {
      const lot = random.pick(steps)
      const quantity = floorToLot(random.next() * 10 ** random.integer(0, 14) * lot, lot)
      assert.strictEqual(floorToLot(quantity, lot), quantity, `${quantity} in lots of ${lot}`)
    }
    assert.strictEqual(floorToLot(1_000_000, 1e-8), 1_000_000)
  })

  it("takes away less than a lot, and adds nothing but rounding", () => {
    const random = makeRandom("floor")
    for (let at = 0; at < 5_000; at += 1) {
      const lot = random.pick(steps)
      const quantity = random.next() * 10 ** random.integer(-1, 6)
      const floored = floorToLot(quantity, lot)
      assert.isAtMost(floored, quantity * (1 + 2e-12))
      assert.isAbove(floored, quantity - lot * (1 + 1e-9))
    }
  })
})

describe("inferring the tick", () => {
  it("finds the coarsest power of ten that all prices lie on, from 1 to 1e-8", () => {
    assert.strictEqual(inferTick([Float64Array.of(100, 2_000)]), 1)
    assert.strictEqual(inferTick([Float64Array.of(100, 100.5)]), 0.1)
    assert.strictEqual(inferTick([Float64Array.of(1.1, 2.25), Float64Array.of(3)]), 0.01)
    assert.strictEqual(inferTick([Float64Array.of(1), Float64Array.of(0.1 + 0.2, 0.125)]), 0.001)
    assert.strictEqual(inferTick([Float64Array.of(1 / 3)]), 1e-8)
    assert.strictEqual(inferTick([new Float64Array(0)]), 1)
    assert.strictEqual(inferTick([Float64Array.of(1_234_567.0004)]), 0.0001)
  })

  it("looks at every price, however many there are", () => {
    for (const odd of [1, 9_999, 19_998]) {
      const prices = new Float64Array(20_000).fill(3)
      prices[odd] = 3.25
      assert.strictEqual(inferTick([prices]), 0.01)
    }
  })

  it("finds the tick of random prices on it", () => {
    for (let number = 0; number < 100; number += 1) {
      const random = makeRandom(`inferred ${number}`)
      const digits = random.integer(0, 7)
      const prices = Float64Array.from({ length: 200 }, () =>
        Number((random.next() * 1_000).toFixed(digits))
      )
      prices[0] = Number(`1e-${digits}`)
      assert.strictEqual(inferTick([prices]), Number(`1e-${digits}`))
    }
  })
})
