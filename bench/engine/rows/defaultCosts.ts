/**
 * Row 10: row 1 as a backtest is by default, both ways, against row 1 itself.
 */
import { compareFigures } from "../compare.ts"
import { figuresAt } from "../figuresAt.ts"
import { formatCount, formatNumber } from "../format.ts"
import { measure } from "../measure.ts"
import { naiveSma } from "../naive/columns.ts"
import { naiveCrossingNextOpen } from "../naive/crossingNextOpen.ts"
import { runsFor } from "../runsFor.ts"
import { sampleIndices } from "../sampleIndices.ts"
import { crossingRuns, sweepGrid } from "../work/crossing.ts"
import { atClose, atNextOpen, withEndlessLots } from "../work/settings.ts"
import type { Row } from "./Row.ts"

const gate = 2
const checkedMax = 8

export const defaultCosts: Row = {
  number: 10,
  work: "row 1 with next-open fills, fees, slippage, shorts, whole lots",
  unit: "ns per candle × pair",
  gate: "≤ 2× row 1",
  goal: "no cost",
  method: "runMany",
  run: async ({ candles, engine, sizes }) => {
    const grid = sweepGrid(sizes.averages)
    const all = crossingRuns(grid, true)
    const runs = runsFor(engine, all)
    const plain = runsFor(engine, crossingRuns(grid))
    const checked = sampleIndices(runs.length, Math.min(checkedMax, sizes.sample))
    const expected = new Float64Array(checked.length * 4)
    checked.forEach((index, at) => {
      const fast = naiveSma(candles.close, runs[index]!.values.fast)
      const slow = naiveSma(candles.close, runs[index]!.values.slow)
      expected.set(naiveCrossingNextOpen(candles, fast, slow, atNextOpen), at * 4)
    })
    const found = figuresAt(engine.runMany(candles, runs, atNextOpen), checked)
    const comparisons = [compareFigures("naive", found, expected)]
    const notes = [`${formatCount(runs.length)} of ${formatCount(all.length)} pairs on both sides`]
    if (comparisons.some(({ isEqual }) => !isEqual)) return { comparisons, timed: null, notes }
    const units = candles.length * runs.length
    const [ours, endless, without] = await measure(
      [
        { name: "ours", units, run: () => engine.runMany(candles, runs, atNextOpen) },
        { name: "endless lots", units, run: () => engine.runMany(candles, runs, withEndlessLots) },
        { name: "ours, row 1", units, run: () => engine.runMany(candles, plain, atClose) }
      ],
      { rounds: sizes.rounds, clock: "cpu" }
    )
    const withAll = `${formatNumber(endless!.nsPerUnit)} ns`
    const times = formatNumber(endless!.nsPerUnit / without!.nsPerUnit)
    return {
      comparisons,
      timed: {
        ours: `${formatNumber(ours!.nsPerUnit)} ns`,
        rivals: [
          {
            name: without!.name,
            figure: `${formatNumber(without!.nsPerUnit)} ns`,
            ratio: without!.nsPerUnit / ours!.nsPerUnit
          }
        ],
        isGateMet: ours!.nsPerUnit <= gate * without!.nsPerUnit,
        isWhole: runs.length === all.length
      },
      notes: [
        ...notes,
        `with a lot that no loss makes too large, so that no run ever stops trading: ${withAll}, ${times} times row 1`
      ]
    }
  }
}
