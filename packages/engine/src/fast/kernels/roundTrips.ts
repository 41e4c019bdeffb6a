/**
 * Round trips as all loops write them.
 *
 * @since 0.1.0
 */
import {
  roundTripEntryIndexAt,
  roundTripEntryPriceAt,
  roundTripExitIndexAt,
  roundTripExitPriceAt,
  roundTripFeesAt,
  roundTripQuantityAt,
  roundTripReasonAt
} from "./layout.ts"
import { toDouble } from "../../match/arithmetic.ts"
import { writeDouble } from "./memory.ts"
import type { f64, i32 } from "../../match/number.ts"

/**
 * Writes a round trip.
 *
 * @inline
 */
export function writeRoundTrip(
  at: i32,
  entryIndex: i32,
  exitIndex: i32,
  entryPrice: f64,
  exitPrice: f64,
  quantity: f64,
  reason: i32,
  fees: f64
): void {
  writeDouble(at + roundTripEntryIndexAt, toDouble(entryIndex))
  writeDouble(at + roundTripExitIndexAt, toDouble(exitIndex))
  writeDouble(at + roundTripEntryPriceAt, entryPrice)
  writeDouble(at + roundTripExitPriceAt, exitPrice)
  writeDouble(at + roundTripQuantityAt, quantity)
  writeDouble(at + roundTripReasonAt, toDouble(reason))
  writeDouble(at + roundTripFeesAt, fees)
}
