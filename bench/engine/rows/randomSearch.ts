/**
 * Row 5: strategies drawn at random, with stops; what a trade costs, everything included.
 */
import { compareFigures } from "../compare.ts"
import type { Figures } from "../Engine.ts"
import { figuresAt } from "../figuresAt.ts"
import { formatCount, formatNumber } from "../format.ts"
import { measure } from "../measure.ts"
import { makeConditionColumns, naiveRandomStrategy } from "../naive/randomStrategy.ts"
import { runsFor } from "../runsFor.ts"
import { sampleIndices } from "../sampleIndices.ts"
import { randomStrategies } from "../work/randomStrategies.ts"
import { atClose } from "../work/settings.ts"
import type { Row } from "./Row.ts"

const gateNs = 60

/** Strategies whose figures are compared; a naive one takes as long as a thousand fast ones. */
const checkedMax = 12

const tradeCount = (figures: Figures): number => {
  let count = 0
  for (let at = 3; at < figures.length; at += 4) count += figures[at]!
  return count
}

export const randomSearch: Row = {
  number: 5,
  work: "10 000 random five-condition strategies with stops",
  unit: "ns per trade",
  gate: "≤ 60 ns",
  goal: "≤ 20 ns",
  method: "runMany",
  run: async ({ candles, engine, sizes }) => {
    const all = randomStrategies(sizes.randomStrategies)
    const runs = runsFor(engine, all)
    const checked = sampleIndices(runs.length, Math.min(checkedMax, sizes.sample))
    const columnOf = makeConditionColumns(candles)
    const runNaive = (): Figures => {
      const figures = new Float64Array(checked.length * 4)
      checked.forEach((index, at) => {
        const one = naiveRandomStrategy(candles, columnOf, runs[index]!, atClose.feeRate)
        figures.set(one, at * 4)
      })
      return figures
    }
    const found = engine.runMany(candles, runs, atClose)
    const expected = runNaive()
    const comparisons = [compareFigures("naive", figuresAt(found, checked), expected)]
    const oursTrades = tradeCount(found)
    const perStrategy = (oursTrades / runs.length / candles.length) * 1000
    const notes = [
      `ours ran ${formatCount(runs.length)} of ${formatCount(all.length)} strategies, columns and ` +
        `conditions included: ${formatCount(oursTrades)} trades, ${formatNumber(perStrategy)} per ` +
        `1 000 candles; naive ${checked.length} of them, columns given`
    ]
    if (comparisons.some(({ isEqual }) => !isEqual)) return { comparisons, timed: null, notes }
    const [ours, naive] = await measure(
      [
        {
          name: "ours",
          units: Math.max(1, oursTrades),
          run: () => engine.runMany(candles, runs, atClose)
        },
        { name: "naive", units: Math.max(1, tradeCount(expected)), run: runNaive }
      ],
      { rounds: sizes.rounds, clock: "cpu" }
    )
    return {
      comparisons,
      timed: {
        ours: `${formatNumber(ours!.nsPerUnit)} ns`,
        rivals: [
          {
            name: "naive",
            figure: `${formatNumber(naive!.nsPerUnit)} ns`,
            ratio: naive!.nsPerUnit / ours!.nsPerUnit
          }
        ],
        isGateMet: ours!.nsPerUnit <= gateNs,
        isWhole: runs.length === all.length
      },
      notes
    }
  }
}
