/**
 * Row 9: the most memory that a process had while it swept row 1.
 */
import { formatCount, formatNumber } from "../format.ts"
import { median } from "../measure.ts"
import { runCold } from "../runCold.ts"
import type { Row } from "./Row.ts"

const gateMb = 200

export const peakMemory: Row = {
  number: 9,
  work: "peak memory, 10 000 pairs × 1 M",
  unit: "MB resident, Node included",
  gate: "≤ 200 MB",
  goal: "≤ 100 MB",
  calls: "`runMany` of `@candlewick/engine/fast`, as it is published, in a process of its own",
  run: async ({ candles, sizes }) => {
    const grid = { fast: sizes.averages, slow: sizes.averages }
    const cold = await runCold(candles, grid, sizes.memoryProcesses)
    const comparisons = [cold.comparison]
    const notes = [
      `${formatCount(cold.pairCount)} pairs, in each of ${sizes.memoryProcesses} processes, which ` +
        "read the close from a raw file of doubles as those of row 8 do"
    ]
    if (!cold.comparison.isEqual) return { comparisons, timed: null, notes }
    const megabytes = median(cold.memoryMb)
    return {
      comparisons,
      timed: {
        ours: `${formatNumber(megabytes)} MB`,
        rivals: [],
        isGateMet: megabytes <= gateMb
      },
      notes
    }
  }
}
