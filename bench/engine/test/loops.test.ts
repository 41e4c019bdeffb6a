/**
 * The ground of the rows against a loop: loops that agree with the engine, ladders that follow
 * their formulas, and a baseline that nobody has moved.
 */
import { readFileSync } from "node:fs"
import type { CandleColumns } from "@candlewick/engine/kernel"
import {
  backtest,
  defineStrategy,
  type OrdersResult,
  simulateOrders
} from "@candlewick/engine/research"
import { assert, describe, it } from "@effect/vitest"
import { benchmarkCandles, otherSeed } from "../candles.ts"
import { changesOf, bareCode, readBaselines } from "../loops/baseline.ts"
import * as dca from "../loops/dca.ts"
import { compareBacktest, compareEquity, compareSweep } from "../loops/equalLoops.ts"
import * as grid from "../loops/grid.ts"
import { judgeGoal, isSlower, type LoopTimes } from "../loops/judgeLoops.ts"
import { equityFraction, leverage, leverageLoop } from "../loops/leverage.ts"
import { makeLoopColumns } from "../loops/loopColumns.ts"
import { loopHeading, loopSection } from "../loops/loopReport.ts"
import { loopRows } from "../loops/loopRows.ts"
import { dayEndOf } from "../loops/LoopResult.ts"
import {
  capital,
  makerRate,
  marketOptions,
  onLot,
  slippageRate,
  takerRate
} from "../loops/market.ts"
import { crossDefinition, falls, rises } from "../loops/sweepRow.ts"

/** Seven days but for an hour: a year of days has 365 only where there are weekends. */
const count = 10_000
const candles = benchmarkCandles(count)
const input = { candles, others: benchmarkCandles(count, otherSeed), setCount: 2, python: null }
const values = { fast: 20, slow: 200 }

/** Costs of the loops' market for a code strategy. */
const orderCosts = {
  capital,
  makerRate,
  takerRate,
  slippageRate,
  fill: "close",
  netting: "hedging",
  atEnd: "keep"
} as const

const dayEndsOf = ({ equity }: OrdersResult): ReadonlyArray<number> =>
  Array.from(equity).filter(
    (_, index) => index + 1 === count || candles.time[index + 1]! >= dayEndOf(candles.time[index]!)
  )

/** The candles with every price from an index on multiplied. */
const jumping = (from: number, factor: number): CandleColumns => {
  const scaled = (column: Float64Array): Float64Array =>
    column.map((price, index) => (index >= from ? price * factor : price))
  const { close, high, low, open } = candles
  return {
    ...candles,
    open: scaled(open),
    high: scaled(high),
    low: scaled(low),
    close: scaled(close)
  }
}

const timing = (name: string, nsPerUnit: number) => ({
  name,
  nsPerUnit,
  ms: 1,
  spread: [nsPerUnit, nsPerUnit] as const
})

const timesOf = (naive: number, ours: number | null, refusal: string | null = null): LoopTimes => ({
  naive: timing("naive", naive),
  ours: ours === null ? null : timing("ours", ours),
  others: [],
  refusal
})

const baseline = {
  oursNs: 100,
  naiveNs: 10,
  naiveOverOurs: 0.1,
  vectorbtOverNaive: 8,
  figures: [0, 0, 0, 0],
  workDigest: "",
  loopDigest: "",
  measured: ""
}

