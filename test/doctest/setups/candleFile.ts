/** A candle file for the programs of the documentation. */
import { writeCandleFile } from "@candlewick/core/kernel"
import { columns } from "./market.ts"

export const bytes = writeCandleFile(columns, {
  symbol: "BTC/USD",
  timeframeMs: 86_400_000,
  tick: 0.01,
  isSynthetic: false,
  source: "samples/bitcoin_1d.csv"
})
