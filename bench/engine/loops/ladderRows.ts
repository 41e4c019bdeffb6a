/**
 * Rows of positions that are built and sold in parts: a DCA and a grid.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import * as dca from "./dca.ts"
import * as grid from "./grid.ts"
import { asNaive, type LoopRow, thriceNaive } from "./LoopRow.ts"
import type { LoopResult } from "./LoopResult.ts"
import { marketOptions } from "./market.ts"

/** Distances from half a percent and targets from 0.4 % on, each with each. */
const dcaSets: ReadonlyArray<dca.DcaValues> = Array.from({ length: 20 }, (_, nth) => ({
  distance: 0.005 * (1 + (nth % 5)),
  target: 0.004 * (1 + (nth % 4))
}))

/** Ranges around the first price of the series, arithmetic and geometric by turns. */
const gridSets: ReadonlyArray<grid.GridValues> = Array.from({ length: 20 }, (_, nth) => ({
  lowest: 27_000 - 900 * (nth % 10),
  highest: 33_000 + 1_200 * (nth % 10),
  isGeometric: nth >= 10
}))

interface LadderWork<V> {
  readonly name: string
  readonly work: string
  readonly sets: ReadonlyArray<V>
  readonly fixed: unknown
  readonly source: string
  readonly loop: (candles: CandleColumns, values: V) => LoopResult
}

/** A strategy definition has no word for lots, so that there is nothing to time yet. */
const ladderRow = <V>({ fixed, loop, name, sets, source, work }: LadderWork<V>): LoopRow => ({
  name,
  work,
  calls: "`sweep` of `@candlewick/engine/research`",
  must: thriceNaive,
  aim: asNaive,
  frozen: { sets, fixed, options: marketOptions },
  sources: [source],
  open: ({ candles, setCount }) => {
    const run = sets.slice(0, setCount)
    const runNaive = () => run.map((values) => loop(candles, values))
    return {
      naive: { units: candles.length * run.length, run: runNaive },
      ours: null,
      refusal: "not sayable: a definition has one entry and one exit a position",
      others: [],
      figures: runNaive()[0]!.figures,
      compare: () => Promise.resolve([])
    }
  }
})

const { baseNotional, distanceFactor, safetyCount, sizeFactor } = dca
const { lineCount, usedPart } = grid

/** Both ladders. */
export const ladderRows: ReadonlyArray<LoopRow> = [
  ladderRow({
    name: "dca",
    work: "20 sets of a DCA with 5 safety orders, filled at the close",
    sets: dcaSets,
    fixed: { baseNotional, distanceFactor, safetyCount, sizeFactor },
    source: "dca.ts",
    loop: dca.dcaLoop
  }),
  ladderRow({
    name: "grid",
    work: "20 grids of 20 lines, 10 arithmetic and 10 geometric",
    sets: gridSets,
    fixed: { lineCount, usedPart },
    source: "grid.ts",
    loop: grid.gridLoop
  })
]
