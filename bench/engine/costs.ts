/**
 * How cost grows: with the density of trades, from fast averages to slow ones, and with the number
 * of candles.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import { benchmarkCandles } from "./candles.ts"
import { compareFigures } from "./compare.ts"
import type { Engine } from "./Engine.ts"
import { figuresAt } from "./figuresAt.ts"
import { formatCount, formatNumber, formatRatio, formatTable } from "./format.ts"
import { measure } from "./measure.ts"
import { naiveSma } from "./naive/columns.ts"
import { naiveCrossing } from "./naive/crossing.ts"
import { sampleIndices } from "./sampleIndices.ts"
import type { Sizes } from "./sizes.ts"
import { crossingRuns, type CrossingGrid, periods } from "./work/crossing.ts"
import { atClose } from "./work/settings.ts"

/** First fast period and step, first slow period and step. */
const densities = [
  [2, 1, 31, 1],
  [3, 1, 40, 2],
  [5, 3, 70, 8],
  [5, 5, 110, 40],
  [100, 10, 400, 30],
  [300, 10, 600, 20]
] as const

/** Naive runs beside each figure. */
const naiveCount = 3

const measureGrid = async (
  candles: CandleColumns,
  engine: Engine,
  grid: CrossingGrid,
  rounds: number
) => {
  const runs = crossingRuns(grid)
  const checked = sampleIndices(runs.length, naiveCount)
  const naiveFigures = new Float64Array(checked.length * 4)
  const columns = checked.map((index) => ({
    fast: naiveSma(candles.close, runs[index]!.values.fast),
    slow: naiveSma(candles.close, runs[index]!.values.slow)
  }))
  const runNaive = (): void =>
    columns.forEach(({ fast, slow }, at) =>
      naiveCrossing(candles.close, fast, slow, atClose.feeRate, naiveFigures, at * 4)
    )
  runNaive()
  const figures = engine.runMany(candles, runs, atClose)
  const { isEqual } = compareFigures("naive", figuresAt(figures, checked), naiveFigures)
  if (!isEqual) throw new Error("ours and the naive loop differ")
  const [ours, naive] = await measure(
    [
      {
        name: "ours",
        units: candles.length * runs.length,
        run: () => engine.runMany(candles, runs, atClose)
      },
      { name: "naive", units: candles.length * checked.length, run: runNaive }
    ],
    { rounds, clock: "cpu" }
  )
  const trades = runs.reduce((count, _, at) => count + figures[at * 4 + 3]!, 0)
  return {
    runCount: runs.length,
    ours: ours!.nsPerUnit,
    naive: naive!.nsPerUnit,
    tradesPerCandle: trades / runs.length / candles.length
  }
}

const span = (all: ReadonlyArray<number>): string => `${all[0]}–${all[all.length - 1]}`

/** The same number of pairs, from averages that cross all the time to those that hardly do. */
export const costOverDensity = async (
  candles: CandleColumns,
  engine: Engine,
  sizes: Sizes
): Promise<string> => {
  const lines: Array<ReadonlyArray<string>> = []
  for (const [fast, fastStep, slow, slowStep] of densities) {
    const grid = {
      fasts: periods(fast, fastStep, sizes.costAverages),
      slows: periods(slow, slowStep, sizes.costAverages)
    }
    const cost = await measureGrid(candles, engine, grid, sizes.costRounds)
    lines.push([
      `${span(grid.fasts)} × ${span(grid.slows)}`,
      formatCount(cost.runCount),
      formatNumber(cost.tradesPerCandle * 1000),
      `${formatNumber(cost.ours)} ns`,
      `${formatNumber(cost.ours / cost.tradesPerCandle)} ns`,
      `${formatNumber(cost.naive)} ns`,
      formatRatio(cost.naive / cost.ours)
    ])
  }
  return formatTable(
    ["averages", "pairs", "trades per 1 000 candles", "ours", "ours, a trade", "naive", "ratio"],
    lines
  )
}

/** The same pairs over ever more candles. */
export const costOverCandles = async (engine: Engine, sizes: Sizes): Promise<string> => {
  const lines: Array<ReadonlyArray<string>> = []
  const grid = {
    fasts: periods(5, 5, sizes.costAverages),
    slows: periods(110, 40, sizes.costAverages)
  }
  for (const count of sizes.candleCounts) {
    const cost = await measureGrid(benchmarkCandles(count), engine, grid, sizes.costRounds)
    lines.push([
      formatCount(count),
      formatCount(cost.runCount),
      `${formatNumber(cost.ours)} ns`,
      `${formatNumber((cost.ours * count * cost.runCount) / 1e6)} ms`,
      `${formatNumber(cost.naive)} ns`,
      formatRatio(cost.naive / cost.ours)
    ])
  }
  return formatTable(["candles", "pairs", "ours", "ours in all", "naive", "ratio"], lines)
}
