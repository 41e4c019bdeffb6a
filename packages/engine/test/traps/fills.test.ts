/**
 * Traps of backtesting engines: at what price and when orders fill.
 *
 * Names say what the engine does. Most candles are the cases with which other engines test theirs,
 * with the price that we hold to be right.
 */
import { assert, describe, it } from "@effect/vitest"
import { type CandleInput, makeOutcome, type OrderRequest } from "../../src/kernel/account.ts"
import { SimulatedAccount } from "../../src/kernel/SimulatedAccount.ts"
import {
  type Bar,
  exitsOf,
  fillsOf,
  flatBars,
  fraction,
  freeMarket,
  hourMs,
  runAll,
  runOne
} from "./scripted.ts"

const start: Bar = [5000, 5000, 5000, 5000]
const entryBar: Bar = [5000, 5025, 4975, 4987]
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

const candleOf = (index: number, [open, high, low, close]: Bar): CandleInput => ({
  market: 0,
  time: index * hourMs,
  open,
  high,
  low,
  close
})

/** Fills of orders that are placed before the first of these candles. */
const match = (orders: ReadonlyArray<Partial<OrderRequest>>, bars: ReadonlyArray<Bar>) => {
  const account = SimulatedAccount.open(100_000, [freeMarket])
  const outcome = makeOutcome()
  for (const one of orders) account.place(0, { ...order, ...one })
  bars.forEach((bar, index) => account.show([candleOf(index, bar)]))
  account.drain(outcome)
  return { open: account.held(), ...outcome }
}

const priceOf = (one: Partial<OrderRequest>, ...bars: ReadonlyArray<Bar>) =>
  match([one], bars).fills[0]?.price

