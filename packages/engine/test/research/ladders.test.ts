/**
 * A ladder in JSON does what its order script does: the same fills at the same candles, and the
 * same equity at each close.
 */
import { assert, describe, it } from "@effect/vitest"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import type { OrdersResult } from "../../src/kernel/orders/simulateCodeOrders.ts"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { backtest, type BacktestResult } from "../../src/research/backtest.ts"
import { define } from "../../src/plan/define.ts"
import { simulateOrders } from "../../src/research/simulateOrders.ts"
import { sweep } from "../../src/research/sweep.ts"
import { randomWalk } from "../../src/testing/randomCandles.ts"
import { readCandles } from "../kernel/readCandles.ts"
import * as scripts from "./ladderScripts.ts"

const { lot } = scripts
const capital = 10_000
const [makerRate, takerRate, slippageRate] = [0.0005, 0.001, 0.0003]

const close = { type: "price", field: "close" } as const
const mean = { type: "sma", period: 20 } as const
const above = { type: "above", left: close, right: mean } as const
const below = { type: "below", left: close, right: mean } as const
const always = { type: "above", left: close, right: { type: "constant", value: 0 } } as const

const base = {
  format: 1,
  symbols: ["BTC/USD"],
  timeframe: "1h",
  parameters: {}
} as const

/** Fills as lines: the candle, the side, the price and all that was filled at it. */
const linesOf = (fills: ReadonlyArray<readonly [number, number, number, number]>) => {
  const sums = new Map<string, number>()
  for (const [index, side, price, quantity] of fills) {
    const key = `${index} ${side} ${price.toPrecision(10)}`
    sums.set(key, (sums.get(key) ?? 0) + quantity)
  }
  return [...sums].map(([key, sum]) => `${key} ${sum.toFixed(7)}`).toSorted()
}

const ourLines = ({ fills }: BacktestResult) =>
  linesOf(fills.map(({ index, price, quantity, side }) => [index, side, price, quantity]))

const scriptLines = ({ openRoundTrips, trades }: OrdersResult) => {
  const bought = [
    ...trades.map((trade) => ({ ...trade, id: trade.tradeId })),
    ...openRoundTrips.map(({ id, position }) => ({ ...position, id, direction: 1 }))
  ]
  return linesOf([
    ...bought.map((one) => [one.entryIndex, 1, one.entryPrice, one.quantity] as const),
    ...trades.map((one) => [one.exitIndex, -1, one.exitPrice, one.quantity] as const)
  ])
}

/** Both results, which must say the same; answers how many fills there were. */
const compare = (
  candles: CandleColumns,
  parts: Omit<StrategyDefinition, keyof typeof base>,
  script: Parameters<typeof simulateOrders>[1],
  options: Parameters<typeof simulateOrders>[2] = {}
): number => {
  const ours = backtest(
    candles,
    { ...base, ...parts },
    {
      capital,
      fees: { maker: makerRate, taker: takerRate },
      slippage: slippageRate,
      market: { tick: 0, lot, slippageRate },
      endOfData: "open"
    }
  )
  const theirs = simulateOrders(candles, script, {
    capital,
    makerRate,
    takerRate,
    slippageRate,
    lot,
    atEnd: "keep",
    ...options
  })
  const lines = ourLines(ours)
  assert.deepStrictEqual(lines, scriptLines(theirs))
  assert.strictEqual(ours.equity.length, theirs.equity.length)
  const apart = ours.equity.map((equity, index) => Math.abs(equity - theirs.equity[index]!))
  assert.isBelow(Math.max(...apart), 1e-9 * capital)
  return lines.length
}

const walks = Array.from({ length: 4 }, (_, nth) =>
  randomWalk(`ladders ${nth}`, { count: 1_000, volatility: 0.006 })
)

const sample = readCandles("samples/gbpusd_1h.csv", 2_000)

const overAll = (run: (candles: CandleColumns) => number): void => {
  const counts = [sample, ...walks].map(run)
  assert.isAbove(Math.max(...counts), 30)
}

const notional = 1_000
const sizing = { type: "fixed_notional", notional } as const
const long = { enter: above, exit: below }

