/**
 * The row of two markets that share one cash.
 */
import type { StrategyDefinition } from "@candlewick/core"
import type { CandleColumns } from "@candlewick/engine/kernel"
import { backtest, InvalidInput, sweep } from "@candlewick/engine/research"
import { compareFigures, type Comparison } from "../compare.ts"
import type { PythonPeers, PythonWork } from "../peers/python/PythonPeers.ts"
import { compareBacktest, compareSweep, type SweptFigures } from "./equalLoops.ts"
import { makeLoopColumns } from "./loopColumns.ts"
import type { LoopRow, OpenRow } from "./LoopRow.ts"
import type { LoopResult } from "./LoopResult.ts"
import { crossDefinition, crossSets } from "./sweepRow.ts"
import { sharedMarket, twoMarketsLoop } from "./twoMarkets.ts"

const candleMs = 60_000
const { capital, feeRate, lot, quantity } = sharedMarket

const definition: StrategyDefinition = {
  ...crossDefinition,
  symbols: ["BENCH/USD", "OTHER/USD"],
  sizing: { type: "fixed_quantity", quantity }
}
const sets = crossSets.slice(0, 4)
const options = {
  capital,
  fees: { maker: feeRate, taker: feeRate },
  slippage: 0,
  fill: "close",
  endOfData: "open",
  market: { lot, tick: 0 }
} as const

type Both = Readonly<Record<string, CandleColumns>>

/** Why a sweep takes no two markets, or null where it takes them. */
const refusalOf = (markets: Both): string | null => {
  try {
    sweep(markets as unknown as CandleColumns, definition, sets.slice(0, 1), options)
    return null
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return `\`sweep\` refuses: ${error.errors.map(({ message }) => message).join("; ")}`
  }
}

const askVectorbt = (
  python: PythonPeers,
  candleCount: number,
  runs: PythonWork["runs"]
): PythonWork & { readonly ask: PythonPeers } => ({
  library: "vectorbt",
  work: "shared_crossing",
  runs,
  fee: feeRate,
  candleCount,
  isGivenColumns: false,
  ask: python
})

/** One set after the other, as long as a sweep refuses. */
const backtestEach = (markets: Both, run: typeof sets): SweptFigures => {
  const all = run.map((parameters) => backtest(markets, definition, { ...options, parameters }))
  const column = (of: (one: (typeof all)[number]) => number) => Float64Array.from(all, of)
  return {
    totalReturn: column(({ equity }) => equity.at(-1)! / capital - 1),
    sharpe: column(({ metrics }) => metrics["sharpe"] ?? Number.NaN),
    maxDrawdown: column(({ metrics }) => metrics["max_drawdown"] ?? Number.NaN),
    positionCount: column(({ open, positions }) => positions.length + open.length)
  }
}

const open: LoopRow["open"] = ({ candles, others, python, setCount }): OpenRow => {
  const run = sets.slice(0, setCount)
  const units = candles.length * run.length
  const markets = { "BENCH/USD": candles, "OTHER/USD": others }
  const refusal = refusalOf(markets)
  const runNaive = (): ReadonlyArray<LoopResult> => {
    const columns = [makeLoopColumns(candles), makeLoopColumns(others)] as const
    return run.map((values) => twoMarketsLoop([candles, others], columns, values))
  }
  const runOurs = (): SweptFigures =>
    refusal === null
      ? sweep(markets as unknown as CandleColumns, definition, run, options)
      : backtestEach(markets, run)
  const expected = runNaive()
  const question = python && askVectorbt(python, candles.length, run)
  const compare = async (): Promise<ReadonlyArray<Comparison>> => {
    const found = runOurs()
    const one = backtest(markets, definition, { ...options, parameters: run[0]! })
    const ours = [compareSweep(found, expected), ...compareBacktest(one, expected[0]!, candleMs)]
    if (question === null) return ours
    const figures = Float64Array.from(expected.flatMap((result) => Array.from(result.figures)))
    const theirs = await question.ask.result(question)
    return [...ours, compareFigures("vectorbt", figures, theirs.figures, { hasSharpe: false })]
  }
  return {
    naive: { units, run: runNaive },
    ours: { units, run: runOurs },
    refusal,
    others:
      question === null
        ? []
        : [{ name: "vectorbt", units, runMs: () => question.ask.ms(question) }],
    figures: expected[0]!.figures,
    compare
  }
}

export const twoMarketsRow: LoopRow = {
  name: "two-markets",
  work: "4 sets of an EMA cross on two markets with shared cash",
  calls: "`sweep` of `@candlewick/engine/research`, or `backtest` set after set while it refuses",
  must: { rival: "vectorbt", times: 5, text: "5× faster than vectorbt, and sweeps" },
  aim: { rival: "vectorbt", times: 20, text: "20× faster than vectorbt, and sweeps" },
  frozen: { definition, sets, options },
  sources: ["twoMarkets.ts"],
  hasPython: true,
  open
}
