/**
 * Orders at rest: on which candle they fill, and on which they end.
 */
import { assert, describe, it } from "@effect/vitest"
import { makeOutcome, type OrderRequest } from "../../src/kernel/account.ts"
import { SimulatedAccount } from "../../src/kernel/SimulatedAccount.ts"
import {
  type Bar,
  exitsOf,
  flatBars,
  freeMarket,
  hourMs,
  noExits,
  runOne
} from "../traps/scripted.ts"

const flat: Bar = [100, 100, 100, 100]

const order: OrderRequest = {
  id: "one",
  side: 1,
  type: "limit",
  leg: "entry",
  quantity: 1,
  limit: null,
  stop: null,
  expiresAfter: null,
  reason: "signal",
  attached: null
}

/** The life of an order, candle by candle; prices around 100 are mirrored for a sale. */
const lifeOf = (one: Partial<OrderRequest>, bars: ReadonlyArray<Bar>) => {
  const lives = ([1, -1] as const).map((side) => {
    const turned = (price: number) => (side === 1 ? price : 200 - price)
    const account = SimulatedAccount.open(100_000, [freeMarket])
    account.place(0, {
      ...order,
      ...one,
      side,
      limit: one.limit === undefined || one.limit === null ? null : turned(one.limit),
      stop: one.stop === undefined || one.stop === null ? null : turned(one.stop)
    })
    return bars.map(([open, high, low, close], index) => {
      const outcome = makeOutcome()
      const [top, bottom] = side === 1 ? [high, low] : [low, high]
      const candle = {
        market: 0,
        time: index * hourMs,
        open: turned(open),
        high: turned(top),
        low: turned(bottom),
        close: turned(close)
      }
      account.show([candle])
      account.drain(outcome)
      const { ended, fills } = outcome
      if (fills.length > 0) return turned(fills[0]!.price)
      return ended[0]?.outcome ?? (account.book(0).orders.length > 0 ? "rests" : "gone")
    })
  })
  assert.deepStrictEqual(lives[1], lives[0], "a sell is the mirror of a buy")
  return lives[0]!
}

describe("an order that expires", () => {
  const dip: Bar = [100, 100, 94, 100]
  const unreached = { limit: 95, expiresAfter: 2 }

  it("rests through exactly as many candles as it may", () => {
    const bars = flatBars(4)
    assert.deepStrictEqual(lifeOf({ limit: 95, expiresAfter: 1 }, bars).slice(0, 2), [
      "expired",
      "gone"
    ])
    assert.deepStrictEqual(lifeOf(unreached, bars), ["rests", "expired", "gone", "gone"])
    assert.deepStrictEqual(lifeOf({ ...unreached, expiresAfter: 3 }, bars), [
      "rests",
      "rests",
      "expired",
      "gone"
    ])
    assert.deepStrictEqual(lifeOf({ limit: 95 }, bars), ["rests", "rests", "rests", "rests"])
  })

  it("fills on its last candle, and no more on the one after", () => {
    assert.deepStrictEqual(lifeOf(unreached, [flat, dip]), ["rests", 95])
    assert.deepStrictEqual(lifeOf(unreached, [flat, flat, dip]), ["rests", "expired", "gone"])
  })
})

describe("a stop-limit order", () => {
  const stopLimit = { type: "stop_limit", stop: 105, limit: 107 } as const

  it("fills where its stop is touched", () => {
    assert.deepStrictEqual(lifeOf(stopLimit, [[100, 106, 100, 104]]), [105])
  })

  it("fills at its limit where the open is beyond both and the candle comes back", () => {
    assert.deepStrictEqual(lifeOf(stopLimit, [[110, 112, 106, 108]]), [107])
    assert.deepStrictEqual(lifeOf(stopLimit, [[110, 112, 107, 108]]), [107])
  })

  it("rests as a limit where the candle does not come back", () => {
    const beyond: Bar = [110, 112, 108, 110]
    assert.deepStrictEqual(lifeOf(stopLimit, [beyond, beyond, [109, 110, 106, 107]]), [
      "rests",
      "rests",
      107
    ])
  })
})

describe("the candle that a resting entry fills inside", () => {
  const trailing = {
    trailingStop: { distance: { kind: "distance", value: 5 }, activation: null }
  } as const

  it("raises no stop by extremes that may lie before the entry", () => {
    const entered: Bar = [100, 112, 95, 100]
    const bars: ReadonlyArray<Bar> = [flat, entered, [100, 101, 96, 100], [100, 100, 90, 90]]
    const simulation = runOne({
      bars,
      long: [0],
      entry: { type: "limit", offsetRate: 0.05 },
      exits: trailing
    })
    assert.deepStrictEqual(exitsOf(simulation), [[3, 96, "trailing_stop"]])
  })

  it("raises a stop where the entry was at its open", () => {
    const bars: ReadonlyArray<Bar> = [flat, [100, 112, 100, 112], [112, 112, 106, 106]]
    const simulation = runOne({ bars, long: [0], exits: { ...noExits, ...trailing } })
    assert.deepStrictEqual(exitsOf(simulation), [[2, 107, "trailing_stop"]])
  })
})
