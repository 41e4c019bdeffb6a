/**
 * Round trips as the kernels write them, as columns.
 *
 * @since 0.1.0
 */
import {
  roundTripBytes,
  roundTripEntryIndexAt,
  roundTripEntryPriceAt,
  roundTripExitIndexAt,
  roundTripExitPriceAt,
  roundTripFeesAt,
  roundTripQuantityAt,
  roundTripReasonAt
} from "./kernels/layout.ts"
import type { EngineRoundTrips } from "./Run.ts"

/** Numbers that the kernels write for each round trip. */
const roundTripNumbers = roundTripBytes / 8

/** Why each of a run's round trips ended, as `kernels/layout.ts` has it. */
export const readReasons = (tiles: ReadonlyArray<Float64Array>, count: number): Uint8Array => {
  const reasons = new Uint8Array(count)
  let trade = 0
  for (const tile of tiles) {
    for (let at = roundTripReasonAt / 8; at < tile.length; at += roundTripNumbers) {
      reasons[trade++] = tile[at]!
    }
  }
  return reasons
}

/** Puts a run's round trips, tile after tile, into columns. */
export const toRoundTrips = (tiles: ReadonlyArray<Float64Array>): EngineRoundTrips => {
  const count = tiles.reduce((sum, { length }) => sum + length, 0) / roundTripNumbers
  const all = new Float64Array(count * roundTripNumbers)
  let at = 0
  for (const tile of tiles) {
    all.set(tile, at)
    at += tile.length
  }
  const read = (trade: number, field: number): number => all[trade * roundTripNumbers + field / 8]!
  const column = <A extends Float64Array | Int32Array>(into: A, field: number): A => {
    for (let trade = 0; trade < count; trade++) into[trade] = read(trade, field)
    return into
  }
  return {
    entryIndex: column(new Int32Array(count), roundTripEntryIndexAt),
    exitIndex: column(new Int32Array(count), roundTripExitIndexAt),
    entryPrice: column(new Float64Array(count), roundTripEntryPriceAt),
    exitPrice: column(new Float64Array(count), roundTripExitPriceAt),
    quantity: column(new Float64Array(count), roundTripQuantityAt),
    fees: column(new Float64Array(count), roundTripFeesAt)
  }
}
