/**
 * Aged targets, offsets of trailing stops and the candle of the entry: each option by hand.
 */
import { assert, describe, it } from "@effect/vitest"
import type { SignalOptions } from "../../src/kernel/signals/signalOptions.ts"
import type { SignalPrices } from "./signalCandles.ts"
import { runSignals } from "./signalCase.ts"

const hour = 3_600_000

/**
 * The exits of a position that is opened on the second candle, at its open unless told otherwise.
 */
const exitsOf = (
  prices: SignalPrices,
  options: Partial<SignalOptions>
): ReadonlyArray<readonly [index: number, price: number, reason: string]> => {
  const entries = "1".padEnd(prices.close.length, "0")
  const { trades } = runSignals({
    prices,
    entries,
    options: { size: 1, fillPrice: "next_open", stopBase: "fill_price", ...options }
  })
  return trades
    .filter(({ status }) => status === "closed")
    .map(({ exitIndex, exitPrice, exitReason }) => [exitIndex, exitPrice, exitReason])
}

/** Candles from rows of open, high, low and close; the first one is that of the signal. */
const candles = (
  ...rows: ReadonlyArray<readonly [o: number, h: number, l: number, c: number]>
): SignalPrices => {
  const all = [[100, 100, 100, 100] as const, ...rows]
  return {
    open: all.map(([open]) => open),
    high: all.map(([, high]) => high),
    low: all.map(([, , low]) => low),
    close: all.map(([, , , close]) => close)
  }
}

describe("targets that change with age, by hand", () => {
  const quiet = candles(
    [100, 102, 98, 100],
    [100, 108, 98, 100],
    [106, 107, 104, 106],
    [106, 106, 99, 99]
  )

  it("holds the last one whose time has come", () => {
    const at = (...targets: ReadonlyArray<readonly [hours: number, profit: number]>) =>
      exitsOf(quiet, {
        targets: targets.map(([hours, profit]) => ({ afterMs: hours * hour, profit }))
      })
    assert.deepStrictEqual(at([0, 0.08]), [[2, 108, "take_profit"]])
    assert.deepStrictEqual(at([0, 0.5], [2, 0.07]), [[3, 107, "take_profit"]])
    assert.deepStrictEqual(at([0, 0.5], [3, 0.05]), [[4, 106, "take_profit"]])
    assert.deepStrictEqual(at([2, 0.05]), [[3, 106, "take_profit"]])
    assert.deepStrictEqual(at([0, 0.5]), [])
    assert.deepStrictEqual(at(), [])
  })

  it("takes any price where the profit is -1", () => {
    const targets = [{ afterMs: 3 * hour, profit: -1 }]
    assert.deepStrictEqual(exitsOf(quiet, { targets }), [[4, 106, "take_profit"]])
    const short = { targets, direction: "short_only" as const }
    assert.deepStrictEqual(exitsOf(quiet, short), [[4, 106, "take_profit"]])
  })

  it("refuses targets that are not in order", () => {
    const targets = [
      { afterMs: hour, profit: 0.05 },
      { afterMs: 0, profit: 0.1 }
    ]
    assert.throws(
      () => exitsOf(quiet, { targets }),
      "not in ascending order of afterMs: 3600000, 0"
    )
  })

  it("counts in price where stops do, and is told of at the entry", () => {
    const targets = [{ afterMs: 0, profit: 8 }]
    const options: Partial<SignalOptions> = { targets, stopUnit: "distance" }
    assert.deepStrictEqual(exitsOf(quiet, options), [[2, 108, "take_profit"]])
    const whole = { size: 1, fillPrice: "next_open" as const, stopBase: "fill_price" as const }
    const { trades } = runSignals({
      prices: quiet,
      entries: "10000",
      options: { ...whole, ...options }
    })
    assert.strictEqual(trades[0]?.entryTarget, 108)
  })

  it("is reached by a touch, or only beyond", () => {
    const reach = (targetReach: "touch" | "beyond", profit: number) =>
      exitsOf(quiet, { takeProfit: profit, targetReach })
    assert.deepStrictEqual(reach("touch", 0.08), [[2, 108, "take_profit"]])
    assert.deepStrictEqual(reach("beyond", 0.08), [])
    assert.deepStrictEqual(reach("beyond", 0.075), [[2, 107.5, "take_profit"]])
  })

  it.each<[SignalOptions["gapFill"], number, number]>([
    ["open", 110, 110],
    ["level", 105, 105],
    // A target that begins with the candle meets its open; an older one would have filled before.
    ["inside", 108, 110]
  ])("fills beyond a gap at the %s", (gapFill, wanted, wantedNew) => {
    const gap = candles([100, 102, 98, 100], [110, 112, 108, 110])
    const aged = (afterMs: number) =>
      exitsOf(gap, { targets: [{ afterMs, profit: 0.05 }], gapFill })[0]
    assert.deepStrictEqual(aged(0), [2, wanted, "take_profit"])
    assert.deepStrictEqual(aged(hour), [2, wantedNew, "take_profit"])
  })
})