describe("stop and target", () => {
  it("trap 5: a candle that touches stop and target is the stop's, and counts as ambiguous", () => {
    // Cases 4 and 6 of freqtrade's table.
    for (const [bar, target] of [
      [[4987, 5750, 4850, 5750], 0.06],
      [[4987, 5300, 4850, 5050], 0.05]
    ] as const) {
      const simulation = runOne({
        bars: [start, entryBar, bar],
        long: [0],
        exits: { stopLoss: fraction(0.02), takeProfit: fraction(target) }
      })
      assert.deepStrictEqual(exitsOf(simulation), [[2, 4900, "stop_loss"]])
      assert.strictEqual(simulation.ambiguousCount, 1)
      assert.closeTo(simulation.closed[0]?.bestPathPnl ?? 0, 5000 * target, 1e-9)
    }
  })

  it("trap 5: a short's candle that touches stop and target is the stop's as well", () => {
    const simulation = runOne({
      bars: [flat, flat, [100, 106, 94, 100]],
      short: [0],
      exits: { stopLoss: fraction(0.05), takeProfit: fraction(0.05) }
    })
    assert.deepStrictEqual(exitsOf(simulation), [[2, 105, "stop_loss"]])
    assert.strictEqual(simulation.ambiguousCount, 1)
  })

  // An open beyond the stop leaves no doubt about which came first, as one beyond the target.
  it("trap 5: an open beyond the stop is not ambiguous, whatever is touched later", () => {
    const simulation = runOne({
      bars: [flat, flat, [90, 115, 89, 114]],
      long: [0],
      exits: { stopLoss: fraction(0.05), takeProfit: fraction(0.1) }
    })
    assert.deepStrictEqual(exitsOf(simulation), [[2, 90, "stop_loss"]])
    assert.strictEqual(simulation.ambiguousCount, 0)
  })

  it("trap 6: a stop that the open has passed fills at the open, and inside at its price", () => {
    const sell = { id: "sell", leg: "exit", side: -1, type: "stop" } as const
    const buy = { type: "market" } as const
    const last = (stop: number, before: number, bar: Bar) =>
      match([buy, { ...sell, stop }], [[before, before, before, before], bar]).fills.at(-1)?.price
    assert.strictEqual(last(100, 105, [90, 95, 85, 92]), 90)
    assert.strictEqual(last(100, 105, [102, 103, 98, 99]), 100)
    assert.strictEqual(last(291.5, 293, [290.5, 290.5, 289.5, 290.5]), 290.5)
  })

  it("trap 6: stop entries that the open has passed fill at the open, both ways", () => {
    assert.strictEqual(priceOf({ type: "stop", stop: 290.5 }, [291.5, 292.5, 291.5, 291.5]), 291.5)
    const short = { side: -1, type: "stop", stop: 291.5 } as const
    assert.strictEqual(priceOf(short, [290.5, 290.5, 289.5, 290.5]), 290.5)
  })

  it("trap 6: a falling series leaves each stop at the open that passed it, or at the stop", () => {
    const bars = [5, 4, 3, 2, 1].map((close): Bar => [
      close + 0.25,
      close + 0.5,
      close - 0.5,
      close
    ])
    const exits = [0.1, 0.15, 0.2].map((stop) =>
      exitsOf(runOne({ bars, long: [0], fill: "close", exits: { stopLoss: fraction(stop) } }))
    )
    assert.deepStrictEqual(exits, [
      [[1, 4.25, "stop_loss"]],
      [[1, 4.25, "stop_loss"]],
      [[1, 4, "stop_loss"]]
    ])
  })

  it("trap 9: stop and target are live on the candle that a market entry opens with", () => {
    const target = runOne({
      bars: [start, [5000, 5100, 4950, 5100]],
      long: [0],
      exits: { takeProfit: fraction(0.01) }
    })
    assert.deepStrictEqual(exitsOf(target), [[1, 5050, "take_profit"]])
    const stop = runOne({
      bars: [start, [5000, 5100, 4600, 5100]],
      long: [0],
      exits: { stopLoss: fraction(0.05), takeProfit: fraction(0.01) }
    })
    assert.deepStrictEqual(exitsOf(stop), [[1, 4750, "stop_loss"]])
  })

  it("trap 12: the stop of the signal's candle counts before the signal, and not a later one", () => {
    const before: ReadonlyArray<Bar> = [start, entryBar, [4987, 5012, 4986, 5010]]
    const exits = { stopLoss: fraction(0.01) }
    const stopped = runOne({
      bars: [...before, [5010, 5010, 4855, 5010], [5010, 5010, 4986, 4995]],
      long: [0],
      exitLong: [3],
      exits
    })
    assert.deepStrictEqual(exitsOf(stopped), [[3, 4950, "stop_loss"]])
    const left = runOne({
      bars: [...before, [5010, 5010, 4986, 5010], [5010, 5010, 4855, 4995]],
      long: [0],
      exitLong: [3],
      exits
    })
    assert.deepStrictEqual(exitsOf(left), [[4, 5010, "signal"]])
  })
})

