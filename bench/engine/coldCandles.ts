/**
 * Candles for a process of their own: a raw file of columns of doubles, one after the other. It
 * stands in for the product's candle files and is as fast as a file can be.
 */
import { writeFileSync } from "node:fs"
import { type CandleColumns, columnNames } from "@candlewick/engine/kernel"

/** Writes the columns one after the other. */
export const writeColdCandles = (path: string, candles: CandleColumns): void => {
  const all = new Float64Array(columnNames.length * candles.length)
  columnNames.forEach((name, field) => all.set(candles[name], field * candles.length))
  writeFileSync(path, new Uint8Array(all.buffer))
}
