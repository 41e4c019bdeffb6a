/**
 * Row 9: the most memory that a process had while it swept row 1.
 */
import { formatCount, formatNumber } from "../format.ts"
import { median } from "../measure.ts"
import { runCold } from "../runCold.ts"
import type { Row } from "./Row.ts"

const gateMb = 200
const processCount = 3

export const peakMemory: Row = {
  number: 9,
  work: "peak memory, 10 000 pairs × 1 M",
  unit: "MB resident, Node included",
  gate: "≤ 200 MB",
  goal: "≤ 100 MB",
  method: "runMany",
  run: async ({ candles, sizes }) => {
    const grid = { fast: sizes.averages, slow: sizes.averages }
    const cold = await runCold(candles, grid, processCount)
    const comparisons = [cold.comparison]
    const notes = [`${formatCount(cold.pairCount)} pairs`]
    if (!cold.comparison.isEqual) return { comparisons, timed: null, notes }
    const megabytes = median(cold.memoryMb)
    return {
      comparisons,
      timed: {
        ours: `${formatNumber(megabytes)} MB`,
        rivals: [],
        isGateMet: megabytes <= gateMb,
        isWhole: true
      },
      notes
    }
  }
}
