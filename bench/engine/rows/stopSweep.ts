/**
 * Row 4: a thousand sets of level, stop and target of row 3.
 */
import { compareFigures } from "../compare.ts"
import { figuresAt } from "../figuresAt.ts"
import { formatCount, formatNumber } from "../format.ts"
import { measure } from "../measure.ts"
import { naiveNote, naiveSides } from "../naive/naiveSides.ts"
import type * as reversal from "../naive/reversal.ts"
import { naiveReversal, reversalColumns } from "../naive/reversal.ts"
import { pythonRivals } from "../peers/python/pythonRivals.ts"
import { sampleIndices } from "../sampleIndices.ts"
import { reversalGrid, reversalRun } from "../work/reversal.ts"
import { atClose } from "../work/settings.ts"
import type { Row } from "./Row.ts"

const gate = 40

/** Sets that vectorbt runs at once: more of them take longer for each. */
const vectorbtSets = 4

export const stopSweep: Row = {
  number: 4,
  work: "1 000 stop/target/level sets of it",
  unit: "ns per candle × set",
  gate: "≥ 40× naive",
  goal: "≥ 90× naive, ≥ 1 500× vectorbt",
  calls: "`runMany` of `@candlewick/engine/fast`",
  hasPython: true,
  run: async ({ candles, engine, python, sizes }) => {
    const runs = reversalGrid().map(reversalRun)
    const checked = sampleIndices(runs.length, sizes.sample)
    const columns = reversalColumns(candles)
    const naiveFigures = new Float64Array(checked.length * 4)
    const runNaive = (loop: typeof naiveReversal): void =>
      checked.forEach((index, at) => {
        const { values } = runs[index]!
        loop(candles, columns, values, atClose.feeRate, naiveFigures, at * 4, [])
      })
    runNaive(naiveReversal)
    const found = figuresAt(engine.runMany(candles, runs, atClose), checked)
    const others = await pythonRivals(python, engine, candles, atClose, {
      work: "reversal",
      isGivenColumns: true,
      vectorbtRuns: sampleIndices(runs.length, vectorbtSets).map((index) => runs[index]!),
      backtestingRun: runs[runs.length >> 1]!,
      noun: "sets"
    })
    const comparisons = [compareFigures("naive", found, naiveFigures), ...others.comparisons]
    const notes = [
      `ours ran ${formatCount(runs.length)} sets, columns included; ` +
        `naive ${checked.length} of them, columns given`,
      naiveNote,
      ...others.notes
    ]
    if (comparisons.some(({ isEqual }) => !isEqual)) return { comparisons, timed: null, notes }
    const naiveLoops = await naiveSides<typeof reversal>(
      new URL("../naive/reversal.ts", import.meta.url),
      candles.length * checked.length,
      (module) => runNaive(module.naiveReversal)
    )
    const [ours, naive, ...rivals] = await measure(
      [
        {
          name: "ours",
          units: candles.length * runs.length,
          run: () => engine.runMany(candles, runs, atClose)
        },
        ...naiveLoops,
        ...others.sides
      ],
      { rounds: sizes.rounds, clock: "cpu" }
    )
    const ratio = naive!.nsPerUnit / ours!.nsPerUnit
    return {
      comparisons,
      timed: {
        ours: `${formatNumber(ours!.nsPerUnit)} ns`,
        rivals: [naive!, ...rivals].map(({ name, nsPerUnit }) => ({
          name,
          figure: `${formatNumber(nsPerUnit)} ns`,
          ratio: nsPerUnit / ours!.nsPerUnit
        })),
        isGateMet: ratio >= gate
      },
      notes
    }
  }
}
