/**
 * Candles of a market, as the server exports them.
 */
import { operationPath, send } from "../api/call.ts"

/** A candle; its time is in seconds. */
export interface ChartCandle {
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
}

/** Reads candles as CSV with a header. */
export const parseCandles = (csv: string): ReadonlyArray<ChartCandle> =>
  csv
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => {
      const [time, open, high, low, close, volume] = line.split(",").map(Number) as [
        number,
        number,
        number,
        number,
        number,
        number
      ]
      return { time: time / 1_000, open, high, low, close, volume }
    })

/** Which candles are wanted. */
export interface CandleWindow {
  readonly symbol: string
  readonly timeframe: string
  /** The owner of the candles; without it, the candles that the account's runs use. */
  readonly owner?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Loads a window of candles. */
export const fetchCandles = async (
  window: CandleWindow,
  signal: AbortSignal
): Promise<ReadonlyArray<ChartCandle>> => {
  const headers = { accept: "text/csv" }
  const response = await send(operationPath("candles.export", { query: { ...window } }), {
    headers,
    signal
  })
  return parseCandles(await response.text())
}