describe("the rows against a loop", () => {
  it.each(loopRows)("$name: the engine and the loop say the same", async (row) => {
    const opened = row.open(input)
    const differing = (await opened.compare()).filter(({ isEqual }) => !isEqual)
    assert.deepStrictEqual(differing, [])
    assert.isAbove(opened.figures[3]!, 5)
  })

  it("says the work of every row, and refuses none", () => {
    const refused = loopRows.flatMap((row) => {
      const { refusal } = row.open(input)
      return refusal === null ? [] : [`${row.name}: ${refusal}`]
    })
    assert.deepStrictEqual(refused, [])
  })

  it("tells figures and equity apart that differ by a millionth", () => {
    const loop = leverageLoop(candles, makeLoopColumns(candles), values)
    const swept = (total: number) => ({
      totalReturn: Float64Array.of(total),
      sharpe: loop.figures.slice(1, 2),
      maxDrawdown: loop.figures.slice(2, 3),
      positionCount: loop.figures.slice(3)
    })
    assert.isTrue(compareSweep(swept(loop.figures[0]!), [loop]).isEqual)
    assert.isFalse(compareSweep(swept(loop.figures[0]! + 1e-6), [loop]).isEqual)
    assert.isTrue(compareEquity("", loop.days, loop.days).isEqual)
    assert.isFalse(
      compareEquity(
        "",
        loop.days.map((one) => one * (1 + 1e-6)),
        loop.days
      ).isEqual
    )
    assert.isFalse(compareEquity("", loop.days.subarray(1), loop.days).isEqual)
  })

  it.each([
    ["long", 0.4],
    ["short", 1.8]
  ] as const)("liquidates a %s at the price at which equity is gone", (direction, factor) => {
    const jumped = jumping(2_000, factor)
    const definition = {
      ...crossDefinition,
      short: { enter: falls, exit: rises },
      sizing: { type: "equity_fraction", fraction: equityFraction }
    } as const
    const options = { ...marketOptions, market: { ...marketOptions.market, leverage } }
    const found = [20, 40, 60].map((fast) => {
      const parameters = { fast, slow: 200 }
      const run = backtest(jumped, definition, { ...options, parameters })
      const loop = leverageLoop(jumped, makeLoopColumns(jumped), parameters)
      return { run, differing: compareBacktest(run, loop, 60_000).filter((one) => !one.isEqual) }
    })
    assert.deepStrictEqual(
      found.flatMap(({ differing }) => differing),
      []
    )
    const liquidated = found.flatMap(({ run }) =>
      [...run.positions].filter(({ exitReason }) => exitReason === "liquidation")
    )
    assert.isAtLeast(liquidated.filter((one) => one.direction === direction).length, 1)
  })
})

describe("the ladders of the rows", () => {
  it("places safety orders B·m^k at −d·(1 + s + … + s^k)", () => {
    const prices = new Float64Array(dca.safetyCount)
    const quantities = new Float64Array(dca.safetyCount)
    dca.placeSafetyOrders(10_000, 0.01, prices, quantities)
    assert.deepStrictEqual(Array.from(prices), [9_900, 9_760, 9_564, 9_289.6, 8_905.44])
    const notionals = [600, 900, 1_350, 2_025, 3_037.5]
    assert.deepStrictEqual(
      Array.from(quantities),
      notionals.map((notional, nth) => onLot(notional / prices[nth]!))
    )
  })

  it("finds what a script of orders finds for a position with safety orders", () => {
    const set = { distance: 0.004, target: 0.003 }
    const [prices, quantities] = [new Float64Array(5), new Float64Array(5)]
    const script = defineStrategy({
      parameters: {},
      onCandle: ({ buy, cancel, candle, setTarget, trades }) => {
        const { close } = candle()
        const held = trades()
        if (held.length === 0) {
          cancel()
          buy({ quantity: onLot(dca.baseNotional / close) })
          dca.placeSafetyOrders(close * (1 + slippageRate), set.distance, prices, quantities)
          prices.forEach((limit, nth) => buy({ limit, quantity: quantities[nth]! }))
          return
        }
        const sum = held.reduce((all, { position }) => all + position.quantity, 0)
        const cost = held.reduce((all, { position }) => {
          return all + position.quantity * position.entryPrice
        }, 0)
        setTarget(Math.round((cost / sum) * (1 + set.target) * 100) / 100)
      }
    })
    const loop = dca.dcaLoop(candles, set)
    const found = compareEquity(
      "",
      dayEndsOf(simulateOrders(candles, script, orderCosts)),
      loop.days
    )
    assert.isTrue(found.isEqual, JSON.stringify(found))
    assert.isAbove(loop.figures[3]!, 20)
  })

  it("draws lines equally far apart, or by equal ratios", () => {
    const [arithmetic, geometric] = [false, true].map((isGeometric) =>
      grid.gridLines({ lowest: 1_000, highest: 2_900, isGeometric })
    )
    assert.deepStrictEqual(
      Array.from(arithmetic!),
      Array.from({ length: 20 }, (_, nth) => 1_000 + 100 * nth)
    )
    assert.deepStrictEqual([geometric![0], geometric![19]], [1_000, 2_900])
    for (let nth = 1; nth < 20; nth++) {
      assert.approximately(geometric![nth]! / geometric![nth - 1]!, 2.9 ** (1 / 19), 1e-5)
    }
  })

  it.each([false, true])("finds what a script of orders finds for a grid: %s", (isGeometric) => {
    const set = { lowest: 28_000, highest: 32_000, isGeometric }
    const lines = grid.gridLines(set)
    const quantities = grid.lineQuantities(lines)
    const script = defineStrategy({
      parameters: {},
      onCandle: ({ buy, candle, orders, trades }) => {
        const { close } = candle()
        const taken = new Set([...orders(), ...trades()].map(({ tag }) => tag))
        quantities.forEach((quantity, nth) => {
          const limit = lines[nth]!
          if (close <= limit || taken.has(String(nth))) return
          buy({ limit, quantity, takeProfit: lines[nth + 1]!, tag: String(nth) })
        })
      }
    })
    const loop = grid.gridLoop(candles, set)
    const found = compareEquity(
      "",
      dayEndsOf(simulateOrders(candles, script, orderCosts)),
      loop.days
    )
    assert.isTrue(found.isEqual, JSON.stringify(found))
    assert.isAbove(loop.figures[3]!, 20)
  })
})