describe("a ladder and its order script", () => {
  it("agree on a base order, safety orders and a target", () => {
    const parts = {
      long: { enter: always },
      sizing: { type: "fixed_notional", notional: 600 },
      safety_orders: { count: 5, distance: 0.02, distance_factor: 1.4, size_factor: 1.5 },
      targets: [{ at: { type: "fraction", value: 0.012 }, portion: 1 }]
    } as const
    overAll((candles) => compare(candles, parts, scripts.dcaScript(600, 0.02, 0.012)))
  })

  for (const spacing of ["arithmetic", "geometric"] as const) {
    it(`agree on a grid of ${spacing} spacing`, () => {
      overAll((candles) => {
        const [lower, upper] = [candles.close[0]! * 0.9, candles.close[0]! * 1.1]
        const lines = Array.from({ length: 20 }, (_, nth) =>
          spacing === "arithmetic"
            ? lower + ((upper - lower) * nth) / 19
            : lower * (upper / lower) ** (nth / 19)
        )
        const parts = {
          grid: { lower, upper, lines: 20, spacing },
          sizing: { ...sizing, notional: 400 }
        }
        return compare(candles, parts, scripts.gridScript(lines, 400))
      })
    })
  }

  it("agree on a pyramid", () => {
    const scaled = { type: "scaled", of: "first", factor: 0.5 } as const
    const additions = [
      { name: "second", in_favour: 0.02, sizing: scaled },
      { name: "third", in_favour: 0.04, sizing: scaled }
    ] as const
    overAll((candles) =>
      compare(candles, { long, sizing, additions }, scripts.pyramidScript(notional))
    )
  })

  it("agree on targets in parts with a stop that comes to the entry", () => {
    const targets = [
      { at: { type: "fraction", value: 0.02 }, portion: 0.5, stop: "entry" },
      { at: { type: "fraction", value: 0.04 }, portion: 0.5 }
    ] as const
    overAll((candles) =>
      compare(candles, { long, sizing, targets }, scripts.targetsScript(notional))
    )
  })

  it("agree on a weight in equity", () => {
    overAll((candles) =>
      compare(
        candles,
        { rebalance: { weight: 0.5, band: 0.005 } },
        scripts.weightScript(0.5, 0.005)
      )
    )
  })

  it("agree on a breakout of which one order cancels the other", () => {
    const level = { type: "highest", of: { type: "price", field: "high" }, period: 20 } as const
    const entry = {
      type: "one_cancels_other",
      orders: [
        { type: "stop", level },
        { type: "limit", offset: 0.05 }
      ]
    } as const
    overAll((candles) =>
      compare(candles, { long, sizing, entry }, scripts.breakoutScript(notional))
    )
  })

  it("agree where code decides when to enter", () => {
    const parts = {
      sizing: { type: "fixed_notional", notional: 600 },
      safety_orders: { count: 5, distance: 0.02, distance_factor: 1.4, size_factor: 1.5 },
      targets: [{ at: { type: "fraction", value: 0.012 }, portion: 1 }]
    } as const
    const coded = define({
      name: "always",
      symbols: base.symbols,
      timeframe: base.timeframe,
      ...parts,
      onCandle: () => ({ enterLong: true })
    })
    const ruled = { ...base, long: { enter: always }, ...parts }
    for (const candles of walks) {
      const [byCode, byRules] = [backtest(candles, coded), backtest(candles, ruled)]
      assert.isAbove(byCode.fills.length, 5)
      assert.deepStrictEqual(byCode.fills, byRules.fills)
      assert.deepStrictEqual(byCode.equity, byRules.equity)
    }
  })

  it("agree on the figures of a sweep and of backtests", () => {
    const definition = {
      ...base,
      parameters: { distance: { kind: "float", default: 0.02, min: 0.005, max: 0.05 } },
      long: { enter: always },
      sizing: { type: "fixed_notional", notional: 600 },
      safety_orders: {
        count: 5,
        distance: { parameter: "distance" },
        distance_factor: 1.4,
        size_factor: 1.5
      },
      exits: { take_profit: { type: "fraction", value: 0.012 } }
    } as const
    const [candles] = walks
    const sets = [{ distance: 0.01 }, { distance: 0.03 }]
    const swept = sweep(candles!, definition, sets)
    sets.forEach((parameters, set) => {
      const one = backtest(candles!, definition, { parameters })
      assert.closeTo(swept.totalReturn[set]!, one.metrics.total_return!, 1e-9)
      const entries = one.fills.filter(({ effect }) => effect === "open")
      assert.strictEqual(swept.positionCount[set], entries.length)
    })
    assert.deepStrictEqual(swept.plain, [], "safety orders run from event to event")
  })

  it("end orders that fill at once or by a time, and keep those until they are cancelled", () => {
    const [candles] = walks
    const count = (life: object): readonly [number, number] => {
      const entry = { type: "limit", offset: 0.02, ...life } as const
      const { ended, fills } = backtest(candles!, { ...base, long: { enter: always }, entry })
      return [fills.length, ended.filter(({ outcome }) => outcome === "expired").length]
    }
    // No open lies 2 % under the close before it.
    assert.deepStrictEqual(count({ immediate: true }), [0, candles!.length - 1])
    assert.deepStrictEqual(count({ until: "2023-01-01T00:00:00.000Z" })[0], 0)
    assert.deepStrictEqual(count({}), [2, 0])
    assert.deepStrictEqual(count({ until: "2099-01-01T00:00:00.000Z" }), [2, 0])
  })
})