describe("stops beyond a gap, by hand", () => {
  it.each<[SignalOptions["gapFill"], number, number]>([
    ["open", 90, 90],
    ["level", 95, 95],
    ["inside", 95, 90]
  ])("fill at the %s", (gapFill, wanted, wantedBeyond) => {
    const stop = { stopLoss: 0.05, gapFill }
    const partly = candles([100, 102, 98, 100], [90, 96, 88, 90])
    const wholly = candles([100, 102, 98, 100], [90, 92, 88, 90])
    assert.deepStrictEqual(exitsOf(partly, stop), [[2, wanted, "stop_loss"]])
    assert.deepStrictEqual(exitsOf(wholly, stop), [[2, wantedBeyond, "stop_loss"]])
  })
})

describe("the candle of the entry, by hand", () => {
  const wild = candles([100, 110, 90, 100], [100, 101, 99, 100])
  const live = { stopsFrom: "entry_candle" as const }

  it("has stops and targets where it is told to", () => {
    assert.deepStrictEqual(exitsOf(wild, { stopLoss: 0.05 }), [])
    assert.deepStrictEqual(exitsOf(wild, { ...live, stopLoss: 0.05 }), [[1, 95, "stop_loss"]])
    assert.deepStrictEqual(exitsOf(wild, { ...live, takeProfit: 0.05 }), [[1, 105, "take_profit"]])
  })

  it("lets a stop trail to its level or only as far as it must", () => {
    const trails = { ...live, stopLoss: 0.125, trailing: "same_candle" as const }
    const worst = { ...trails, entryCandleTrail: "worst" as const }
    assert.deepStrictEqual(exitsOf(wild, trails), [[1, 96.25, "trailing_stop"]])
    assert.deepStrictEqual(exitsOf(wild, worst), [[1, 90, "trailing_stop"]])
    const offset = { trailingStart: "offset" as const, trailingOffset: 0.05 }
    assert.deepStrictEqual(exitsOf(wild, { ...worst, ...offset }), [[1, 92.5, "trailing_stop"]])
    const close = { ...worst, offsetDistance: 0.05 }
    assert.deepStrictEqual(exitsOf(wild, close), [[1, 95, "trailing_stop"]])
  })

  it("may leave out targets from before an entry with a limit", () => {
    const limited = { ...live, entryPrices: 95, takeProfit: 0.06 }
    const after = { ...limited, entryCandleTarget: "after_entry" as const }
    const fell = candles([104, 110, 90, 100])
    const rose = candles([98, 110, 90, 100])
    assert.deepStrictEqual(exitsOf(fell, limited), [[1, 100.7, "take_profit"]])
    assert.deepStrictEqual(exitsOf(fell, after), [])
    assert.deepStrictEqual(exitsOf(rose, after), [[1, 100.7, "take_profit"]])
    assert.deepStrictEqual(exitsOf(fell, { ...after, takeProfit: 0.05 }), [
      [1, 99.75, "take_profit"]
    ])
  })

  it("does not give a target the open that came before the entry", () => {
    const gap = { ...live, entryPrices: 95, takeProfit: 0.02 }
    assert.deepStrictEqual(exitsOf(candles([98, 99, 90, 98]), gap), [[1, 96.9, "take_profit"]])
  })
})

