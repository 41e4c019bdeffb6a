/**
 * `grademark`: rules called with a data frame for each candle. It fills at the next open, knows no
 * fees and gives a list of trades instead of an equity curve. So it does less than the others.
 */
import { DataFrame } from "data-forge"
import { backtest } from "grademark"
import type { CandleColumns } from "@candlewick/engine/kernel"
import type { Trades } from "../Engine.ts"

interface Bar {
  readonly time: Date
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
  readonly index: number
}

/** The candles as it wants them; made once, outside what is timed. */
export const grademarkFrame = (candles: CandleColumns) =>
  new DataFrame<number, Bar>({
    values: Array.from(candles.close, (close, index) => ({
      time: new Date(candles.time[index]!),
      open: candles.open[index]!,
      high: candles.high[index]!,
      low: candles.low[index]!,
      close,
      volume: candles.volume[index]!,
      index
    }))
  })

/**
 * Trades of two averages that cross, given as columns. A position that is open at the end is closed
 * there as a last trade.
 */
export const grademarkCrossing = (
  frame: ReturnType<typeof grademarkFrame>,
  fast: Float64Array,
  slow: Float64Array
): Trades => {
  const trades = backtest<Bar, Bar, Record<string, never>, number>(
    {
      entryRule: (enter, { bar: { index } }) => {
        if (fast[index]! > slow[index]! && fast[index - 1]! <= slow[index - 1]!) enter()
      },
      exitRule: (exit, { bar: { index } }) => {
        if (fast[index]! < slow[index]! && fast[index - 1]! >= slow[index - 1]!) exit()
      }
    },
    frame
  )
  const start = frame.first().time.getTime()
  const indexOf = (time: Date): number => Math.round((time.getTime() - start) / 60_000)
  return {
    entryIndex: trades.map((trade) => indexOf(trade.entryTime)),
    exitIndex: trades.map((trade) => indexOf(trade.exitTime)),
    entryPrice: trades.map((trade) => trade.entryPrice),
    exitPrice: trades.map((trade) => trade.exitPrice)
  }
}
