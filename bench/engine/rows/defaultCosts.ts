/**
 * Row 10: row 1 as a backtest is by default, both ways, against row 1 itself.
 *
 * The default costs ruin many pairs, which then trade no more, so that there is less to compute.
 * The same is run with costs so small that nobody is ruined; the slower of the two is judged.
 */
import { compareFigures } from "../compare.ts"
import type { Figures, RunSetting } from "../Engine.ts"
import { figuresAt } from "../figuresAt.ts"
import { formatCount, formatNumber, formatRatio } from "../format.ts"
import { measure } from "../measure.ts"
import { naiveSma } from "../naive/columns.ts"
import { naiveCrossingNextOpen } from "../naive/crossingNextOpen.ts"
import { sampleIndices } from "../sampleIndices.ts"
import { crossingRuns, sweepGrid } from "../work/crossing.ts"
import { atClose, atNextOpen, atNextOpenUnruined } from "../work/settings.ts"
import type { Row, RowContext } from "./Row.ts"

const gate = 2
const checkedMax = 8

/** The part of its capital at which a run is called ruined. */
const ruinedShare = 1e-6

/** How many runs end ruined, and how often all of them enter. */
const outcome = (figures: Figures): { readonly ruined: number; readonly entries: number } => {
  let ruined = 0
  let entries = 0
  for (let at = 0; at < figures.length; at += 4) {
    if (1 + figures[at]! < ruinedShare) ruined++
    entries += figures[at + 3]!
  }
  return { ruined, entries }
}

const pairs = (sizes: RowContext["sizes"], isBothWays: boolean) =>
  crossingRuns(sweepGrid(sizes.averages), isBothWays)

/** One setting, run once by both sides. */
const runSetting = ({ candles, engine, sizes }: RowContext, of: string, setting: RunSetting) => {
  const runs = pairs(sizes, true)
  const checked = sampleIndices(runs.length, Math.min(checkedMax, sizes.sample))
  const expected = new Float64Array(checked.length * 4)
  checked.forEach((index, at) => {
    const fast = naiveSma(candles.close, runs[index]!.values.fast)
    const slow = naiveSma(candles.close, runs[index]!.values.slow)
    expected.set(naiveCrossingNextOpen(candles, fast, slow, setting), at * 4)
  })
  const found = engine.runMany(candles, runs, setting)
  return {
    comparison: compareFigures(of, figuresAt(found, checked), expected),
    ...outcome(found),
    run: () => engine.runMany(candles, runs, setting)
  }
}

export const defaultCosts: Row = {
  number: 10,
  work: "row 1 with next-open fills, fees, slippage, shorts, whole lots",
  unit: "ns per candle × pair",
  gate: "≤ 2× row 1",
  goal: "no cost",
  calls: "`runMany` of `@candlewick/engine/fast`",
  run: async (context) => {
    const { candles, engine, sizes } = context
    const byDefault = runSetting(context, "naive", atNextOpen)
    const unruined = runSetting(context, "naive, nobody ruined", atNextOpenUnruined)
    const plain = pairs(sizes, false)
    const comparisons = [byDefault.comparison, unruined.comparison]
    const notes = [
      `${formatCount(plain.length)} pairs on every side; with the default costs ` +
        `${formatCount(byDefault.ruined)} of them lose all but a millionth and soon can't pay ` +
        `for a lot, which leaves ${formatCount(byDefault.entries)} entries to compute; with a fee ` +
        `and slippage of a millionth each, all else the same, ${formatCount(unruined.ruined)} do, ` +
        `and there are ${formatCount(unruined.entries)}. The slower of the two is judged`
    ]
    if (comparisons.some(({ isEqual }) => !isEqual)) return { comparisons, timed: null, notes }
    const units = candles.length * plain.length
    const [ours, oursUnruined, without] = await measure(
      [
        { name: "ours", units, run: byDefault.run },
        { name: "ours, nobody ruined", units, run: unruined.run },
        { name: "ours, row 1", units, run: () => engine.runMany(candles, plain, atClose) }
      ],
      { rounds: sizes.rounds, clock: "cpu" }
    )
    const times = ours!.nsPerUnit / without!.nsPerUnit
    const timesUnruined = oursUnruined!.nsPerUnit / without!.nsPerUnit
    return {
      comparisons,
      timed: {
        ours:
          `${formatNumber(ours!.nsPerUnit)} ns, ${formatRatio(times)} of row 1; nobody ruined ` +
          `${formatNumber(oursUnruined!.nsPerUnit)} ns, ${formatRatio(timesUnruined)} of row 1`,
        rivals: [
          { name: without!.name, figure: `${formatNumber(without!.nsPerUnit)} ns`, ratio: null }
        ],
        isGateMet: Math.max(times, timesUnruined) <= gate
      },
      notes
    }
  }
}