describe("trailing stops with an offset, by hand", () => {
  const rises = candles([100, 101, 100, 101], [101, 110, 104, 105], [105, 105, 98, 98])

  it("checks the candle that moved it where it is told to", () => {
    const stop = { stopLoss: 0.05 }
    assert.deepStrictEqual(exitsOf(rises, { ...stop, trailing: "extreme" }), [
      [3, 104.5, "trailing_stop"]
    ])
    assert.deepStrictEqual(exitsOf(rises, { ...stop, trailing: "same_candle" }), [
      [2, 104.5, "trailing_stop"]
    ])
    const worst = { trailing: "same_candle" as const, entryCandleTrail: "worst" as const }
    assert.deepStrictEqual(exitsOf(rises, { ...stop, ...worst }), [[2, 104.5, "trailing_stop"]])
    const short = { direction: "short_only" as const, ...stop, trailing: "same_candle" as const }
    const falls = candles([100, 100, 99, 99], [99, 96, 90, 91])
    assert.deepStrictEqual(exitsOf(falls, short), [[2, 94.5, "trailing_stop"]])
  })

  it("trails from the entry on, or only beyond the offset", () => {
    const stop = { stopLoss: 0.03, trailing: "extreme" as const }
    const fades = candles([100, 101, 100, 101], [101, 101.5, 99, 99], [99, 99, 90, 90])
    const offset = { ...stop, trailingStart: "offset" as const, trailingOffset: 0.02 }
    assert.strictEqual(exitsOf(fades, stop)[0]?.[2], "trailing_stop")
    assert.deepStrictEqual(exitsOf(fades, offset), [[3, 97, "stop_loss"]])
    assert.deepStrictEqual(exitsOf(fades, { ...offset, trailingOffset: 0.015 }), [
      [3, 97, "stop_loss"]
    ])
    assert.strictEqual(
      exitsOf(fades, { ...offset, trailingOffset: 0.014 })[0]?.[2],
      "trailing_stop"
    )
  })

  it("trails closer beyond the offset", () => {
    const stop = { stopLoss: 0.1, trailing: "extreme" as const, offsetDistance: 0.04 }
    assert.deepStrictEqual(exitsOf(rises, { ...stop, trailingOffset: 0.2 }), [
      [3, 99, "trailing_stop"]
    ])
    const [exit] = exitsOf(rises, { ...stop, trailingOffset: 0.05 })
    // Beyond the candle by its open: 105 is below the stop at 105.6.
    assert.deepStrictEqual(exit, [3, 105, "trailing_stop"])
    const inPrice = { ...stop, stopUnit: "distance" as const, stopLoss: 10, offsetDistance: 6 }
    assert.deepStrictEqual(exitsOf(rises, { ...inPrice, trailingOffset: 5 }), [
      [3, 104, "trailing_stop"]
    ])
  })
})

describe("a candle that touches stop and target, by hand", () => {
  const wild = candles([100, 101, 100, 101], [101, 102, 100, 101], [101, 120, 80, 100])

  it.each<[SignalOptions["exitPriority"], string, string]>([
    ["stop", "stop_loss", "trailing_stop"],
    ["target", "take_profit", "take_profit"],
    ["unmoved_stop", "stop_loss", "take_profit"]
  ])("counts the %s", (exitPriority, unmoved, moved) => {
    const options = { exitPriority, stopLoss: 0.1, takeProfit: 0.1 }
    const reason = (trailing: SignalOptions["trailing"]) =>
      exitsOf(wild, { ...options, trailing })[0]?.[2]
    assert.strictEqual(reason("none"), unmoved)
    assert.strictEqual(reason("extreme"), moved)
  })
})

describe("a position that is open at the end, by hand", () => {
  it("is told at the close or the open of the last candle", () => {
    const prices = candles([100, 110, 90, 105], [104, 110, 90, 95])
    const last = (endPrice: SignalOptions["endPrice"]) =>
      runSignals({ prices, entries: "100", options: { size: 1, endPrice } }).trades[0]?.exitPrice
    assert.deepStrictEqual([last("close"), last("open")], [95, 104])
  })
})
