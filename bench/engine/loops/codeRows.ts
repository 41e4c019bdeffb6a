/**
 * Rows of a crossing of exponential averages that is written in code.
 */
import { backtest, define, indicators, integer, sweep } from "@candlewick/engine/research"
import { crossLoop } from "./cross.ts"
import { compareBacktest, compareSweep } from "./equalLoops.ts"
import { makeLoopColumns } from "./loopColumns.ts"
import type { LoopRow } from "./LoopRow.ts"
import { marketOptions } from "./market.ts"
import { crossSets } from "./sweepRow.ts"

const candleMs = 60_000

/** A backtest shows code so many candles at once that averages have forgotten how they began. */
const lookback = 20_000

const crossing = define({
  name: "crossing",
  symbols: ["BENCH/USD"],
  timeframe: "1m",
  parameters: { fast: integer(20, 1, 1_000), slow: integer(200, 1, 1_000) },
  warmup: ({ slow }) => slow,
  lookback,
  indicators: ({ close }, { fast, slow }) => ({
    fast: indicators.ema(close, { period: fast }),
    slow: indicators.ema(close, { period: slow })
  }),
  onCandle: ({ position, value }) => {
    const before = value("fast", 1) - value("slow", 1)
    const now = value("fast") - value("slow")
    if (position === null) return { enterLong: now > 0 && before <= 0 }
    return { exitLong: now < 0 && before >= 0 }
  }
})

const shared = {
  must: { rival: "the baseline", times: 3, text: "3× faster than the baseline" },
  aim: { rival: "the baseline", times: 10, text: "10× faster than the baseline" },
  sources: ["cross.ts", "codeRows.ts"]
} as const

const codeBacktest: LoopRow = {
  ...shared,
  name: "code-backtest",
  work: "one EMA cross written with `define`",
  calls: "`backtest` of `@candlewick/engine/research`",
  frozen: { set: crossSets[0], options: marketOptions, lookback },
  open: ({ candles }) => {
    const values = crossSets[0]!
    const runNaive = () => crossLoop(candles, makeLoopColumns(candles), values)
    const runOurs = () => backtest(candles, crossing, { ...marketOptions, parameters: values })
    const expected = runNaive()
    return {
      naive: { units: candles.length, run: runNaive },
      ours: { units: candles.length, run: runOurs },
      refusal: null,
      others: [],
      figures: expected.figures,
      compare: () => Promise.resolve(compareBacktest(runOurs(), expected, candleMs))
    }
  }
}

const codeSweep: LoopRow = {
  ...shared,
  name: "code-sweep",
  work: "4 sets of the same",
  calls: "`sweep` of `@candlewick/engine/research`",
  frozen: { sets: crossSets.slice(0, 4), options: marketOptions, lookback },
  open: ({ candles, setCount }) => {
    const sets = crossSets.slice(0, Math.min(4, setCount))
    const units = candles.length * sets.length
    const runNaive = () => {
      const columns = makeLoopColumns(candles)
      return sets.map((values) => crossLoop(candles, columns, values))
    }
    const runOurs = () => sweep(candles, crossing, sets, marketOptions)
    const expected = runNaive()
    return {
      naive: { units, run: runNaive },
      ours: { units, run: runOurs },
      refusal: null,
      others: [],
      figures: expected[0]!.figures,
      compare: () => Promise.resolve([compareSweep(runOurs(), expected)])
    }
  }
}

/** One backtest and one sweep. */
export const codeRows: ReadonlyArray<LoopRow> = [codeBacktest, codeSweep]