describe("limits", () => {
  it("trap 7: a limit that the open has passed fills at the open, else at its price", () => {
    const buy = { type: "limit", limit: 290.5 } as const
    assert.strictEqual(priceOf(buy, [289.5, 290, 288.5, 289]), 289.5)
    assert.strictEqual(priceOf(buy, [291.5, 292, 288.5, 289]), 290.5)
    const sell = { side: -1, type: "limit", limit: 290.5 } as const
    assert.strictEqual(priceOf(sell, [291.5, 292, 291, 291]), 291.5)
    assert.strictEqual(priceOf(sell, [289.5, 292, 288.5, 289]), 290.5)
  })

  it("trap 8: an order fills on candles after its decision only, and on its own market's", () => {
    const dip: Bar = [100, 100, 90, 100]
    const limit = runOne({
      bars: [flat, dip, flat, [99, 100, 94, 96]],
      long: [1],
      entry: { type: "limit", offsetRate: 0.05 }
    })
    assert.deepStrictEqual(fillsOf(limit), [[3, 95]])
    // The first market has no candle in the hour after the signal: nothing is made up for it.
    const markets = runAll([
      { bars: [flat, [120, 120, 120, 120]], timeAt: (index) => index * 2 * hourMs, long: [0] },
      { bars: flatBars(3) }
    ])
    assert.deepStrictEqual(
      markets.fills.map(({ market, price, time }) => [market, price, time]),
      [[0, 120, 2 * hourMs]]
    )
  })

  it("trap 10: a limit entry takes no target on the candle that filled it", () => {
    // Case 42: bought at the wick of a candle whose high came before.
    const simulation = runOne({
      bars: [start, [5000, 5500, 4951, 4999], [5000, 5100, 4990, 5050]],
      long: [0],
      entry: { type: "limit", offsetRate: 0.0096 },
      exits: { takeProfit: fraction(0.01) }
    })
    assert.deepStrictEqual(fillsOf(simulation)[0], [1, 4952])
    assert.deepStrictEqual(
      simulation.closed.map(({ exitIndex, exitReason }) => [exitIndex, exitReason]),
      [[2, "take_profit"]]
    )
    assert.closeTo(simulation.closed[0]?.returnRate ?? 0, 0.01, 1e-12)
  })

  it("trap 11: a limit outside the candle does not fill and times out; one beyond is clamped", () => {
    const unreached = runOne({
      bars: [start, entryBar, entryBar, entryBar],
      long: [0],
      entry: { type: "limit", offsetRate: 0.16, expiresAfter: 2 }
    })
    assert.deepStrictEqual(unreached.fills, [])
    assert.deepStrictEqual(
      unreached.ended.map(({ outcome }) => outcome),
      ["expired"]
    )
    assert.strictEqual(priceOf({ limit: 200 }, [100, 105, 95, 100]), 100)
    assert.strictEqual(priceOf({ side: -1, limit: 50 }, [100, 105, 95, 100]), 100)
  })
})

describe("stops that move", () => {
  const trailingStop = { distance: fraction(0.03), activation: fraction(0.05) }

  it("trap 13: a candle's high raises the stop for the candles after it only", () => {
    const wide = { distance: fraction(0.1), activation: null }
    // Case 8, and case 9, where a path by the high first would have been stopped at 4680.
    const later = runOne({
      bars: [start, [5000, 5050, 4950, 5000], [5000, 5250, 4750, 4850], [4850, 5050, 4650, 4750]],
      long: [0],
      exits: { trailingStop: wide }
    })
    assert.deepStrictEqual(exitsOf(later), [[3, 4725, "trailing_stop"]])
    const held = runOne({
      bars: [start, [5000, 5050, 4950, 5000], [5000, 5050, 4950, 5000], [5000, 5200, 4550, 4850]],
      long: [0],
      exits: { trailingStop: wide }
    })
    assert.deepStrictEqual(exitsOf(held), [])
    assert.deepStrictEqual([later.ambiguousCount, held.ambiguousCount], [0, 1])
    // Case 33, with the stop raised to 4898.5 on the entry candle.
    const raised = runOne({
      bars: [start, [5000, 5050, 5000, 5000], [4900, 5250, 4500, 5100]],
      long: [0],
      exits: { trailingStop: { distance: fraction(0.03), activation: null } }
    })
    assert.deepStrictEqual(exitsOf(raised), [[2, 4898.5, "trailing_stop"]])
  })

  // The open raises the stop from 90 to 100 for certain, and the high may raise it to 110. The
  // candle goes on, and the next one opens beyond the stop that its high has left.
  it("trap 13: an open above the best price raises the stop on every path, both ways", () => {
    const down = ([open, high, low, close]: Bar): Bar => [
      200 - open,
      200 - low,
      200 - high,
      200 - close
    ]
    const bars: ReadonlyArray<Bar> = [flat, flat, [110, 120, 95, 115], [105, 106, 104, 105]]
    const trailingStop = { distance: { kind: "distance", value: 10 }, activation: null } as const
    const long = runOne({ bars, long: [0], exits: { trailingStop } })
    const short = runOne({ bars: bars.map(down), short: [0], exits: { trailingStop } })
    assert.deepStrictEqual(exitsOf(long), [[3, 105, "trailing_stop"]])
    assert.deepStrictEqual(exitsOf(short), [[3, 95, "trailing_stop"]])
    for (const { ambiguousCount, closed } of [long, short]) {
      const { bestPathPnl, isAmbiguous, pnl, worstPathPnl } = closed[0]!
      assert.deepStrictEqual([ambiguousCount, isAmbiguous], [1, true])
      // By the high first, out at 110; straight down from the open, at 100, and not at the low. A
      // short that breaks even has a result of -0.
      assert.deepStrictEqual([worstPathPnl + 0, pnl, bestPathPnl], [0, 5, 10])
    }
  })

  it("trap 14: a trailing stop that the open has passed fills at the open, both ways", () => {
    const up: Bar = [5100, 5251, 5100, 5100]
    // Cases 11 and 31; elsewhere the first fills at 5093.47, where the market was not.
    for (const open of [5000, 4850]) {
      const long = runOne({
        bars: [start, [5000, 5050, 4950, 5000], up, [open, 5150, 4650, 4750]],
        long: [0],
        exits: { trailingStop }
      })
      assert.deepStrictEqual(exitsOf(long), [[3, open, "trailing_stop"]])
    }
    const short = runOne({
      bars: [start, [5000, 5050, 4950, 5000], [4890, 4890, 4749, 4890], [5150, 5350, 4950, 4950]],
      short: [0],
      exits: { trailingStop }
    })
    assert.deepStrictEqual(exitsOf(short), [[3, 5150, "trailing_stop"]])
  })

  it("trap 15: a target that the open is beyond fills at the open, and so does a moved stop", () => {
    const bars: ReadonlyArray<Bar> = [flat, [100, 104, 100, 104], [108, 109, 90, 91]]
    const target = { stopLoss: fraction(0.05), takeProfit: fraction(0.05) }
    const taken = runOne({ bars, long: [0], exits: target })
    assert.deepStrictEqual(exitsOf(taken), [[2, 108, "take_profit"]])
    assert.strictEqual(taken.ambiguousCount, 0)
    // Moved to 103 by the high of 104, and the market opens below.
    const moved = runOne({
      bars: [flat, [100, 104, 100, 104], [102, 106, 90, 91]],
      long: [0],
      exits: { breakEven: { activation: fraction(0.04), offsetRate: 0.03 } }
    })
    assert.deepStrictEqual(exitsOf(moved), [[2, 102, "break_even"]])
  })
})

