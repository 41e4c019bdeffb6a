/**
 * Orders from signals: each option by hand.
 */
import { assert, describe, it } from "@effect/vitest"
import { type CandleColumns, makeColumns, sliceColumns } from "../../src/kernel/columns.ts"
import { makeRandom, type Random } from "../../src/kernel/random.ts"
import type { SignalOptions } from "../../src/kernel/signals/signalOptions.ts"
import { simulateEntriesAndExits } from "../../src/kernel/signals/simulateEntriesAndExits.ts"
import { signalCandles, type SignalPrices } from "./signalCandles.ts"
import { ordersOf, runSignals as run, toldOrder } from "./signalCase.ts"

const rising: SignalPrices = { close: [1, 2, 3, 4, 5] }
const falling: SignalPrices = { close: [5, 4, 3, 2, 1] }
const one = { size: 1 }
const noNumbers = [Number.NaN, Number.NaN, Number.NaN, Number.NaN, Number.NaN]

describe("orders from signals, by hand", () => {
  it("buys with all cash and sells all of it, at the close", () => {
    const result = run({ prices: rising, entries: "01000", exits: "00010" })
    assert.deepStrictEqual(result.orders.map(toldOrder), ["1 buy 50 @ 2", "3 sell 50 @ 4"])
    assert.deepStrictEqual(result.equity, Float64Array.of(100, 100, 150, 200, 200))
    assert.deepStrictEqual(result.position, Float64Array.of(0, 50, 50, 0, 0))
    assert.deepStrictEqual(result.cash, Float64Array.of(100, 0, 0, 200, 200))
    const [trade] = result.trades
    assert.deepInclude(trade, { status: "closed", pnl: 100, returnRate: 1, exitReason: "signal" })
  })

  it("reports a position that is open at the end at the last close", () => {
    const { trades } = run({ prices: rising, entries: "01000", options: { ...one, feePerFill: 1 } })
    assert.lengthOf(trades, 1)
    const { status, exitIndex, exitPrice, pnl, exitReason } = trades[0] ?? {}
    const seen = [status, exitIndex, exitPrice, pnl, exitReason]
    assert.deepStrictEqual(seen, ["open", 4, 5, 2, "end_of_data"])
  })

  it("refuses an array that has not one value for each candle", () => {
    const options = { stopLoss: [0.1] }
    assert.throws(() => run({ prices: rising, entries: "010" }), "entries has 3 values for 5")
    assert.throws(() => run({ prices: rising, entries: "00000", options }), "stopLoss has 1 values")
  })

  it("has nothing of no candles", () => {
    const { orders, equity } = simulateEntriesAndExits(makeColumns(0), { entries: [], exits: [] })
    assert.deepStrictEqual([orders.length, equity.length], [0, 0])
  })

  it.each<[Partial<SignalOptions>, ReadonlyArray<string>]>([
    [{ direction: "long_only" }, ["0 buy 1 @ 1", "3 sell 1 @ 4"]],
    [{ direction: "short_only" }, ["0 sell 1 @ 1", "3 buy 1 @ 4"]],
    [{ direction: "both" }, ["0 buy 1 @ 1", "3 sell 2 @ 4"]]
  ])("trades the direction of %o", (options, wanted) => {
    const signals = { entries: "11100", exits: "00011" }
    assert.deepStrictEqual(
      ordersOf({ prices: rising, ...signals, options: { ...one, ...options } }),
      wanted
    )
  })

  it("trades shorts on signals of their own", () => {
    const signals = { entries: "00100", exits: "00010", shortEntries: "10000" }
    assert.deepStrictEqual(ordersOf({ prices: rising, ...signals, options: one }), [
      "0 sell 1 @ 1",
      "2 buy 2 @ 3",
      "3 sell 1 @ 4"
    ])
  })

  it.each<[Partial<SignalOptions>, string]>([
    [{ sizeType: "quantity", size: 3 }, "1 buy 3 @ 2"],
    [{ sizeType: "notional", size: 3 }, "1 buy 1.5 @ 2"],
    [{ sizeType: "notional", size: 3, valuePrice: [1, 3, 1, 1, 1] }, "1 buy 1 @ 2"],
    [{ sizeType: "percent", size: 0.25 }, "1 buy 12.5 @ 2"],
    [{ sizeType: "percent", size: 0.25, feeRate: 0.25 }, "1 buy 10 @ 2 - 5"],
    [{ size: [1, 2, 3, 4, 5] }, "1 buy 2 @ 2"],
    [{ size: 2.7, lot: 0.5 }, "1 buy 2.5 @ 2"],
    [{ size: 1000 }, "1 buy 50 @ 2"],
    [{ size: 9, quantityMax: 5 }, "1 buy 5 @ 2"],
    [{ size: Infinity, feePerFill: 10 }, "1 buy 45 @ 2 - 10"]
  ])("sizes an entry by %o", (options, wanted) => {
    assert.deepStrictEqual(ordersOf({ prices: rising, entries: "01000", options }), [wanted])
  })

  it.each<[string, Partial<SignalOptions>]>([
    ["is too small", { size: 1, quantityMin: 2 }],
    ["is too large and may not be cut", { size: 3, quantityMax: 2, canFillPartly: false }],
    ["can't be paid and may not be cut", { size: 1000, canFillPartly: false }],
    ["has no size", { size: Number.NaN }],
    ["has no price", { fillPrice: noNumbers }],
    ["has no cash", { capital: 0 }]
  ])("drops an order that %s", (_, options) => {
    assert.deepStrictEqual(ordersOf({ prices: rising, entries: "01000", options }), [])
  })

  it("binds twice the proceeds of a short before it adds to it", () => {
    const options: Partial<SignalOptions> = {
      direction: "short_only",
      sizeType: "percent",
      size: 0.5,
      accumulation: "both"
    }
    // 100 + 50 of the short, less 2 * 50: 50 are free, half of which is 12.5 at 2.
    const wanted = ["0 sell 50 @ 1", "1 sell 12.5 @ 2"]
    assert.deepStrictEqual(ordersOf({ prices: rising, entries: "11000", options }), wanted)
  })

  it("turns a position with all of what closing it leaves", () => {
    const options: Partial<SignalOptions> = { direction: "both", feeRate: 0.25, feePerFill: 4 }
    const { orders } = run({ prices: rising, entries: "10000", exits: "00010", options })
    // 96 / 1.25 at 1; sold at 4 they leave 307.2 * 0.75 - 4, which is 226.4 / 5 of a short.
    assert.strictEqual(orders[0]?.quantity, 76.8)
    assert.closeTo(orders[1]?.quantity ?? 0, 76.8 + 226.4 / 5, 1e-12)
  })

  const jumping: SignalPrices = { close: [1, 2, 3, 4, 5], open: [1.5, 2.5, 3.5, 4.5, 5.5] }

  it.each<[SignalOptions["fillPrice"], ReadonlyArray<string>]>([
    ["close", ["1 buy 1 @ 2", "3 sell 1 @ 4"]],
    ["previous_close", ["1 buy 1 @ 1", "3 sell 1 @ 3"]],
    ["next_open", ["2 buy 1 @ 3.5", "4 sell 1 @ 5.5"]],
    [
      [9, 8, 7, 6, 5],
      ["1 buy 1 @ 8", "3 sell 1 @ 6"]
    ]
  ])("fills at %s", (fillPrice, wanted) => {
    const signals = { entries: "01000", exits: "00010" }
    const options = { ...one, fillPrice }
    assert.deepStrictEqual(ordersOf({ prices: jumping, ...signals, options }), wanted)
  })

  it("charges fees and slippage on both sides", () => {
    const options = { ...one, feeRate: 0.5, feePerFill: 2, slippageRate: 0.25 }
    const signals = { entries: "10000", exits: "00010" }
    assert.deepStrictEqual(ordersOf({ prices: rising, ...signals, options }), [
      "0 buy 1 @ 1.25 - 2.625",
      "3 sell 1 @ 3 - 3.5"
    ])
  })

  it("rounds fills and levels to the tick", () => {
    const options = { ...one, tick: 0.5, slippageRate: 0.1, stopLoss: 0.3 }
    // 5 * 1.1 and 5 * 0.7, rounded.
    assert.deepStrictEqual(ordersOf({ prices: falling, entries: "10000", options }), [
      "0 buy 1 @ 5.5",
      "2 sell 1 @ 3"
    ])
    assert.strictEqual(
      run({ prices: falling, entries: "10000", options }).trades[0]?.entryStop,
      3.5
    )
  })

  it.each<[SignalOptions["accumulation"], ReadonlyArray<string>]>([
    ["none", ["0 buy 1 @ 1", "3 sell 1 @ 4"]],
    ["both", ["0 buy 1 @ 1", "1 buy 1 @ 2", "3 sell 1 @ 4", "4 sell 1 @ 5"]],
    ["add_only", ["0 buy 1 @ 1", "1 buy 1 @ 2", "3 sell 2 @ 4"]],
    ["remove_only", ["0 buy 1 @ 1", "3 sell 1 @ 4"]]
  ])("accumulates by the rule %s", (accumulation, wanted) => {
    const signals = { entries: "11000", exits: "00011" }
    const options = { ...one, accumulation }
    assert.deepStrictEqual(ordersOf({ prices: rising, ...signals, options }), wanted)
  })

  it.each<[SignalOptions["longConflict"], ReadonlyArray<string>]>([
    ["ignore", ["1 buy 1 @ 2"]],
    ["entry", ["0 buy 1 @ 1", "1 buy 1 @ 2", "2 buy 1 @ 3"]],
    ["exit", ["1 buy 1 @ 2", "2 sell 1 @ 3"]],
    ["adjacent", ["1 buy 1 @ 2", "2 buy 1 @ 3"]],
    ["opposite", ["1 buy 1 @ 2", "2 sell 1 @ 3"]]
  ])("keeps of an entry and an exit at once by the rule %s", (rule, wanted) => {
    const options = { ...one, accumulation: "both" as const, longConflict: rule }
    const signals = { entries: "11100", exits: "10100" }
    assert.deepStrictEqual(ordersOf({ prices: rising, ...signals, options }), wanted)
    const short = { ...options, direction: "short_only" as const, shortConflict: rule }
    const mirrored = wanted.map((order) =>
      order.includes("buy") ? order.replace("buy", "sell") : order.replace("sell", "buy")
    )
    assert.deepStrictEqual(ordersOf({ prices: rising, ...signals, options: short }), mirrored)
  })

  it.each<[SignalOptions["directionConflict"], ReadonlyArray<string>]>([
    ["ignore", ["1 buy 1 @ 2"]],
    ["long", ["0 buy 1 @ 1"]],
    ["short", ["0 sell 1 @ 1", "1 buy 2 @ 2", "2 sell 2 @ 3"]],
    ["adjacent", ["1 buy 1 @ 2"]],
    ["opposite", ["1 buy 1 @ 2", "2 sell 2 @ 3"]]
  ])("keeps of entries both ways at once by the rule %s", (directionConflict, wanted) => {
    const options = { ...one, direction: "both" as const, directionConflict }
    const signals = { entries: "11100", exits: "10100" }
    assert.deepStrictEqual(ordersOf({ prices: rising, ...signals, options }), wanted)
  })

  it.each<[SignalOptions["oppositeEntry"], string | undefined, string | undefined]>([
    ["ignore", undefined, undefined],
    ["close", "2 sell 3 @ 3", "2 sell 3 @ 3"],
    ["close_reduce", "2 sell 3 @ 3", "2 sell 3 @ 3"],
    ["reverse", "2 sell 8 @ 3", "2 sell 8 @ 3"],
    ["reverse_reduce", "2 sell 8 @ 3", "2 sell 5 @ 3"]
  ])("meets an entry against the position by the rule %s", (oppositeEntry, plain, removing) => {
    const at = (accumulation: SignalOptions["accumulation"]) =>
      ordersOf({
        prices: rising,
        entries: "10000",
        exits: "00100",
        // Five against a position of three.
        options: { direction: "both", size: [3, 0, 5, 0, 0], oppositeEntry, accumulation }
      })[1]
    assert.deepStrictEqual([at("none"), at("remove_only")], [plain, removing])
  })

  it("takes no more off a position than a reduction says", () => {
    const options: Partial<SignalOptions> = {
      direction: "both",
      size: [3, 0, 2, 0, 0],
      oppositeEntry: "close_reduce",
      accumulation: "remove_only"
    }
    const { orders, trades } = run({ prices: rising, entries: "10000", exits: "00100", options })
    assert.deepStrictEqual(orders.map(toldOrder), ["0 buy 3 @ 1", "2 sell 2 @ 3"])
    assert.deepStrictEqual(
      trades.map(({ status, quantity, pnl }) => [status, quantity, pnl]),
      [
        ["closed", 2, 4],
        ["open", 1, 4]
      ]
    )
  })
})

