/**
 * Candles for a process of their own: a raw file of six columns of doubles, each read when it is
 * first asked for. It stands in for the product's candle files and is as fast as a file can be.
 */
import { closeSync, openSync, readSync, statSync, writeFileSync } from "node:fs"
import type { CandleColumns } from "@candlewick/core/kernel"

const names = ["time", "open", "high", "low", "close", "volume"] as const

/** Writes the columns one after the other. */
export const writeColdCandles = (path: string, candles: CandleColumns): void => {
  const all = new Float64Array(names.length * candles.length)
  names.forEach((name, field) => all.set(candles[name], field * candles.length))
  writeFileSync(path, new Uint8Array(all.buffer))
}

/** Columns that are read from the file as they are needed. */
export const readColdCandles = (path: string): CandleColumns => {
  const length = statSync(path).size / 8 / names.length
  const known = new Map<string, Float64Array>()
  const column = (name: (typeof names)[number]): Float64Array => {
    const found = known.get(name)
    if (found !== undefined) return found
    const read = new Float64Array(length)
    const file = openSync(path, "r")
    readSync(file, new Uint8Array(read.buffer), 0, length * 8, names.indexOf(name) * length * 8)
    closeSync(file)
    known.set(name, read)
    return read
  }
  return {
    length,
    get time() {
      return column("time")
    },
    get open() {
      return column("open")
    },
    get high() {
      return column("high")
    },
    get low() {
      return column("low")
    },
    get close() {
      return column("close")
    },
    get volume() {
      return column("volume")
    }
  }
}