describe("orders together", () => {
  it("trap 17: conflicting orders fill in one order: exits first, then entries as placed", () => {
    const bars: ReadonlyArray<Bar> = [flat, flat, flat, [103, 103, 103, 103]]
    const turned = runOne({ bars, long: [0], exitLong: [2], short: [2] })
    assert.deepStrictEqual(
      turned.fills.map(({ index, leg, side, effect }) => [index, leg, side, effect]),
      [
        [1, "entry", 1, "open"],
        [3, "exit", -1, "close"],
        [3, "entry", -1, "open"]
      ]
    )
    const two = [
      { id: "first", type: "limit", limit: 95 },
      { id: "second", type: "limit", limit: 99 }
    ] as const
    const { ended, fills } = match(two, [[100, 100, 90, 95]])
    assert.deepStrictEqual([fills[0]?.orderId, ended[0]?.orderId], ["first", "second"])
    assert.strictEqual(ended[0]?.outcome, "rejected")
  })

  it("trap 17: markets of one time take what cash there is in their order", () => {
    const markets = [
      { bars: flatBars(3), long: [0] },
      { bars: flatBars(3, 10), long: [0] }
    ]
    const setting = {
      capital: 1000,
      plan: { sizing: { type: "equity_fraction", fraction: 0.7 } }
    } as const
    const spent = (fills: ReturnType<typeof runAll>["fills"]) =>
      fills.map(({ market, price, quantity }) => [market, Math.round(price * quantity)])
    assert.deepStrictEqual(spent(runAll(markets, setting).fills), [
      [0, 700],
      [1, 300]
    ])
    assert.deepStrictEqual(spent(runAll(markets.toReversed(), setting).fills), [
      [0, 700],
      [1, 300]
    ])
  })

  it("trap 19: buys slip up and sales down, stops too, and a short's the other way round", () => {
    const spec = { slippageRate: 0.01 }
    const bars: ReadonlyArray<Bar> = [flat, flat, flat, [100, 100, 80, 80]]
    const stopLoss = fraction(0.1)
    const long = runOne({ bars, long: [0], exits: { stopLoss }, spec })
    assert.strictEqual(long.fills[0]?.price, 101)
    assert.closeTo(long.fills[1]?.price ?? 0, 101 * 0.9 * 0.99, 1e-9)
    const up: ReadonlyArray<Bar> = [flat, flat, flat, [100, 120, 100, 120]]
    const short = runOne({ bars: up, short: [0], exits: { stopLoss }, spec })
    assert.strictEqual(short.fills[0]?.price, 99)
    assert.closeTo(short.fills[1]?.price ?? 0, 99 * 1.1 * 1.01, 1e-9)
    const signalled = runOne({ bars, long: [0], exitLong: [1], spec })
    assert.deepStrictEqual(fillsOf(signalled), [
      [1, 101],
      [2, 99]
    ])
  })

  it("trap 20: volume caps an entry, whose rest is cancelled, and an exit, whose rest waits", () => {
    const spec = { volumeShare: { max: 0.1, slippageRate: 0 } }
    const { ended, fills } = runOne({
      bars: [flat, flat, flat, flat, flat, flat],
      volumes: [100, 100, 40, 40, 0, 40],
      long: [0],
      exitLong: [1],
      plan: { sizing: { type: "fixed_quantity", quantity: 25 } },
      spec
    })
    assert.deepStrictEqual(
      fills.map(({ index, quantity, effect }) => [index, quantity, effect]),
      [
        [1, 10, "open"],
        [2, 4, "reduce"],
        [3, 4, "reduce"],
        [5, 2, "close"]
      ]
    )
    assert.deepInclude(ended[0], { outcome: "cancelled" })
  })

  it("trap 20: at a close, it is the volume of the candle that closed", () => {
    const { fills } = runOne({
      bars: [flat, flat, flat, flat],
      volumes: [100, 60, 1_000, 1_000],
      long: [0],
      exitLong: [1],
      fill: "close",
      plan: { sizing: { type: "fixed_quantity", quantity: 25 } },
      spec: { volumeShare: { max: 0.1, slippageRate: 0 } }
    })
    assert.deepStrictEqual(
      fills.map(({ index, quantity, effect }) => [index, quantity, effect]),
      [
        [0, 10, "open"],
        [1, 6, "reduce"],
        [2, 4, "close"]
      ]
    )
  })

  it("trap 20: an exit in parts sells whole lots, and nothing of it is refused at the end", () => {
    for (const lot of [0.1, 0.001]) {
      for (const tenths of [3, 6, 7, 8, 9, 11]) {
        const { ended, fills } = runOne({
          bars: Array.from({ length: 14 }, () => flat),
          volumes: [100, ...Array.from({ length: 13 }, () => 1)],
          long: [0],
          exitLong: [1],
          fill: "close",
          plan: { sizing: { type: "fixed_quantity", quantity: tenths / 10 } },
          spec: { lot, volumeShare: { max: 0.1, slippageRate: 0 } }
        })
        const exits = fills.slice(1)
        assert.deepStrictEqual(
          exits.map(({ quantity }) => quantity),
          Array.from({ length: tenths }, () => 0.1),
          `${tenths} tenths, lot ${lot}`
        )
        assert.strictEqual(exits.at(-1)?.effect, "close")
        assert.deepStrictEqual(ended, [])
      }
    }
  })

  it("trap 20: an order slips with its share of the volume, and never by more than all of it", () => {
    const spec = { slippageRate: 0.01, volumeShare: { max: 1, slippageRate: 0.1 } }
    const price = (quantity: number) =>
      runOne({
        bars: [flat, flat],
        long: [0],
        capital: 1e9,
        plan: { sizing: { type: "fixed_quantity", quantity } },
        spec
      }).fills[0]?.price
    assert.closeTo(price(50) ?? 0, 100 * (1 + 0.01 + 0.05), 1e-9)
    assert.closeTo(price(500) ?? 0, 100 * (1 + 0.01 + 0.1), 1e-9)
  })

  it("trap 20: a stop fills whole in a thin candle, and slips as the whole volume does", () => {
    const { fills } = runOne({
      bars: [flat, flat, [100, 100, 80, 80]],
      volumes: [100, 100, 1],
      long: [0],
      exits: { stopLoss: { kind: "price", value: 90 } },
      plan: { sizing: { type: "fixed_quantity", quantity: 10 } },
      spec: { volumeShare: { max: 0.5, slippageRate: 0.01 } }
    })
    assert.deepStrictEqual(
      fills.map(({ leg, quantity }) => [leg, quantity]),
      [
        ["entry", 10],
        ["stop_loss", 10]
      ]
    )
    // A tenth of the volume at the entry; ten times the volume at the stop.
    assert.closeTo(fills[0]?.price ?? 0, 100 * 1.001, 1e-9)
    assert.closeTo(fills[1]?.price ?? 0, 90 * 0.99, 1e-9)
  })

  it("trap 21: an exit never turns a position, and without one it is refused", () => {
    const buy = { type: "market" } as const
    const sell = { id: "x", leg: "exit", side: -1, type: "market", quantity: 5 } as const
    const { fills, open } = match([buy, sell], [flat, flat])
    // The exit is processed first, when there is nothing to leave yet.
    assert.strictEqual(fills.length, 1)
    assert.strictEqual(open[0]?.quantity, 1)
    const resting = { ...sell, type: "stop", stop: 95 } as const
    const capped = match([buy, resting, { ...resting, id: "y" }], [flat, [100, 100, 90, 90]])
    assert.deepStrictEqual(
      capped.fills.map(({ quantity, side }) => [quantity, side]),
      [
        [1, 1],
        [1, -1]
      ]
    )
    assert.isEmpty(capped.open)
    const second = capped.ended.find(({ orderId }) => orderId === "y")
    assert.strictEqual(second?.outcome, "rejected")
  })

  describe("trap 25: shorter candles", () => {
    const both: Bar = [100, 112, 90, 100]
    const exits = { stopLoss: fraction(0.05), takeProfit: fraction(0.1) }
    const quiet = Array.from({ length: 8 }, () => flat)
    const run = (last: ReadonlyArray<Bar>, bar: Bar = both) =>
      runOne({
        bars: [flat, flat, bar],
        long: [0],
        exits,
        detail: [...quiet, ...last],
        spec: { tick: 1 }
      })

    it("trap 25: tell which came first, and the candle is ambiguous no more", () => {
      const up: ReadonlyArray<Bar> = [flat, [100, 112, 100, 105], [105, 105, 90, 92], flat]
      assert.deepStrictEqual(exitsOf(run(up)), [[2, 110, "take_profit"]])
      const down: ReadonlyArray<Bar> = [flat, [100, 100, 90, 92], [92, 112, 92, 105], flat]
      assert.deepStrictEqual(exitsOf(run(down)), [[2, 95, "stop_loss"]])
      assert.strictEqual(run(up).ambiguousCount + run(down).ambiguousCount, 0)
    })

    it("trap 25: fill at their own open where that is beyond a level", () => {
      const gap: ReadonlyArray<Bar> = [flat, [93, 100, 90, 92], [92, 112, 92, 105], flat]
      assert.deepStrictEqual(exitsOf(run(gap)), [[2, 93, "stop_loss"]])
    })

    it("trap 25: leave a candle ambiguous where one of them touches both, or none is there", () => {
      const one: ReadonlyArray<Bar> = [flat, both, flat, flat]
      assert.deepStrictEqual(exitsOf(run(one)), [[2, 95, "stop_loss"]])
      assert.strictEqual(run(one).ambiguousCount, 1)
      assert.strictEqual(run([]).ambiguousCount, 1)
    })

    it("trap 25: change nothing where nothing is ambiguous", () => {
      const bar: Bar = [100, 105, 90, 92]
      const detail: ReadonlyArray<Bar> = [flat, [100, 105, 90, 92], [92, 93, 91, 92], flat]
      const coarse = runOne({ bars: [flat, flat, bar], long: [0], exits, spec: { tick: 1 } })
      assert.deepStrictEqual(run(detail, bar).fills, coarse.fills)
    })
  })
})
