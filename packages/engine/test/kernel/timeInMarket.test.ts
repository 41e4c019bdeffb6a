/**
 * Which candles count to the time in the market.
 */
import { assert, describe, it } from "@effect/vitest"
import { measureOne } from "../../src/language/Metric.ts"
import { toMeasurement } from "../../src/language/Measurement.ts"
import type { OrderRequest } from "../../src/kernel/account.ts"
import { SimulatedAccount } from "../../src/kernel/SimulatedAccount.ts"
import {
  type Bar,
  flatBars,
  fraction,
  freeMarket,
  hourMs,
  runAll,
  runOne,
  type Scripted,
  type Setting
} from "../traps/scripted.ts"

const flat: Bar = [100, 100, 100, 100]

/** The candles that count, one digit for each. */
const heldIn = (one: Scripted & Setting): string => runOne(one).held.join("")

describe("the time in the market", () => {
  it("counts candles at whose open a position is entered and inside which it is stopped", () => {
    const every = Array.from({ length: 20 }, (_, index) => index)
    const simulation = runOne({
      bars: every.map((): Bar => [100, 100, 90, 90]),
      long: every,
      exits: { stopLoss: fraction(0.05) }
    })
    assert.lengthOf(simulation.closed, 19)
    const measurement = toMeasurement(simulation, 100_000, hourMs)
    assert.strictEqual(measureOne("exposure_time", measurement), 0.95)
    // No money was in the market at any close.
    assert.strictEqual(measureOne("exposure", measurement), 0)
  })

  it("counts no candle at whose open a position is left, but one that is opened anew there", () => {
    const bars = flatBars(6)
    assert.strictEqual(heldIn({ bars, long: [0], exitLong: [2] }), "011000")
    assert.strictEqual(heldIn({ bars, long: [0], exitLong: [2], short: [2] }), "011111")
    const fell: ReadonlyArray<Bar> = [flat, flat, [90, 90, 90, 90], flat]
    assert.strictEqual(
      heldIn({ bars: fell, long: [0], exits: { stopLoss: fraction(0.05) } }),
      "0100"
    )
    const rose: ReadonlyArray<Bar> = [flat, flat, [110, 110, 110, 110], flat]
    const exits = { takeProfit: fraction(0.05) }
    assert.strictEqual(heldIn({ bars: rose, long: [0], exits }), "0100")
    const geared = { long: [0], capital: 10, spec: { leverage: 10 } }
    assert.strictEqual(heldIn({ bars: fell, ...geared }), "0100")
  })

  it("counts a candle inside which a position is left, whatever by", () => {
    const dips: ReadonlyArray<Bar> = [flat, flat, [100, 100, 90, 90], flat]
    const distance = fraction(0.05)
    const stopped = { bars: dips, long: [0], exits: { stopLoss: distance } }
    assert.strictEqual(heldIn(stopped), "0110")
    const trailing = { trailingStop: { distance, activation: null } }
    assert.strictEqual(heldIn({ ...stopped, exits: trailing }), "0110")
    assert.strictEqual(
      heldIn({ ...stopped, exits: { takeProfit: distance }, short: [0], long: [] }),
      "0110"
    )
    const geared = { bars: dips, long: [0], capital: 10, spec: { leverage: 10 } }
    assert.strictEqual(heldIn(geared), "0110")
  })

  it("counts a candle that shorter candles leave later at the price of its open", () => {
    const bars: ReadonlyArray<Bar> = [flat, [100, 106, 99, 99], [99, 99, 99, 99]]
    const breakEven = { activation: fraction(0.05), offsetRate: 0 }
    const still = flatBars(4)
    const back: ReadonlyArray<Bar> = [
      [100, 106, 100, 106],
      [106, 106, 99, 99],
      [99, 99, 99, 99],
      [99, 99, 99, 99]
    ]
    const simulation = runOne({
      bars,
      long: [0],
      exits: { breakEven, stopLoss: fraction(0.05) },
      detail: [...still, ...back]
    })
    assert.strictEqual(simulation.closed[0]?.exitPrice, 100)
    assert.strictEqual(simulation.held.join(""), "010")
    // A later shorter candle opens beyond the stop.
    const gapped = runOne({
      bars: [flat, flat, [100, 106, 93, 99]],
      long: [0],
      exits: { stopLoss: fraction(0.05), takeProfit: fraction(0.05) },
      detail: [...still, ...still, [100, 100, 99, 99], [93, 106, 93, 99]]
    })
    assert.strictEqual(gapped.closed[0]?.exitPrice, 93)
    assert.strictEqual(gapped.held.join(""), "011")
  })

  it("counts a candle at whose close a position is opened or left", () => {
    const bars = flatBars(5)
    assert.strictEqual(heldIn({ bars, long: [1], exitLong: [3], fill: "close" }), "01110")
    assert.strictEqual(heldIn({ bars, long: [1], endOfData: "close" }), "00111")
    const two = runAll([{ bars: flatBars(3), long: [0] }, { bars }], { endOfData: "close" })
    assert.strictEqual(two.held.join(""), "01100")
  })

  it("counts a candle in which any of several markets has a position", () => {
    const bars = flatBars(5)
    const { held } = runAll([
      { bars, long: [0], exitLong: [1] },
      { bars, long: [2], exitLong: [3] }
    ])
    assert.strictEqual(held.join(""), "01010")
  })

  it("tells an exit that rests and fills inside a candle from one that the open has passed", () => {
    const seen = ([open, high]: readonly [number, number]): boolean => {
      const account = SimulatedAccount.open(1000, [freeMarket])
      const order: OrderRequest = {
        id: "in",
        side: 1,
        type: "market",
        leg: "entry",
        quantity: 1,
        limit: null,
        stop: null,
        expiresAfter: null,
        reason: "signal",
        attached: null
      }
      const show = (time: number, open: number, high: number) => {
        const candle = { market: 0, time, open, high, low: open, close: open }
        account.show([candle])
      }
      account.place(0, order)
      show(0, 100, 100)
      assert.isTrue(account.wasHeld)
      account.place(0, {
        ...order,
        id: "out",
        side: -1,
        type: "limit",
        leg: "exit",
        limit: 105
      })
      show(1, open, high)
      assert.isNull(account.book(0).position)
      return account.wasHeld
    }
    assert.isTrue(seen([104, 106]))
    assert.isFalse(seen([106, 106]))
  })
})
