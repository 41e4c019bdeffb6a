import { type CandleColumns, makeColumns } from "../../src/kernel/columns.ts"

/** Prices of candles of which nothing but the close may be known. */
export interface SignalPrices {
  readonly close: ArrayLike<number>
  readonly open?: ArrayLike<number>
  readonly high?: ArrayLike<number>
  readonly low?: ArrayLike<number>
}

/** Candles an hour apart; what is not given is the close. */
export const signalCandles = (prices: SignalPrices): CandleColumns => {
  const { close, open = close, high = close, low = close } = prices
  const candles = makeColumns(close.length)
  candles.time.forEach((_, index) => {
    candles.time[index] = index * 3_600_000
  })
  candles.open.set(open)
  candles.high.set(high)
  candles.low.set(low)
  candles.close.set(close)
  return candles
}
