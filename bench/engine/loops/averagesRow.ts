/**
 * The guard of what is fast already: row 1 of the other table, against the loop after V8 has settled
 * on it.
 */
import { runMany } from "@candlewick/engine/fast"
import { compareFigures } from "../compare.ts"
import { toOptions } from "../fastEngine.ts"
import { figuresAt } from "../figuresAt.ts"
import { naiveSma } from "../naive/columns.ts"
import { naiveCrossing } from "../naive/crossing.ts"
import { sampleIndices } from "../sampleIndices.ts"
import { crossingRuns, sweepGrid } from "../work/crossing.ts"
import { atClose } from "../work/settings.ts"
import { equityTolerance } from "./equalLoops.ts"
import type { LoopRow } from "./LoopRow.ts"

const goal = { rival: "naive", times: 30, text: "≥ 30× faster than naive" } as const
const naiveCount = 24
const averageCount = 100
const options = toOptions(atClose)

export const averagesRow: LoopRow = {
  name: "averages-sweep",
  work: "sweep of 10 000 pairs of simple averages over a million candles; naive: 24, columns given",
  calls: "`runMany` of `@candlewick/engine/fast`",
  must: goal,
  aim: goal,
  frozen: { grid: sweepGrid(averageCount), definition: crossingRuns(sweepGrid(1))[0], options },
  sources: ["../naive/crossing.ts"],
  candleCount: 1_000_000,
  open: ({ candles, setCount }) => {
    const runs = crossingRuns(sweepGrid(Math.min(setCount * setCount, averageCount)))
    const checked = sampleIndices(runs.length, naiveCount)
    const pairs = checked.map((index) => {
      const { fast, slow } = runs[index]!.values
      return { fast: naiveSma(candles.close, fast), slow: naiveSma(candles.close, slow) }
    })
    const runNaive = () => {
      const figures = new Float64Array(pairs.length * 4)
      pairs.forEach(({ fast, slow }, nth) =>
        naiveCrossing(candles.close, fast, slow, atClose.feeRate, figures, nth * 4)
      )
      return figures
    }
    const runOurs = () => runMany(candles, runs, options)
    const expected = runNaive()
    return {
      naive: { units: candles.length * pairs.length, run: runNaive },
      ours: { units: candles.length * runs.length, run: runOurs },
      refusal: null,
      others: [],
      figures: expected.slice(0, 4),
      compare: () => {
        const found = figuresAt(runOurs(), checked)
        const tolerance = equityTolerance
        return Promise.resolve([compareFigures("naive", found, expected, { tolerance })])
      }
    }
  }
}
