/**
 * Row 2: row 1 on two workers, equal to one to the bit.
 */
import { compareFigures } from "../compare.ts"
import { formatNumber } from "../format.ts"
import { measure } from "../measure.ts"
import { moreRounds } from "../sizes.ts"
import { crossingRuns, sweepGrid } from "../work/crossing.ts"
import { atClose } from "../work/settings.ts"
import type { Row } from "./Row.ts"

const gate = 1.6

export const twoWorkers: Row = {
  number: 2,
  work: "the same, two workers",
  unit: "ms that pass",
  gate: "≥ 1.6× one",
  goal: "≥ 1.8× one",
  calls:
    "`runMany` of `@candlewick/engine/fast`, on two threads that are the benchmark's own " +
    "(`bench/engine/runManyOnWorkers.ts`): each is given every other pair, over shared memory",
  run: async ({ candles, engine, sizes }) => {
    const { runManyOnWorkers } = engine
    const runs = crossingRuns(sweepGrid(sizes.averages))
    const comparisons = [
      compareFigures(
        "one worker",
        await runManyOnWorkers(candles, runs, atClose, 2),
        engine.runMany(candles, runs, atClose),
        { tolerance: 0 }
      )
    ]
    if (comparisons.some(({ isEqual }) => !isEqual)) return { comparisons, timed: null, notes: [] }
    const [two, one] = await measure(
      [
        {
          name: "two workers",
          units: 1,
          run: () => runManyOnWorkers(candles, runs, atClose, 2)
        },
        { name: "one worker", units: 1, run: () => engine.runMany(candles, runs, atClose) }
      ],
      { rounds: sizes.rounds * moreRounds, clock: "wall" }
    )
    const ratio = one!.ms / two!.ms
    return {
      comparisons,
      timed: {
        ours: `${formatNumber(two!.ms)} ms`,
        rivals: [{ name: "one worker", figure: `${formatNumber(one!.ms)} ms`, ratio }],
        isGateMet: ratio >= gate
      },
      notes: []
    }
  }
}
