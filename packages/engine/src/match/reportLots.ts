/**
 * Writes the log of fills: lots that are opened, enlarged and closed, and the results of other
 * paths.
 *
 * @since 0.1.0
 */
import { orderOf, takeRow } from "./matcherRecords.ts"
import { byBreakEven, byStopLoss, byTrailingStop, closedRow, openedRow } from "./matcherCodes.ts"
import {
  entryIndexAt,
  entryPriceAt,
  entryTimeAt,
  firstLotAt,
  candleIndexAt,
  limitAt,
  lotIdAt,
  lotTagAt,
  marketIndexAt,
  none,
  orderIdAt,
  orderTagAt,
  sideAt,
  stopAt,
  stopOrderAt,
  targetFromAt,
  targetOrderAt
} from "./matcherLayout.ts"
import { fillLimit, passesStop } from "./fillRules.ts"
import {
  rowBestPnlAt,
  rowDirectionAt,
  rowEntryIndexAt,
  rowEntryPriceAt,
  rowEntryTimeAt,
  rowFeeAt,
  rowIndexAt,
  rowIsWholeAt,
  rowKindAt,
  rowLevelsAt,
  rowLotAt,
  rowMarketAt,
  rowOrderIdAt,
  rowOutcomeAt,
  rowPnlAt,
  rowPriceAt,
  rowQuantityAt,
  rowReasonAt,
  rowStopLossAt,
  rowTagAt,
  rowTakeProfitAt,
  rowTimeAt,
  rowWorstPnlAt
} from "./logLayout.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { addOtherTarget, clearOthers, endOfPaths, hasOthers } from "./otherPaths.ts"
import { rangeHigh, rangeLow, rangeOpen } from "./passage.ts"

/** Reports an entry that adds to a lot, or that opens one before the market counts this lot. */
export function reportOpened(
  market: i32,
  lot: i32,
  order: i32,
  quantity: f64,
  price: f64,
  fee: f64,
  index: i32,
  time: f64
): void {
  const row: i32 = takeRow()
  writeWord(row + rowKindAt, openedRow)
  writeWord(row + rowMarketAt, readWord(market + marketIndexAt))
  writeWord(row + rowIndexAt, index)
  writeWord(row + rowLotAt, readWord(lot + lotIdAt))
  writeWord(row + rowOrderIdAt, readWord(order + orderIdAt))
  writeWord(row + rowTagAt, readWord(order + orderTagAt))
  writeWord(row + rowDirectionAt, readWord(order + sideAt))
  writeWord(row + rowIsWholeAt, readWord(market + firstLotAt) === none ? 1 : 0)
  writeDouble(row + rowQuantityAt, quantity)
  writeDouble(row + rowPriceAt, price)
  writeDouble(row + rowTimeAt, time)
  writeDouble(row + rowFeeAt, fee)
}

/** Whether its stop closes a lot, wherever that had come to. */
export function isByStop(reason: i32): boolean {
  return reason === byStopLoss || reason === byTrailingStop || reason === byBreakEven
}

/**
 * Notes the result of the target. The stop of a lot closes it on a candle that touched both, and
 * the open had not passed the stop.
 */
export function noteTarget(market: i32, lot: i32, side: i32, reason: i32): void {
  const stopOrder: i32 = orderOf(readWord(lot + stopOrderAt))
  const targetOrder: i32 = orderOf(readWord(lot + targetOrderAt))
  if (!isByStop(reason) || stopOrder === none || targetOrder === none) return
  if (passesStop(side, readDouble(stopOrder + stopAt), rangeOpen)) return
  if (readWord(market + candleIndexAt) < readWord(lot + targetFromAt)) return
  const limit: f64 = readDouble(targetOrder + limitAt)
  const price: f64 = fillLimit(side, limit, rangeOpen, rangeHigh, rangeLow)
  // NaN differs from itself.
  if (price === price) addOtherTarget(price)
}

/** Logs the least and the most that the paths through ambiguous candles would have given. */
export function reportPaths(market: i32, row: i32, lot: i32, entryFees: f64): void {
  const pnl: f64 = readDouble(row + rowPnlAt)
  writeWord(row + rowOutcomeAt, hasOthers() ? 1 : 0)
  writeDouble(row + rowBestPnlAt, pnl)
  writeDouble(row + rowWorstPnlAt, pnl)
  if (!hasOthers()) return
  const direction: f64 = readWord(row + rowDirectionAt)
  const quantity: f64 = readDouble(row + rowQuantityAt)
  const entryPrice: f64 = readDouble(lot + entryPriceAt)
  const most: f64 = endOfPaths(market, true, pnl, direction, quantity, entryPrice, entryFees)
  const least: f64 = endOfPaths(market, false, pnl, direction, quantity, entryPrice, entryFees)
  writeDouble(row + rowBestPnlAt, most)
  writeDouble(row + rowWorstPnlAt, least)
  clearOthers()
}

/** Reports that a lot is closed, as it was before. */
export function reportClosed(market: i32, lot: i32, side: i32, index: i32, reason: i32): i32 {
  const row: i32 = takeRow()
  const stopOrder: i32 = orderOf(readWord(lot + stopOrderAt))
  const targetOrder: i32 = orderOf(readWord(lot + targetOrderAt))
  writeWord(row + rowKindAt, closedRow)
  writeWord(row + rowMarketAt, readWord(market + marketIndexAt))
  writeWord(row + rowIndexAt, index)
  writeWord(row + rowReasonAt, reason)
  writeWord(row + rowLotAt, readWord(lot + lotIdAt))
  writeWord(row + rowEntryIndexAt, readWord(lot + entryIndexAt))
  writeWord(row + rowTagAt, readWord(lot + lotTagAt))
  writeWord(row + rowDirectionAt, -side)
  writeWord(row + rowLevelsAt, (stopOrder === none ? 0 : 1) | (targetOrder === none ? 0 : 2))
  writeDouble(row + rowEntryPriceAt, readDouble(lot + entryPriceAt))
  writeDouble(row + rowEntryTimeAt, readDouble(lot + entryTimeAt))
  if (stopOrder !== none) writeDouble(row + rowStopLossAt, readDouble(stopOrder + stopAt))
  if (targetOrder !== none) writeDouble(row + rowTakeProfitAt, readDouble(targetOrder + limitAt))
  return row
}
