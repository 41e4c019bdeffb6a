/**
 * Row 1: many pairs of averages on one series.
 */
import { compareFigures, compareTrades } from "../compare.ts"
import { figuresAt } from "../figuresAt.ts"
import { formatCount, formatNumber } from "../format.ts"
import { measure } from "../measure.ts"
import { naiveSma } from "../naive/columns.ts"
import type * as crossing from "../naive/crossing.ts"
import { naiveCrossing } from "../naive/crossing.ts"
import { naiveNote, naiveSides } from "../naive/naiveSides.ts"
import { naiveCrossingTrades } from "../naive/crossingTrades.ts"
import { grademarkCrossing, grademarkFrame } from "../peers/grademark.ts"
import { pythonRivals, type SharedRun } from "../peers/python/pythonRivals.ts"
import { sampleIndices } from "../sampleIndices.ts"
import { crossingRuns, type CrossingGrid, sweepGrid } from "../work/crossing.ts"
import { atClose } from "../work/settings.ts"
import type { Row } from "./Row.ts"

const gate = 60

/**
 * Two averages by two others of the grid. vectorbt takes the less time for a pair, the fewer of
 * them its matrices hold; with two by two it computes as many averages as pairs.
 */
const vectorbtRuns = <A extends SharedRun>(
  all: ReadonlyArray<A>,
  { fasts, slows }: CrossingGrid
): ReadonlyArray<A> =>
  all.filter(
    ({ values: { fast, slow } }) =>
      (fast === fasts[0] || fast === fasts.at(-1)) && (slow === slows[0] || slow === slows.at(-1))
  )

export const sweep: Row = {
  number: 1,
  work: "sweep of 10 000 SMA pairs: return, Sharpe ratio, largest drawdown, trades, with fees",
  unit: "ns per candle × pair",
  gate: "≥ 60× naive",
  goal: "≥ 150× naive, ≥ 5 000× vectorbt",
  calls: "`runMany` of `@candlewick/engine/fast`",
  hasPython: true,
  run: async ({ candles, engine, python, sizes }) => {
    const grid = sweepGrid(sizes.averages)
    const runs = crossingRuns(grid)
    const checked = sampleIndices(runs.length, sizes.sample)
    const naivePairs = checked.map((index) => {
      const { fast, slow } = runs[index]!.values
      return { fast: naiveSma(candles.close, fast), slow: naiveSma(candles.close, slow) }
    })
    const naiveFigures = new Float64Array(naivePairs.length * 4)
    const runNaive = (loop: typeof naiveCrossing): void =>
      naivePairs.forEach(({ fast, slow }, index) =>
        loop(candles.close, fast, slow, atClose.feeRate, naiveFigures, index * 4)
      )
    runNaive(naiveCrossing)
    const [first] = naivePairs
    const frame = grademarkFrame(candles)
    const others = await pythonRivals(python, engine, candles, atClose, {
      work: "crossing",
      isGivenColumns: false,
      vectorbtRuns: vectorbtRuns(runs, grid),
      backtestingRun: runs[0]!,
      noun: "pairs"
    })
    const comparisons = [
      compareFigures(
        "naive",
        figuresAt(engine.runMany(candles, runs, atClose), checked),
        naiveFigures
      ),
      compareTrades(
        "grademark, by its own rules",
        naiveCrossingTrades(candles, first!.fast, first!.slow),
        grademarkCrossing(frame, first!.fast, first!.slow)
      ),
      ...others.comparisons
    ]
    const notes = [
      `ours ran ${formatCount(runs.length)} pairs, columns included; ` +
        `naive ${naivePairs.length} of them, columns given; grademark one, columns given`,
      naiveNote,
      ...others.notes
    ]
    if (comparisons.some(({ isEqual }) => !isEqual)) return { comparisons, timed: null, notes }
    const naiveLoops = await naiveSides<typeof crossing>(
      new URL("../naive/crossing.ts", import.meta.url),
      candles.length * naivePairs.length,
      (module) => runNaive(module.naiveCrossing)
    )
    const [ours, naive, ...rivals] = await measure(
      [
        {
          name: "ours",
          units: candles.length * runs.length,
          run: () => engine.runMany(candles, runs, atClose)
        },
        ...naiveLoops,
        {
          name: "grademark",
          units: candles.length,
          run: () => grademarkCrossing(frame, first!.fast, first!.slow)
        },
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
