/**
 * Stops of positions from signals, and how long those are held: each option by hand.
 */
import { assert, describe, it } from "@effect/vitest"
import type { SignalOptions } from "../../src/kernel/signals/signalOptions.ts"
import type { SignalPrices } from "./signalCandles.ts"
import { ordersOf, runSignals as run } from "./signalCase.ts"

const rising: SignalPrices = { close: [1, 2, 3, 4, 5] }
const falling: SignalPrices = { close: [5, 4, 3, 2, 1] }
const one = { size: 1 }
const noNumbers = [Number.NaN, Number.NaN, Number.NaN, Number.NaN, Number.NaN]

describe("stops of positions from signals, by hand", () => {
  const entered = "10000"
  /** Bought at 10; the second candle opens at 9 and spans 7 to 13. */
  const wild: SignalPrices = {
    close: [10, 10, 10, 10, 10],
    open: [10, 9, 10, 10, 10],
    high: [11, 13, 10, 10, 10],
    low: [9, 7, 10, 10, 10]
  }
  const exitOf = (prices: SignalPrices, options: Partial<SignalOptions>, entries = entered) =>
    ordersOf({ prices, entries, options: { ...one, ...options } })[1]

  it("stops at the level, or at an open beyond it unless told otherwise", () => {
    assert.strictEqual(exitOf(wild, { stopLoss: 0.2 }), "1 sell 1 @ 8")
    assert.strictEqual(exitOf(wild, { stopLoss: 0.05 }), "1 sell 1 @ 9")
    assert.strictEqual(exitOf(wild, { stopLoss: 0.05, gapFill: "level" }), "1 sell 1 @ 9.5")
  })

  it("takes profit at the level, or at an open beyond it unless told otherwise", () => {
    const short = { direction: "short_only" as const }
    assert.strictEqual(exitOf(wild, { takeProfit: 0.25 }), "1 sell 1 @ 12.5")
    assert.strictEqual(exitOf(wild, { ...short, takeProfit: 0.05 }), "1 buy 1 @ 9")
    const level = { ...short, takeProfit: 0.05, gapFill: "level" as const }
    assert.strictEqual(exitOf(wild, level), "1 buy 1 @ 9.5")
  })

  it("counts the stop where a candle touches stop and target", () => {
    const { trades } = run({
      prices: wild,
      entries: entered,
      options: { ...one, stopLoss: 0.25, takeProfit: 0.25 }
    })
    const levels = { entryStop: 7.5, entryTarget: 12.5 }
    assert.deepInclude(trades[0], { exitPrice: 7.5, exitReason: "stop_loss", ...levels })
  })

  it("has no stop on the candle of the fill", () => {
    assert.isUndefined(exitOf(wild, { stopLoss: 0.15 }, "01000"))
    const open = { fillPrice: "next_open" as const, stopLoss: 0.15 }
    assert.isUndefined(exitOf(wild, open, entered))
  })

  it("measures in fractions or in price", () => {
    assert.strictEqual(exitOf(wild, { stopLoss: 2.5, stopUnit: "distance" }), "1 sell 1 @ 7.5")
    assert.isUndefined(exitOf(wild, { stopLoss: null }))
    assert.isUndefined(exitOf(wild, { stopLoss: noNumbers }))
  })

  it.each<[SignalOptions["stopBase"], number]>([
    ["close", 5],
    ["price", 6],
    ["fill_price", 9],
    ["value_price", 8]
  ])("measures stops from the %s", (stopBase, base) => {
    const { trades } = run({
      prices: rising,
      entries: "00001",
      options: {
        ...one,
        stopBase,
        stopLoss: 0.5,
        fillPrice: [6, 6, 6, 6, 6],
        valuePrice: [8, 8, 8, 8, 8],
        slippageRate: 0.5
      }
    })
    assert.strictEqual(trades[0]?.entryStop, base / 2)
  })

  it.each<[SignalOptions["stopFillPrice"], number]>([
    ["stop_limit", 8],
    ["stop_market", 6],
    ["close", 7.5],
    ["price", 15]
  ])("fills a stop at the %s", (stopFillPrice, price) => {
    const fillPrice = [20, 20, 20, 20, 20]
    const options = { stopLoss: 0.2, stopFillPrice, fillPrice, slippageRate: 0.25 }
    assert.strictEqual(exitOf(wild, options), `1 sell 1 @ ${price}`)
  })

  /** Bought at 10; rises to 20 inside a candle that closes at 15, then falls. */
  const peaked: SignalPrices = {
    close: [10, 15, 14, 9, 8],
    open: [10, 12, 15, 14, 9],
    high: [10, 20, 15, 14, 9],
    low: [10, 12, 14, 9, 8]
  }

  it("trails by the best price, by the close, or not at all", () => {
    assert.strictEqual(exitOf(peaked, { stopLoss: 0.2 }), "4 sell 1 @ 8")
    assert.strictEqual(exitOf(peaked, { stopLoss: 0.2, trailing: "extreme" }), "2 sell 1 @ 15")
    assert.strictEqual(exitOf(peaked, { stopLoss: 0.2, trailing: "close" }), "3 sell 1 @ 12")
    const { orders } = run({
      prices: peaked,
      entries: entered,
      options: { ...one, stopLoss: 0.2, trailing: "extreme" }
    })
    assert.strictEqual(orders[1]?.reason, "trailing_stop")
  })

  it("trails at the distance of the entry, or of each candle", () => {
    const stops = { stopLoss: [0.2, 0.1, 0.1, 0.1, 0.1], trailing: "close" as const }
    assert.strictEqual(exitOf(peaked, stops), "3 sell 1 @ 12")
    const each = { ...stops, trailingDistance: "each_candle" as const }
    assert.strictEqual(exitOf(peaked, each), "3 sell 1 @ 13.5")
  })

  it.each<[SignalOptions["stopExit"], string, string]>([
    ["close", "1 sell 3 @ 4", "1 sell 3 @ 4"],
    ["close_reduce", "1 sell 3 @ 4", "1 sell 2 @ 4"],
    ["reverse", "1 sell 5 @ 4", "1 sell 5 @ 4"],
    ["reverse_reduce", "1 sell 5 @ 4", "1 sell 2 @ 4"]
  ])("leaves at a stop by the rule %s", (stopExit, plain, removing) => {
    const base = { direction: "both" as const, size: [3, 2, 0, 0, 0], stopLoss: 0.1, stopExit }
    const at = (accumulation: SignalOptions["accumulation"]) =>
      exitOf(falling, { ...base, accumulation })
    assert.deepStrictEqual([at("none"), at("remove_only")], [plain, removing])
  })

  it("does not turn at a stop where only one direction is traded", () => {
    const stops = { stopLoss: 0.1, stopExit: "reverse" as const }
    assert.strictEqual(exitOf(falling, stops), "1 sell 1 @ 4")
    assert.strictEqual(exitOf(falling, { ...stops, direction: "both" }), "1 sell 2 @ 4")
  })

  it("does not heed the signals of a candle on which a stop fills", () => {
    const options = { ...one, stopLoss: 0.1 }
    assert.deepStrictEqual(ordersOf({ prices: falling, entries: "11100", options }), [
      "0 buy 1 @ 5",
      "1 sell 1 @ 4",
      "2 buy 1 @ 3",
      "3 sell 1 @ 2"
    ])
  })

  it.each<[SignalOptions["stopUpdate"], ReadonlyArray<number>, string | undefined]>([
    ["keep", [0.4, 0.4], "2 sell 2 @ 3"],
    ["replace", [0.4, 0.4], "3 sell 2 @ 2"],
    ["replace", [0.4, Number.NaN], "2 sell 2 @ 3"],
    ["replace_or_remove", [0.4, Number.NaN], undefined]
  ])("updates stops by the rule %s with %o", (stopUpdate, stops, wanted) => {
    const none = Number.NaN
    const stopLoss = [...stops, none, none, none]
    const options = { ...one, accumulation: "both" as const, stopLoss, stopUpdate }
    assert.strictEqual(ordersOf({ prices: falling, entries: "11000", options })[2], wanted)
  })

  it("holds the old stop on the candle at whose open a position is added to", () => {
    const options: Partial<SignalOptions> = {
      ...one,
      fillPrice: "next_open",
      accumulation: "add_only",
      stopLoss: 0.2
    }
    // Entered at the open of the second candle; added to at that of the third, which hits 8.
    const prices = { ...wild, low: [10, 10, 7, 10, 10], open: [10, 10, 10, 10, 10] }
    assert.deepStrictEqual(ordersOf({ prices, entries: "11000", options }), [
      "1 buy 1 @ 10",
      "2 buy 1 @ 10",
      "2 sell 2 @ 8"
    ])
  })

  it("holds a position at least, and at most, as long as it is told", () => {
    const signals = { entries: "10000", exits: "01010" }
    const held = (options: Partial<SignalOptions>) =>
      run({ prices: rising, ...signals, options: { ...one, ...options } }).orders.map(
        ({ index, reason }) => `${index} ${reason}`
      )[1]
    assert.strictEqual(held({}), "1 signal")
    assert.strictEqual(held({ holdMin: 2 }), "3 signal")
    assert.strictEqual(held({ holdMin: 2, timeLimit: 2 }), "2 time_limit")
    assert.strictEqual(held({ holdMin: 2, fillPrice: "next_open" }), "4 signal")
  })

  it("does not enter while it cools down", () => {
    const signals = { entries: "10111", exits: "01000" }
    const entries = (cooldown: number) =>
      run({ prices: rising, ...signals, options: { ...one, cooldown } }).orders.map(
        ({ index }) => index
      )
    assert.deepStrictEqual(entries(0), [0, 1, 2])
    assert.deepStrictEqual(entries(1), [0, 1, 2])
    assert.deepStrictEqual(entries(3), [0, 1, 4])
  })

  it("closes instead of turning where an exit is followed by a cooldown", () => {
    const options = { ...one, direction: "both" as const, cooldown: 1 }
    const signals = { entries: "10000", exits: "01000" }
    assert.deepStrictEqual(ordersOf({ prices: rising, ...signals, options }), [
      "0 buy 1 @ 1",
      "1 sell 1 @ 2"
    ])
  })
})
