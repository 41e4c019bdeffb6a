/** Candles for the programs of the documentation: the days of the sample file. */
import { readFileSync } from "node:fs"
import { readCandles } from "@candlewick/core/research"

export const columns = readCandles(
  readFileSync(new URL("../../../samples/bitcoin_1d.csv", import.meta.url), "utf8")
)

export const rows = Array.from(columns.time, (time, at) => ({
  time,
  open: columns.open[at]!,
  high: columns.high[at]!,
  low: columns.low[at]!,
  close: columns.close[at]!,
  volume: columns.volume[at]!
}))