const candleCount = 120

const randomCandles = ({ normal, next }: Random): CandleColumns => {
  const open: Array<number> = [100]
  const close = Array.from({ length: candleCount }, (_, index) => {
    const last = (open[index] ?? 100) * (1 + 0.02 * normal())
    open.push(last * (1 + 0.005 * normal()))
    return last
  })
  open.pop()
  const high = close.map((last, index) => Math.max(last, open[index] ?? last) * (1 + 0.01 * next()))
  const low = close.map((last, index) => Math.min(last, open[index] ?? last) * (1 - 0.01 * next()))
  return signalCandles({ open, high, low, close })
}

const agedTargets = [
  { afterMs: 7_200_000, profit: 0.01 },
  { afterMs: 18_000_000, profit: -1 }
]

const randomOptions = ({ pick }: Random): Partial<SignalOptions> => ({
  direction: pick(["long_only", "short_only", "both"]),
  size: pick([1, 0.5, Infinity]),
  sizeType: pick(["quantity", "notional", "percent"]),
  fillPrice: pick(["close", "previous_close", "next_open"]),
  accumulation: pick(["none", "both", "add_only", "remove_only"]),
  longConflict: pick(["ignore", "entry", "exit", "adjacent", "opposite"]),
  oppositeEntry: pick(["ignore", "close", "close_reduce", "reverse", "reverse_reduce"]),
  stopExit: pick(["close", "close_reduce", "reverse", "reverse_reduce"]),
  stopUpdate: pick(["keep", "replace", "replace_or_remove"]),
  stopLoss: pick([0.01, 0.03, null]),
  takeProfit: pick([0.02, 0.04, null]),
  targets: pick([null, [{ afterMs: 0, profit: 0.05 }, ...agedTargets]]),
  targetReach: pick(["touch", "beyond"]),
  trailing: pick(["none", "extreme", "close", "same_candle"]),
  trailingStart: pick(["entry", "offset"]),
  trailingOffset: pick([0, 0.02]),
  offsetDistance: pick([null, 0.01]),
  stopsFrom: pick(["next_candle", "entry_candle"]),
  entryCandleTrail: pick(["level", "worst"]),
  entryCandleTarget: pick(["anywhere", "after_entry"]),
  exitPriority: pick(["stop", "target", "unmoved_stop"]),
  gapFill: pick(["open", "level", "inside"]),
  entryPrices: pick([null, 99, 101]),
  exitPrices: pick([null, 99, 101]),
  unfilledEntry: pick(["wait", "reprice", "cancel"]),
  entryTimeoutMs: pick([Infinity, 7_200_000]),
  exitTimeoutMs: pick([Infinity, 7_200_000]),
  feeRate: pick([0, 0.001]),
  feePerFill: pick([0, 0.5]),
  slippageRate: pick([0, 0.002]),
  holdMin: pick([0, 2]),
  timeLimit: pick([null, 5]),
  cooldown: pick([0, 3])
})

