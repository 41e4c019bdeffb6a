/**
 * Rows of positions that are built and sold in parts: a DCA and a grid.
 */
import type { StrategyDefinition } from "@candlewick/core"
import type { CandleColumns } from "@candlewick/engine/kernel"
import { backtest, sweep } from "@candlewick/engine/research"
import * as dca from "./dca.ts"
import { compareBacktest, compareSweep } from "./equalLoops.ts"
import * as grid from "./grid.ts"
import { asNaive, type LoopRow, thriceNaive } from "./LoopRow.ts"
import type { LoopResult } from "./LoopResult.ts"
import { capital, marketOptions } from "./market.ts"

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

const candleMs = 60_000

interface LadderWork<V> {
  readonly name: string
  readonly work: string
  readonly sets: ReadonlyArray<V>
  readonly fixed: unknown
  readonly source: string
  readonly loop: (candles: CandleColumns, values: V) => LoopResult
  /** The same in JSON; sets of one definition are run by one call. */
  readonly definitionOf: (values: V) => StrategyDefinition
  readonly valuesOf: (values: V) => Readonly<Record<string, number>>
  readonly fill: "next_open" | "close"
}

/** Sets by the definition that they have in common. */
const groupsOf = <V>(
  sets: ReadonlyArray<V>,
  definitionOf: (values: V) => StrategyDefinition
): ReadonlyArray<readonly [StrategyDefinition, ReadonlyArray<V>]> => {
  const groups = new Map<StrategyDefinition, Array<V>>()
  for (const values of sets) {
    const definition = definitionOf(values)
    groups.set(definition, [...(groups.get(definition) ?? []), values])
  }
  return [...groups]
}

/** A sweep for each definition, as one: its sets are in the order of the definitions. */
const sweepAll = <V>(
  candles: CandleColumns,
  groups: ReadonlyArray<readonly [StrategyDefinition, ReadonlyArray<V>]>,
  { fill, valuesOf }: Pick<LadderWork<V>, "fill" | "valuesOf">
) => {
  const swept = groups.map(([definition, sets]) =>
    sweep(candles, definition, sets.map(valuesOf), { ...marketOptions, fill })
  )
  const joined = (field: "totalReturn" | "sharpe" | "maxDrawdown" | "positionCount") =>
    Float64Array.from(swept.flatMap((one) => Array.from(one[field])))
  return {
    totalReturn: joined("totalReturn"),
    sharpe: joined("sharpe"),
    maxDrawdown: joined("maxDrawdown"),
    positionCount: joined("positionCount")
  }
}

/** A sweep against the loop, set after set. */
const ladderRow = <V>(given: LadderWork<V>): LoopRow => {
  const { definitionOf, fill, fixed, loop, name, sets, source, valuesOf, work } = given
  return {
    name,
    work,
    calls: "`sweep` of `@candlewick/engine/research`",
    must: thriceNaive,
    aim: asNaive,
    frozen: { sets, fixed, options: marketOptions },
    sources: [source],
    open: ({ candles, setCount }) => {
      const groups = groupsOf(sets.slice(0, setCount), definitionOf)
      const run = groups.flatMap(([, values]) => values)
      const units = candles.length * run.length
      const runNaive = () => run.map((values) => loop(candles, values))
      const runOurs = () => sweepAll(candles, groups, given)
      const expected = runNaive()
      return {
        naive: { units, run: runNaive },
        ours: { units, run: runOurs },
        refusal: null,
        others: [],
        figures: expected[0]!.figures,
        compare: () => {
          const parameters = valuesOf(run[0]!)
          const definition = definitionOf(run[0]!)
          const one = backtest(candles, definition, { ...marketOptions, fill, parameters })
          return Promise.resolve([
            compareSweep(runOurs(), expected),
            ...compareBacktest(one, expected[0]!, candleMs)
          ])
        }
      }
    }
  }
}

const price = { type: "price", field: "close" } as const
const market = { format: 1, symbols: ["BENCH/USD"], timeframe: "1m" } as const
const fraction = { kind: "float", default: 0.01, min: 0.001, max: 0.05 } as const
const line = { kind: "float", default: 30_000, min: 1, max: 1_000_000 } as const

const { baseNotional, distanceFactor, safetyCount, sizeFactor } = dca
const { lineCount, usedPart } = grid

const dcaDefinition: StrategyDefinition = {
  ...market,
  parameters: { distance: fraction, target: fraction },
  long: { enter: { type: "above", left: price, right: { type: "constant", value: 0 } } },
  sizing: { type: "fixed_notional", notional: baseNotional },
  safety_orders: {
    count: safetyCount,
    distance: { parameter: "distance" },
    distance_factor: distanceFactor,
    size_factor: sizeFactor
  },
  exits: { take_profit: { type: "fraction", value: { parameter: "target" } } }
}

const gridDefinition = (spacing: "arithmetic" | "geometric"): StrategyDefinition => ({
  ...market,
  parameters: { lower: { ...line, max: 30_000 }, upper: { ...line, min: 30_001, default: 33_000 } },
  grid: {
    lower: { parameter: "lower" },
    upper: { parameter: "upper" },
    lines: lineCount,
    spacing
  },
  sizing: { type: "fixed_notional", notional: (capital * usedPart) / (lineCount - 1) }
})

const arithmetic = gridDefinition("arithmetic")
const geometric = gridDefinition("geometric")

/** Both ladders. */
export const ladderRows: ReadonlyArray<LoopRow> = [
  ladderRow({
    name: "dca",
    work: "20 sets of a DCA with 5 safety orders, filled at the close",
    sets: dcaSets,
    fixed: { baseNotional, distanceFactor, safetyCount, sizeFactor },
    source: "dca.ts",
    loop: dca.dcaLoop,
    definitionOf: () => dcaDefinition,
    valuesOf: ({ distance, target }) => ({ distance, target }),
    fill: "close"
  }),
  ladderRow({
    name: "grid",
    work: "20 grids of 20 lines, 10 arithmetic and 10 geometric",
    sets: gridSets,
    fixed: { lineCount, usedPart },
    source: "grid.ts",
    loop: grid.gridLoop,
    definitionOf: ({ isGeometric }) => (isGeometric ? geometric : arithmetic),
    valuesOf: ({ highest, lowest }) => ({ lower: lowest, upper: highest }),
    fill: "next_open"
  })
]
