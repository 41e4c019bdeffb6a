/**
 * Indicators as columns, and bots in lanes.
 */
import { makeLiveLanes } from "@candlewick/engine/fast"
import {
  atrColumn,
  bollingerColumn,
  type CandleColumns,
  emaColumn,
  makeFastColumns,
  macdColumn,
  rsiColumn,
  smaColumn
} from "@candlewick/engine/kernel"
import type { Engine } from "./Engine.ts"

/**
 * Columns that are written again at every call, as in a program that computes many of them. Ten new
 * ones of a million values would cost more than their writing. Three more take the prices.
 */
let kept: ReadonlyArray<Float64Array> = []

const columnsOf = (length: number): ReadonlyArray<Float64Array> => {
  if (kept[0]?.length !== length) kept = makeFastColumns(13, length)
  return kept
}

/** Closes, highs and lows, copied into kept columns if there are any. */
const pricesOf = (
  { close, high, low }: CandleColumns,
  into: ReadonlyArray<Float64Array>
): ReadonlyArray<Float64Array> =>
  [close, high, low].map((prices, nth) => {
    const column = into[10 + nth]
    column?.set(prices)
    return column ?? prices
  })

/** The requirements of rows 6 and 7. */
export const fastLive = {
  indicators: (candles, columns) => {
    const into = columns === "kept" ? columnsOf(candles.length) : []
    const [close, high, low] = pricesOf(candles, into)
    const [sma] = smaColumn([close!], [20], into.slice(0, 1))
    const [ema] = emaColumn([close!], [20], into.slice(1, 2))
    const [rsi] = rsiColumn([close!], [14], into.slice(2, 3))
    const [atr] = atrColumn([high!, low!, close!], [14], into.slice(3, 4))
    const [macd, signal, histogram] = macdColumn([close!], [12, 26, 9], into.slice(4, 7))
    const [middle, upper, lower] = bollingerColumn([close!], [20, 2], into.slice(7, 10))
    return {
      sma: sma!,
      ema: ema!,
      rsi: rsi!,
      macd: macd!,
      signal: signal!,
      histogram: histogram!,
      upper: upper!,
      middle: middle!,
      lower: lower!,
      atr: atr!
    }
  },
  makeBots: (candles, runs) => {
    const lanes = makeLiveLanes(runs)
    if (!("step" in lanes)) throw new Error(`bot ${lanes.bot}: ${lanes.reason}`)
    return {
      step: (index) =>
        lanes.step({
          time: candles.time[index]!,
          open: candles.open[index]!,
          high: candles.high[index]!,
          low: candles.low[index]!,
          close: candles.close[index]!,
          volume: candles.volume[index]!
        }).enterLong
    }
  }
} satisfies Pick<Engine, "indicators" | "makeBots">
