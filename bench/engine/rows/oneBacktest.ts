/**
 * Row 3: one backtest with indicators, stop, target and a list of trades.
 */
import { compareFigures, compareTrades } from "../compare.ts"
import { formatNumber } from "../format.ts"
import { measure } from "../measure.ts"
import { naiveReversal, type NaiveTrade, reversalColumns } from "../naive/reversal.ts"
import { pythonRivals } from "../peers/python/pythonRivals.ts"
import { moreRounds } from "../sizes.ts"
import { reversalRun } from "../work/reversal.ts"
import { atClose } from "../work/settings.ts"
import type { Row } from "./Row.ts"

const gate = 5

/** Each side's turn: in a short one it clears away what the side before it left. */
const turnMs = 1_000
const values = { level: 30, stop: 2, target: 3 }

export const oneBacktest: Row = {
  number: 3,
  work: "one RSI + Bollinger + ATR-stop backtest with its trade list",
  unit: "ns per candle",
  gate: "≥ 5× naive",
  goal: "≥ 12× naive, ≥ 95× vectorbt",
  calls: "`runOne` of `@candlewick/engine/fast`",
  hasPython: true,
  run: async ({ candles, engine, python, sizes }) => {
    const run = reversalRun(values)
    const runNaive = () => {
      const figures = new Float64Array(4)
      const trades: Array<NaiveTrade> = []
      const columns = reversalColumns(candles)
      naiveReversal(candles, columns, values, atClose.feeRate, figures, 0, trades)
      return { figures, trades }
    }
    const found = engine.backtest(candles, run, atClose)
    const expected = runNaive()
    const others = await pythonRivals(python, engine, candles, atClose, {
      work: "reversal",
      isGivenColumns: false,
      vectorbtRuns: [run],
      backtestingRun: run,
      noun: "run"
    })
    const comparisons = [
      compareFigures("naive", found.figures, expected.figures),
      compareTrades("naive", found.trades, {
        entryIndex: expected.trades.map((trade) => trade.entryIndex),
        exitIndex: expected.trades.map((trade) => trade.exitIndex),
        entryPrice: expected.trades.map((trade) => trade.entryPrice),
        exitPrice: expected.trades.map((trade) => trade.exitPrice)
      }),
      ...others.comparisons
    ]
    const notes = [
      "columns included on both sides; naive makes new ones at each call",
      ...others.notes
    ]
    if (comparisons.some(({ isEqual }) => !isEqual)) return { comparisons, timed: null, notes }
    const [ours, naive, ...rivals] = await measure(
      [
        {
          name: "ours",
          units: candles.length,
          run: () => engine.backtest(candles, run, atClose)
        },
        { name: "naive", units: candles.length, run: runNaive },
        ...others.sides
      ],
      { rounds: sizes.rounds * moreRounds, clock: "cpu", callMinMs: turnMs }
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
