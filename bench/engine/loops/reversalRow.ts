/**
 * The row of one backtest with trades, columns included.
 */
import { runOne } from "@candlewick/engine/fast"
import { backtest } from "@candlewick/engine/research"
import { compareFigures, compareTrades } from "../compare.ts"
import { toOptions } from "../fastEngine.ts"
import { reversalRun } from "../work/reversal.ts"
import { atClose } from "../work/settings.ts"
import { compareBacktest, compareEquity, equityTolerance } from "./equalLoops.ts"
import { asNaive, type LoopRow } from "./LoopRow.ts"
import { reversalLoop } from "./reversal.ts"

const candleMs = 60_000
const values = { level: 30, stop: 2, target: 3 }
const run = reversalRun(values)
const { capital, canShort, feeRate, fill, lot, slippageRate, tick } = atClose

const options = {
  capital,
  fees: { maker: feeRate, taker: feeRate },
  slippage: slippageRate,
  fill,
  endOfData: "open",
  market: { lot, tick, canShort },
  parameters: values
} as const

/** As `backtest` measures itself: returns of days. */
const runOptions = { ...toOptions(atClose), returns: "day", periodsPerYear: 365 } as const

export const reversalRow: LoopRow = {
  name: "reversal-backtest",
  work: "one RSI + Bollinger + ATR-stop backtest with trades and equity, columns included",
  calls: "`backtest` of `@candlewick/engine/research`",
  must: asNaive,
  aim: { rival: "runOne", times: 1 / 1.5, text: "1.5× `runOne`" },
  frozen: { definition: run.definition, options },
  sources: ["reversal.ts"],
  open: ({ candles }) => {
    const { length: units } = candles
    const runNaive = () => reversalLoop(candles, values)
    const runOurs = () => backtest(candles, run.definition, options)
    const runOther = () => runOne(candles, run, runOptions)
    const expected = runNaive()
    return {
      naive: { units, run: runNaive },
      ours: { units, run: runOurs },
      refusal: null,
      others: [{ name: "runOne", units, run: runOther }],
      figures: expected.figures,
      compare: () => {
        const found = runOurs()
        const other = runOther()
        const tolerance = equityTolerance
        return Promise.resolve([
          ...compareBacktest(found, expected, candleMs),
          compareEquity("naive, each close", found.equity, expected.equity),
          compareTrades("runOne against naive", other.trades, expected.trades),
          compareFigures("runOne against naive", other.figures, expected.figures, { tolerance })
        ])
      }
    }
  }
}
