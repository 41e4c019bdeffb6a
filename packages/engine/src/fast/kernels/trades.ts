/**
 * Trades as all loops write them.
 *
 * @since 0.1.0
 */
import {
  tradeEntryIndexAt,
  tradeEntryPriceAt,
  tradeExitIndexAt,
  tradeExitPriceAt,
  tradeFeesAt,
  tradeQuantityAt,
  tradeReasonAt
} from "./layout.ts"
import { toDouble } from "../../match/arithmetic.ts"
import { writeDouble } from "./memory.ts"
import type { f64, i32 } from "../../match/number.ts"

/**
 * Writes a trade.
 *
 * @inline
 */
export function writeTrade(
  at: i32,
  entryIndex: i32,
  exitIndex: i32,
  entryPrice: f64,
  exitPrice: f64,
  quantity: f64,
  reason: i32,
  fees: f64
): void {
  writeDouble(at + tradeEntryIndexAt, toDouble(entryIndex))
  writeDouble(at + tradeExitIndexAt, toDouble(exitIndex))
  writeDouble(at + tradeEntryPriceAt, entryPrice)
  writeDouble(at + tradeExitPriceAt, exitPrice)
  writeDouble(at + tradeQuantityAt, quantity)
  writeDouble(at + tradeReasonAt, toDouble(reason))
  writeDouble(at + tradeFeesAt, fees)
}