describe("goals and baseline of the rows", () => {
  it("judges against the naive loop of the same run", () => {
    const goal = { rival: "naive", times: 1 / 3, text: "" } as const
    assert.isTrue(judgeGoal(goal, timesOf(10, 29), undefined).isMet)
    assert.isFalse(judgeGoal(goal, timesOf(10, 31), undefined).isMet)
  })

  it("never meets a goal that is refused or can't be said", () => {
    const goal = { rival: "naive", times: 1 / 3, text: "" } as const
    assert.isFalse(judgeGoal(goal, timesOf(10, 1, "refused"), undefined).isMet)
    assert.isFalse(judgeGoal(goal, timesOf(10, null), undefined).isMet)
  })

  it("holds the ratio of now to that of the baseline", () => {
    const goal = { rival: "the baseline", times: 3, text: "" } as const
    assert.strictEqual(judgeGoal(goal, timesOf(10, 25), baseline).ratio, 4)
    assert.isTrue(judgeGoal(goal, timesOf(20, 60), baseline).isMet)
    assert.isFalse(judgeGoal(goal, timesOf(20, 80), baseline).isMet)
    assert.isFalse(judgeGoal(goal, timesOf(10, 1), undefined).isMet)
  })

  it("takes vectorbt from the baseline where it did not run", () => {
    const goal = { rival: "vectorbt", times: 5, text: "" } as const
    assert.strictEqual(judgeGoal(goal, timesOf(10, 20), baseline).ratio, 4)
    const others = [timing("vectorbt", 200)]
    assert.strictEqual(judgeGoal(goal, { ...timesOf(10, 20), others }, baseline).ratio, 10)
  })

  it("says when a row is a quarter slower than its baseline", () => {
    assert.isFalse(isSlower(timesOf(10, 120), baseline))
    assert.isTrue(isSlower(timesOf(10, 126), baseline))
  })

  it("sees no change where only comments, imports and white space differ", () => {
    const code = 'import { a } from "b"\n\n/** Says. */\nexport const one = 1 // why\n'
    assert.strictEqual(bareCode(code), bareCode("export const one =\n  1 // why\n"))
    assert.notStrictEqual(bareCode(code), bareCode(code.replace("= 1", "= 2")))
  })

  it("has the work and the loop of each row as its baseline froze them", () => {
    const baselines = readBaselines()
    const changed = loopRows.flatMap((row) => {
      const kept = baselines[row.name]
      return changesOf(row, kept?.figures ?? [], kept).map((change) => `${row.name}: ${change}`)
    })
    assert.deepStrictEqual(changed, [])
    assert.deepStrictEqual(
      Object.keys(baselines).toSorted(),
      loopRows.map(({ name }) => name).toSorted()
    )
  })

  it("is in the documentation as it is in the baseline", () => {
    const page = readFileSync(new URL("../../../docs/benchmarks.md", import.meta.url), "utf8")
    const section = page.slice(page.indexOf(loopHeading))
    assert.strictEqual(section, loopSection(loopRows, readBaselines()))
  })
})
