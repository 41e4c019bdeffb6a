/**
 * Row 8: from the start of a process to a thousand pairs done.
 */
import { formatCount, formatNumber } from "../format.ts"
import { median } from "../measure.ts"
import { runCold } from "../runCold.ts"
import type { Row } from "./Row.ts"

const gateMs = 400

export const coldStart: Row = {
  number: 8,
  work: "process start to 1 000 pairs × 1 M done",
  unit: "ms that pass",
  gate: "≤ 400 ms",
  goal: "≤ 150 ms",
  calls: "`runMany` of `@candlewick/engine/fast`, as it is published, in a process of its own",
  run: async ({ candles, sizes }) => {
    const { coldAverages, coldProcesses } = sizes
    const cold = await runCold(candles, coldAverages, coldProcesses)
    const comparisons = [cold.comparison]
    const notes = [
      `${formatCount(cold.pairCount)} pairs, from starting the process to its end: ` +
        `${coldAverages.fast} of row 1's fast averages, evenly spaced, with ${coldAverages.slow} ` +
        "of its slow ones",
      "the process reads a raw file of doubles, and of it only the column it needs, the close, " +
        "without the checks that reading a candle file comes with"
    ]
    if (!cold.comparison.isEqual) return { comparisons, timed: null, notes }
    const ms = median(cold.ms)
    return {
      comparisons,
      timed: {
        ours: `${formatNumber(ms)} ms`,
        rivals: [],
        isGateMet: ms <= gateMs
      },
      notes
    }
  }
}
