/**
 * Makes the row of a sweep over crossing exponential averages.
 */
import type { StrategyDefinition } from "@candlewick/core"
import type { CandleColumns, MarketSpec } from "@candlewick/engine/kernel"
import { backtest, sweep } from "@candlewick/engine/research"
import { compareBacktest, compareSweep } from "./equalLoops.ts"
import { type LoopColumns, makeLoopColumns } from "./loopColumns.ts"
import { asNaive, type LoopRow, thriceNaive } from "./LoopRow.ts"
import type { LoopResult } from "./LoopResult.ts"
import { marketOptions } from "./market.ts"

const candleMs = 60_000

const fast = { type: "ema", period: { parameter: "fast" } } as const
const slow = { type: "ema", period: { parameter: "slow" } } as const
/** The fast average rises above the slow one. */
export const rises = { type: "crosses_above", left: fast, right: slow } as const
/** The fast average falls below the slow one. */
export const falls = { type: "crosses_below", left: fast, right: slow } as const

/** Periods of both averages. */
export const crossParameters = {
  fast: { kind: "integer", default: 20, min: 1, max: 1_000 },
  slow: { kind: "integer", default: 200, min: 1, max: 1_000 }
} as const

/** A crossing of averages, long only. */
export const crossDefinition: StrategyDefinition = {
  format: 1,
  symbols: ["BENCH/USD"],
  timeframe: "1m",
  parameters: crossParameters,
  long: { enter: rises, exit: falls }
}

/** Four fast averages with five slow ones; the first sets are of different averages. */
export const crossSets = Array.from({ length: 20 }, (_, nth) => ({
  fast: 20 + 20 * (nth % 4),
  slow: 200 + 100 * (nth % 5)
}))

/** The strategy and the sets of a sweep. */
export interface SweptWork<V extends Readonly<Record<string, number>>> {
  readonly name: string
  readonly work: string
  readonly definition: StrategyDefinition
  readonly sets: ReadonlyArray<V>
  readonly market?: Partial<MarketSpec>
  readonly source: string
  readonly loop: (candles: CandleColumns, columns: LoopColumns, values: V) => LoopResult
}

/** The row: `sweep()` against the loop, set after set, each column once in a call. */
export const sweepRow = <V extends Readonly<Record<string, number>>>({
  definition,
  loop,
  market = {},
  name,
  sets,
  source,
  work
}: SweptWork<V>): LoopRow => {
  const options = { ...marketOptions, market: { ...marketOptions.market, ...market } }
  return {
    name,
    work,
    calls: "`sweep` of `@candlewick/engine/research`",
    must: thriceNaive,
    aim: asNaive,
    frozen: { definition, sets, options },
    sources: [source],
    open: ({ candles, setCount }) => {
      const run = sets.slice(0, setCount)
      const units = candles.length * run.length
      const runNaive = (): ReadonlyArray<LoopResult> => {
        const columns = makeLoopColumns(candles)
        return run.map((values) => loop(candles, columns, values))
      }
      const plain: ReadonlyArray<Readonly<Record<string, number>>> = run
      const runOurs = () => sweep(candles, definition, plain, options)
      const expected = runNaive()
      return {
        naive: { units, run: runNaive },
        ours: { units, run: runOurs },
        refusal: null,
        others: [],
        figures: expected[0]!.figures,
        compare: () => {
          const parameters = run[0]!
          const one = backtest(candles, definition, { ...options, parameters })
          return Promise.resolve([
            compareSweep(runOurs(), expected),
            ...compareBacktest(one, expected[0]!, candleMs)
          ])
        }
      }
    }
  }
}
