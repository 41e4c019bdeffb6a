/**
 * Traps of backtesting engines: when equity is gone, and what comes before that.
 */
import { assert, describe, it } from "@effect/vitest"
import type { AttachedExits } from "../../src/kernel/protection.ts"
import { type Bar, exitsOf, flatBars, fraction, hourMs, runOne } from "./scripted.ts"

const flat: Bar = [100, 100, 100, 100]

describe("liquidation", () => {
  // Ten times the equity of 10 in one unit at 100: equity is gone at 90.
  const geared = { long: [0], capital: 10, spec: { leverage: 10 } } as const

  /** How the third candle closes a position that is geared tenfold; a short is its mirror. */
  const closedBy = (bar: Bar, exits: Partial<AttachedExits>, detail?: ReadonlyArray<Bar>) => {
    const mirrored = ([open, high, low, close]: Bar): Bar => [
      200 - open,
      200 - low,
      200 - high,
      200 - close
    ]
    const both = [1, -1].map((direction) => {
      const turned = direction === 1 ? (one: Bar) => one : mirrored
      const { ambiguousCount, closed } = runOne({
        bars: [flat, flat, turned(bar)],
        ...(direction === 1 ? { long: [0] } : { short: [0] }),
        capital: 10,
        exits,
        spec: { leverage: 10 },
        ...(detail && { detail: detail.map(turned) })
      })
      assert.lengthOf(closed, 1)
      const only = closed[0]!
      assert.strictEqual(only.isAmbiguous, ambiguousCount === 1)
      const price = direction === 1 ? only.exitPrice : 200 - only.exitPrice
      const { bestPathPnl, exitReason, pnl, worstPathPnl } = only
      assert.strictEqual(worstPathPnl, pnl)
      return [exitReason, price, ambiguousCount, bestPathPnl] as const
    })
    assert.deepStrictEqual(both[1], both[0])
    return both[0]
  }
  const near = { stopLoss: fraction(0.02) }

  it("trap 23: a candle that touches a stop only is stopped, for certain", () => {
    assert.deepStrictEqual(closedBy([100, 101, 91, 95], near), ["stop_loss", 98, 0, -2])
  })

  it("trap 23: of that price and a nearer stop in one candle, liquidation counts, in doubt", () => {
    assert.deepStrictEqual(closedBy([100, 101, 90, 95], near), ["liquidation", 90, 1, -2])
    const farther = { stopLoss: fraction(0.15) }
    assert.deepStrictEqual(closedBy([100, 101, 80, 95], farther), ["liquidation", 90, 0, -10])
    const same = { stopLoss: fraction(0.1) }
    assert.deepStrictEqual(closedBy([100, 101, 80, 95], same), ["liquidation", 90, 0, -10])
    // The level that the candle raised first, and a target on the way, are paths as well.
    const trailing = {
      trailingStop: { distance: { kind: "distance", value: 10 }, activation: null }
    } as const
    assert.deepStrictEqual(closedBy([100, 101, 80, 95], trailing), ["liquidation", 90, 1, -9])
    const taken = { ...near, takeProfit: fraction(0.05) }
    assert.deepStrictEqual(closedBy([100, 105, 90, 95], taken), ["liquidation", 90, 1, 5])
  })

  it("trap 23: a long without leverage is liquidated once funding has taken its equity", () => {
    const { closed, ledger } = runOne({
      bars: [flat, flat, flat, [100, 100, 50, 100], flat],
      long: [0],
      capital: 100,
      spec: { leverage: 1, funding: { rate: 0.4, intervalMs: hourMs } }
    })
    assert.deepStrictEqual(
      closed.map(({ exitIndex, exitPrice, exitReason }) => [exitIndex, exitPrice, exitReason]),
      [[3, 80, "liquidation"]]
    )
    assert.strictEqual(ledger.cash, 0)
  })

  it("trap 23: the best path of a liquidation leaves at the stop as it slips and costs", () => {
    const { closed } = runOne({
      bars: [flat, flat, [100, 101, 85, 95]],
      long: [0],
      capital: 12,
      exits: near,
      spec: { leverage: 10, slippageRate: 0.001, feePerFill: 0.5 }
    })
    assert.strictEqual(closed[0]?.exitReason, "liquidation")
    assert.closeTo(closed[0]?.bestPathPnl ?? 0, 100.1 * 0.98 * 0.999 - 100.1 - 1, 1e-9)
  })

  it("trap 23: what the open has passed comes first: the stop, or equity that is gone", () => {
    assert.deepStrictEqual(closedBy([96, 97, 90, 95], near), ["stop_loss", 96, 0, -4])
    assert.deepStrictEqual(closedBy([96, 110, 80, 95], near), ["stop_loss", 96, 0, -4])
    assert.deepStrictEqual(closedBy([89, 97, 85, 95], near), ["liquidation", 89, 0, -11])
  })

  it("trap 23: shorter candles tell whether the stop or that price was touched first", () => {
    const bar: Bar = [100, 106, 88, 90]
    const still = flatBars(8)
    const inside = (...detail: ReadonlyArray<Bar>) => [...still, ...detail]
    const rest: Bar = [90, 90, 90, 90]
    const stopped = inside([100, 100, 97, 97], [97, 106, 97, 97], [97, 97, 88, 90], rest)
    assert.deepStrictEqual(closedBy(bar, near, stopped), ["stop_loss", 98, 0, -2])
    const gapped = inside([100, 106, 99, 99], [95, 95, 88, 90], rest, rest)
    assert.deepStrictEqual(closedBy(bar, near, gapped), ["stop_loss", 95, 0, -5])
    const atOnce = inside([100, 106, 99, 99], [99, 99, 88, 90], rest, rest)
    assert.deepStrictEqual(closedBy(bar, near, atOnce), ["liquidation", 90, 1, -2])
    const beyond = inside([100, 106, 99, 99], [88, 88, 88, 88], rest, rest)
    assert.deepStrictEqual(closedBy(bar, near, beyond), ["liquidation", 88, 0, -12])
    const target = { takeProfit: fraction(0.05) }
    const rising = inside([100, 106, 99, 99], [99, 99, 88, 90], rest, rest)
    assert.deepStrictEqual(closedBy(bar, target, rising), ["take_profit", 105, 0, 5])
    // Shorter candles that are not there say nothing.
    assert.deepStrictEqual(closedBy(bar, near, inside()), ["liquidation", 90, 1, -2])
  })

  it("trap 23: a stop that lies beyond the price at which equity is gone is never reached", () => {
    const bars: ReadonlyArray<Bar> = [flat, flat, [100, 101, 80, 85]]
    const liquidated = runOne({ ...geared, bars, exits: { stopLoss: fraction(0.15) } })
    assert.deepStrictEqual(exitsOf(liquidated), [[2, 90, "liquidation"]])
    assert.closeTo(liquidated.ledger.cash, 0, 1e-9)
    const short = runOne({
      bars: [flat, flat, [100, 300, 100, 300]],
      short: [0],
      capital: 100,
      exits: { stopLoss: fraction(1.5) }
    })
    assert.deepStrictEqual(exitsOf(short), [[2, 200, "liquidation"]])
  })

  it("trap 23: a stop that is touched short of that price fills as anywhere else", () => {
    const bars: ReadonlyArray<Bar> = [flat, flat, [100, 101, 94, 99]]
    const stopped = runOne({ ...geared, bars, exits: { stopLoss: fraction(0.05) } })
    assert.deepStrictEqual(exitsOf(stopped), [[2, 95, "stop_loss"]])
  })

  // A target that the open has passed is filled there, before the candle falls to anything.
  it("trap 23: a target that the open is beyond comes before any liquidation", () => {
    const bars: ReadonlyArray<Bar> = [flat, flat, [106, 107, 80, 85]]
    const taken = runOne({ ...geared, bars, exits: { takeProfit: fraction(0.05) } })
    assert.deepStrictEqual(exitsOf(taken), [[2, 106, "take_profit"]])
  })

  // Such a target is live from the candle after the close that filled the entry.
  it("trap 23: that counts where the target lies beyond the price at which equity is gone", () => {
    const sides = [
      { long: [0], open: 85, target: 80 },
      { short: [0], open: 115, target: 120 }
    ]
    for (const { open, target, ...entered } of sides) {
      const { ambiguousCount, closed, fills } = runOne({
        bars: [flat, [open, open, open, open]],
        ...entered,
        capital: 10,
        exits: { takeProfit: { kind: "price", value: target } },
        fill: "close",
        spec: { leverage: 10 }
      })
      assert.deepStrictEqual(
        closed.map(({ exitPrice, exitReason, pnl }) => [exitPrice, exitReason, pnl]),
        [[open, "take_profit", -15]]
      )
      assert.strictEqual(fills[1]?.leg, "take_profit")
      assert.strictEqual(ambiguousCount, 0)
    }
  })
})
