/**
 * Trades as the kernels write them, as columns.
 *
 * @since 0.1.0
 */
import {
  tradeBytes,
  tradeEntryIndexAt,
  tradeEntryPriceAt,
  tradeExitIndexAt,
  tradeExitPriceAt,
  tradeFeesAt,
  tradeQuantityAt,
  tradeReasonAt
} from "./kernels/layout.ts"
import type { EngineRoundTrips } from "./Run.ts"

/** Numbers that the kernels write for each trade. */
const tradeNumbers = tradeBytes / 8

/** Why each of a run's trades ended, as `kernels/layout.ts` has it. */
export const readReasons = (tiles: ReadonlyArray<Float64Array>, count: number): Uint8Array => {
  const reasons = new Uint8Array(count)
  let trade = 0
  for (const tile of tiles) {
    for (let at = tradeReasonAt / 8; at < tile.length; at += tradeNumbers) {
      reasons[trade++] = tile[at]!
    }
  }
  return reasons
}

/** Puts a run's trades, tile after tile, into columns. */
export const toTrades = (tiles: ReadonlyArray<Float64Array>): EngineRoundTrips => {
  const count = tiles.reduce((sum, { length }) => sum + length, 0) / tradeNumbers
  const all = new Float64Array(count * tradeNumbers)
  let at = 0
  for (const tile of tiles) {
    all.set(tile, at)
    at += tile.length
  }
  const read = (trade: number, field: number): number => all[trade * tradeNumbers + field / 8]!
  const column = <A extends Float64Array | Int32Array>(into: A, field: number): A => {
    for (let trade = 0; trade < count; trade++) into[trade] = read(trade, field)
    return into
  }
  return {
    entryIndex: column(new Int32Array(count), tradeEntryIndexAt),
    exitIndex: column(new Int32Array(count), tradeExitIndexAt),
    entryPrice: column(new Float64Array(count), tradeEntryPriceAt),
    exitPrice: column(new Float64Array(count), tradeExitPriceAt),
    quantity: column(new Float64Array(count), tradeQuantityAt),
    fees: column(new Float64Array(count), tradeFeesAt)
  }
}
