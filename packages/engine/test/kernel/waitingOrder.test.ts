/**
 * Limit orders from signals: each option by hand.
 */
import { assert, describe, it } from "@effect/vitest"
import type { SignalOptions } from "../../src/kernel/signals/signalOptions.ts"
import type { SignalPrices } from "./signalCandles.ts"
import { ordersOf, runSignals as run } from "./signalCase.ts"

const hour = 3_600_000
const none = Number.NaN

/** Falls from 10 to 6, a unit on each candle, and each candle spans a unit each way. */
const falling: SignalPrices = {
  open: [10, 9, 8, 7, 6],
  high: [11, 10, 9, 8, 7],
  low: [9, 8, 7, 6, 5],
  close: [9, 8, 7, 6, 5]
}

const orders = (
  options: Partial<SignalOptions>,
  entries = "10000",
  exits = "00000",
  prices = falling
) =>
  ordersOf({
    prices,
    entries,
    exits,
    options: { size: 1, fillPrice: "next_open", ...options }
  })

describe("entries with a limit, by hand", () => {
  it("wait for their price", () => {
    assert.deepStrictEqual(orders({ entryPrices: 8.5 }), ["1 buy 1 @ 8.5"])
    assert.deepStrictEqual(orders({ entryPrices: 6.5 }), ["3 buy 1 @ 6.5"])
    assert.deepStrictEqual(orders({ entryPrices: 4.5 }), [])
    const short = { direction: "short_only" as const }
    assert.deepStrictEqual(orders({ ...short, entryPrices: 9.5 }), ["1 sell 1 @ 9.5"])
  })

  it("wait from the next candle on where signals fill at the close", () => {
    assert.deepStrictEqual(orders({ entryPrices: 9, fillPrice: "close" }), ["1 buy 1 @ 9"])
    assert.deepStrictEqual(orders({ entryPrices: 4, fillPrice: "close" }, "00001"), [])
  })

  it("have no limit where there is no number", () => {
    const entryPrices = [none, 1, 1, 1, 1]
    assert.deepStrictEqual(orders({ entryPrices }), ["1 buy 1 @ 9"])
    assert.deepStrictEqual(orders({ entryPrices }, "01000"), [])
  })

  it.each<[SignalOptions["gapFill"], string]>([
    ["open", "1 buy 1 @ 9"],
    ["level", "1 buy 1 @ 20"],
    ["inside", "1 buy 1 @ 10"]
  ])("fill a limit that the open has passed at the %s", (gapFill, wanted) => {
    assert.deepStrictEqual(orders({ entryPrices: 20, gapFill }), [wanted])
  })

  it("are not slipped", () => {
    assert.deepStrictEqual(orders({ entryPrices: 8.5, slippageRate: 0.1 }), ["1 buy 1 @ 8.5"])
  })

  it("leave other signals alone while they wait", () => {
    const entryPrices = [6.5, none, none, none, none]
    assert.deepStrictEqual(orders({ entryPrices }, "11000"), ["3 buy 1 @ 6.5"])
  })

  it("wait, move to the limit of the candle before, or end", () => {
    const entryPrices = [4, 7.5, none, 5.5, 4]
    const reprice = { entryPrices, unfilledEntry: "reprice" as const }
    assert.deepStrictEqual(orders({ entryPrices }), [])
    assert.deepStrictEqual(orders(reprice), ["2 buy 1 @ 7.5"])
    assert.deepStrictEqual(orders({ ...reprice, entryPrices: [4, 5, none, 5.5, 4] }), [
      "4 buy 1 @ 5.5"
    ])
    const cancel = { entryPrices: 6.5, unfilledEntry: "cancel" as const }
    assert.deepStrictEqual(orders(cancel), [])
    assert.deepStrictEqual(orders(cancel, "10100"), ["3 buy 1 @ 6.5"])
  })

  it("end when they are older than their time", () => {
    const limited = { entryPrices: 6.5 }
    assert.deepStrictEqual(orders({ ...limited, entryTimeoutMs: 2 * hour }), ["3 buy 1 @ 6.5"])
    assert.deepStrictEqual(orders({ ...limited, entryTimeoutMs: 2 * hour - 1 }), [])
    const moved = { entryPrices: [3, 4, 6.5, 4, 4], unfilledEntry: "reprice" as const }
    assert.deepStrictEqual(orders({ ...moved, entryTimeoutMs: hour }), ["3 buy 1 @ 6.5"])
  })

  it("tell from which candle on they could fill", () => {
    const told = (entryPrices: number | null, fillPrice: "close" | "next_open") => {
      const options = { size: 1, entryPrices, fillPrice }
      const { trades } = run({ prices: falling, entries: "10000", options })
      return trades.map(({ orderIndex, entryIndex }) => [orderIndex, entryIndex])
    }
    assert.deepStrictEqual(told(6.5, "next_open"), [[1, 3]])
    assert.deepStrictEqual(told(6.5, "close"), [[1, 3]])
    assert.deepStrictEqual(told(null, "next_open"), [[1, 1]])
    assert.deepStrictEqual(told(null, "close"), [[0, 0]])
  })
})

describe("exits with a limit, by hand", () => {
  const rising: SignalPrices = {
    open: [5, 6, 7, 8, 9],
    high: [6, 7, 8, 9, 10],
    low: [4, 5, 6, 7, 8],
    close: [6, 7, 8, 9, 10]
  }
  const exits = (options: Partial<SignalOptions>, entries = "10000", at = "01000") =>
    orders(options, entries, at, rising)

  it("wait for their price", () => {
    assert.deepStrictEqual(exits({ exitPrices: 9.5 }), ["1 buy 1 @ 6", "4 sell 1 @ 9.5"])
    assert.deepStrictEqual(exits({ exitPrices: 6 }), ["1 buy 1 @ 6", "2 sell 1 @ 7"])
    assert.deepStrictEqual(exits({ exitPrices: null }), ["1 buy 1 @ 6", "2 sell 1 @ 7"])
  })

  it("end when they are older than their time", () => {
    const limited = { exitPrices: 9.5 }
    assert.deepStrictEqual(exits({ ...limited, exitTimeoutMs: 2 * hour }), [
      "1 buy 1 @ 6",
      "4 sell 1 @ 9.5"
    ])
    assert.deepStrictEqual(exits({ ...limited, exitTimeoutMs: hour }), ["1 buy 1 @ 6"])
  })

  it("leave stops and time limits live, which end them", () => {
    const sold = (options: Partial<SignalOptions>, entries = "10000") =>
      orders({ exitPrices: 20, ...options }, entries, "01000")
    const stop = { stopLoss: 0.25, stopBase: "price" as const }
    assert.deepStrictEqual(sold(stop), ["1 buy 1 @ 9", "3 sell 1 @ 6.75"])
    assert.deepStrictEqual(sold({ timeLimit: 2 }), ["1 buy 1 @ 9", "4 sell 1 @ 6"])
    assert.deepStrictEqual(sold(stop, "10010")[2], "4 buy 1 @ 6")
  })

  it("do not hold up entries against the position", () => {
    const options = {
      direction: "both" as const,
      exitPrices: 20,
      entryPrices: [none, 20, 20, 20, 20]
    }
    assert.deepStrictEqual(exits(options), ["1 buy 1 @ 6", "2 sell 2 @ 7"])
  })
})
