/**
 * The trades that `grademark` should give for two averages that cross. They fill at the next open,
 * and no rule is asked on the candle of a fill.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import type { Trades } from "../Engine.ts"

/** Given both averages as columns; an open position is closed at the last close. */
export const naiveCrossingTrades = (
  { close, length, open }: CandleColumns,
  fast: Float64Array,
  slow: Float64Array
): Trades => {
  const entryIndex: Array<number> = []
  const exitIndex: Array<number> = []
  const entryPrice: Array<number> = []
  const exitPrice: Array<number> = []
  let state: "flat" | "entering" | "held" | "leaving" = "flat"
  for (let index = 1; index < length; index++) {
    const rises = fast[index]! > slow[index]! && fast[index - 1]! <= slow[index - 1]!
    const falls = fast[index]! < slow[index]! && fast[index - 1]! >= slow[index - 1]!
    if (state === "entering") {
      entryIndex.push(index)
      entryPrice.push(open[index]!)
      state = "held"
    } else if (state === "leaving") {
      exitIndex.push(index)
      exitPrice.push(open[index]!)
      state = "flat"
    } else if (state === "flat" && rises) state = "entering"
    else if (state === "held" && falls) state = "leaving"
  }
  if (entryIndex.length > exitIndex.length) {
    exitIndex.push(length - 1)
    exitPrice.push(close[length - 1]!)
  }
  return { entryIndex, exitIndex, entryPrice, exitPrice }
}
