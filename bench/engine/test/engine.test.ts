/**
 * The foundations of the benchmark: candles that are always the same, and naive loops that agree
 * with the engine.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { decodeStrategy, type StrategyDefinition } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { benchmarkCandles } from "../candles.ts"
import { compareFigures, compareIndicators, compareTrades } from "../compare.ts"
import { lastMeasured } from "../elsewhere.ts"
import { measure } from "../measure.ts"
import { naiveSma } from "../naive/columns.ts"
import { naiveCrossing } from "../naive/crossing.ts"
import { naiveCrossingNextOpen } from "../naive/crossingNextOpen.ts"
import { makeConditionColumns, naiveRandomStrategy } from "../naive/randomStrategy.ts"
import { naiveReversal, type NaiveTrade, reversalColumns } from "../naive/reversal.ts"
import { naiveSixIndicators } from "../naive/sixIndicators.ts"
import { ours } from "../ours.ts"
import { pinnedVersion } from "../peers/python/findPython.ts"
import { makeSixColumns } from "../sixColumns.ts"
import { crossingRuns } from "../work/crossing.ts"
import { botRuns, distinctIndicators } from "../work/liveBots.ts"
import { randomStrategies } from "../work/randomStrategies.ts"
import { reversalRun } from "../work/reversal.ts"
import { atClose, atNextOpen, atNextOpenUnruined } from "../work/settings.ts"

const candles = benchmarkCandles(20_000)
const averages = [5, 20, 110, 300] as const
const columns = new Map(averages.map((period) => [period, naiveSma(candles.close, period)]))
const columnOf = (period: number): Float64Array =>
  columns.get(averages.find((one) => one === period) ?? 5) ?? new Float64Array(0)
const grid = { fasts: [5, 20], slows: [110, 300] }

describe("the benchmark of the engine", () => {
  it("makes the same candles each time", () => {
    const closes = new Uint8Array(candles.close.buffer)
    assert.strictEqual(
      createHash("sha256").update(closes).digest("hex"),
      "e0d2c7bc42de97cd002d1ba4d4fd9b6e63e85535d0621aed1ec6ce98afebae3a"
    )
    assert.deepStrictEqual(benchmarkCandles(20_000), candles)
  })

  it("runs strategies that the schema accepts", () => {
    const definitions: ReadonlyArray<StrategyDefinition> = [
      ...crossingRuns(grid).slice(0, 1),
      ...crossingRuns(grid, true).slice(0, 1),
      reversalRun({ level: 30, stop: 2, target: 3 }),
      ...botRuns(1),
      ...randomStrategies(50)
    ].map(({ definition }) => definition)
    const refused = definitions.map((one) => decodeStrategy(one)).filter(Result.isFailure)
    assert.deepStrictEqual(refused, [])
  })

  it("finds what the naive loop finds where averages cross", () => {
    const runs = crossingRuns(grid)
    const expected = new Float64Array(runs.length * 4)
    runs.forEach(({ values: { fast, slow } }, index) => {
      naiveCrossing(
        candles.close,
        columnOf(fast),
        columnOf(slow),
        atClose.feeRate,
        expected,
        index * 4
      )
    })
    const found = compareFigures("naive", ours.runMany(candles, runs, atClose), expected)
    assert.isTrue(found.isEqual, JSON.stringify(found))
    assert.isAbove(expected[3] ?? 0, 200)
  })

  it("finds it both ways at the next open, with slippage", () => {
    const runs = crossingRuns(grid, true)
    for (const setting of [atNextOpen, atNextOpenUnruined]) {
      const expected = runs.flatMap(({ values: { fast, slow } }) =>
        Array.from(naiveCrossingNextOpen(candles, columnOf(fast), columnOf(slow), setting))
      )
      const figures = ours.runMany(candles, runs, setting)
      const found = compareFigures("naive", figures, Float64Array.from(expected))
      assert.isTrue(found.isEqual, JSON.stringify(found))
    }
  })

  it("finds the naive loop's trades with stop and target", () => {
    const values = { level: 30, stop: 2, target: 3 }
    const figures = new Float64Array(4)
    const trades: Array<NaiveTrade> = []
    const naive = reversalColumns(candles)
    naiveReversal(candles, naive, values, atClose.feeRate, figures, 0, trades)
    const run = ours.backtest(candles, reversalRun(values), atClose)
    const found = compareTrades("naive", run.trades, {
      entryIndex: trades.map((trade) => trade.entryIndex),
      exitIndex: trades.map((trade) => trade.exitIndex),
      entryPrice: trades.map((trade) => trade.entryPrice),
      exitPrice: trades.map((trade) => trade.exitPrice)
    })
    assert.isTrue(found.isEqual, JSON.stringify(found))
    assert.isTrue(compareFigures("naive", run.figures, figures).isEqual)
    assert.isAbove(trades.length, 100)
  })

  it("finds what the naive loop finds for strategies drawn at random", () => {
    const runs = randomStrategies(20)
    const columnOf = makeConditionColumns(candles)
    const expected = runs.flatMap((run) =>
      Array.from(naiveRandomStrategy(candles, columnOf, run, atClose.feeRate))
    )
    const figures = ours.runMany(candles, runs, atClose)
    const found = compareFigures("naive", figures, Float64Array.from(expected))
    assert.isTrue(found.isEqual, JSON.stringify(found))
  })

  it("computes the indicators of the naive loops", () => {
    for (const columns of ["kept", "new"] as const) {
      const found = compareIndicators(
        "naive",
        ours.indicators(candles, columns),
        naiveSixIndicators(candles, makeSixColumns(candles.length)),
        1e-9
      )
      assert.isTrue(found.isEqual, JSON.stringify(found))
    }
  })

  it("counts an indicator that several bots ask for once", () => {
    const periods = botRuns(10_000).map(({ values }) => values)
    assert.strictEqual(distinctIndicators(periods.slice(0, 2)), 12)
    assert.strictEqual(distinctIndicators([...periods, ...periods]), 31 + 29 + 17 + 1_064 + 23 + 13)
  })

  it("compares Sharpe ratios unless the other has none", () => {
    const mine = Float64Array.of(0.1, 2, 0.3, 4)
    const other = Float64Array.of(0.1, Number.NaN, 0.3, 4)
    assert.isFalse(compareFigures("other", mine, other).isEqual)
    assert.isTrue(compareFigures("other", mine, other, { hasSharpe: false }).isEqual)
    other[3] = 5
    assert.isFalse(compareFigures("other", mine, other, { hasSharpe: false }).isEqual)
  })

  it("shows what was last measured only of rivals that did not run", () => {
    const rivalsOf = (measuredNow: ReadonlyArray<string>) =>
      lastMeasured(3, measuredNow).map(({ rival }) => rival)
    assert.deepStrictEqual(rivalsOf([]), ["vectorbt", "backtesting.py"])
    assert.deepStrictEqual(rivalsOf(["naive", "vectorbt"]), ["backtesting.py"])
    const againstOf = (row: number) => lastMeasured(row, []).map(({ against }) => against)
    assert.deepStrictEqual(againstOf(3), ["ours", "ours"])
    assert.deepStrictEqual(againstOf(6), ["the prototype", "the prototype"])
  })

  it("takes the time of a side that is in another process from that side", async () => {
    const [timing] = await measure(
      [{ name: "elsewhere", units: 1_000, runMs: () => Promise.resolve(5) }],
      { rounds: 3, clock: "cpu" }
    )
    assert.deepStrictEqual(timing, {
      name: "elsewhere",
      ms: 5,
      nsPerUnit: 5_000,
      spread: [5_000, 5_000]
    })
  })

  it("pins every Python package exactly", () => {
    const path = new URL("../peers/python/requirements.txt", import.meta.url)
    const lines = readFileSync(path, "utf8").trim().split("\n")
    const loose = lines.filter((line) => !line.startsWith("#") && !/^[\w.-]+==[\w.]+$/.test(line))
    assert.deepStrictEqual(loose, [])
    assert.strictEqual(pinnedVersion("vectorbt"), "1.1.0")
    assert.strictEqual(pinnedVersion("backtesting"), "0.6.6")
  })
})