describe("under any options", () => {
  const subjects = Array.from({ length: 300 }, (_, nth) => {
    const random = makeRandom(`signals ${nth}`)
    const candles = randomCandles(random)
    const series = () => Uint8Array.from(candles.close, () => Number(random.next() < 0.2))
    const signals = { entries: series(), exits: series() }
    return { candles, signals, options: randomOptions(random) }
  })

  it("earns in trades what equity gains", () => {
    let traded = 0
    for (const { candles, signals, options } of subjects) {
      const { equity, trades, orders } = simulateEntriesAndExits(candles, signals, options)
      const earned = trades.reduce((sum, { pnl }) => sum + pnl, 0)
      const gained = (equity.at(-1) ?? Number.NaN) - 10_000
      assert.closeTo(earned, gained, 1e-6, JSON.stringify(options))
      if (orders.length > 0) traded++
    }
    // Orders that wait for a price may never see it.
    assert.isAbove(traded, 0.95 * subjects.length)
  })

  it("does not know what comes", () => {
    for (const { candles, signals, options } of subjects) {
      const whole = simulateEntriesAndExits(candles, signals, options)
      const end = 70
      const first = simulateEntriesAndExits(
        sliceColumns(candles, 0, end),
        { entries: signals.entries.subarray(0, end), exits: signals.exits.subarray(0, end) },
        options
      )
      const known = whole.orders.filter(({ index }) => index < end)
      assert.deepStrictEqual(first.orders, known, JSON.stringify(options))
      assert.deepStrictEqual(first.equity, whole.equity.subarray(0, end))
    }
  })
})
