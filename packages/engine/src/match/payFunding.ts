/**
 * Funding that lots of a market pay, or get.
 *
 * @since 0.1.0
 */
import { fundingRow } from "./matcherCodes.ts"
import {
  cashAt,
  entryFeesAt,
  firstLotAt,
  heldAt,
  candleIndexAt,
  lotIdAt,
  marketIndexAt,
  nextLotAt,
  none,
  openAt,
  timeAt
} from "./matcherLayout.ts"
import { lotsStart, matcher, takeRow } from "./matcherRecords.ts"
import {
  rowAmountAt,
  rowIndexAt,
  rowKindAt,
  rowLotAt,
  rowMarketAt,
  rowTimeAt
} from "./logLayout.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { fundingCount } from "./quietCandle.ts"
import { fundingPaidAt, fundingRateAt } from "./stageLayout.ts"

/** A lot that was held at a multiple of the interval pays, once for each that has passed. */
export function payFunding(market: i32): void {
  if (readWord(market + firstLotAt) === none) return
  const count: f64 = fundingCount(market)
  if (!(count > 0)) return
  const rate: f64 = readDouble(market + fundingRateAt)
  const open: f64 = readDouble(market + openAt)
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    const lot: i32 = lotsStart + slot
    slot = readWord(lot + nextLotAt)
    const amount: f64 = readDouble(lot + heldAt) * open * rate * count
    writeDouble(matcher + cashAt, readDouble(matcher + cashAt) - amount)
    writeDouble(matcher + fundingPaidAt, readDouble(matcher + fundingPaidAt) + amount)
    writeDouble(lot + entryFeesAt, readDouble(lot + entryFeesAt) + amount)
    reportFunding(market, lot, amount)
  }
}

function reportFunding(market: i32, lot: i32, amount: f64): void {
  const row: i32 = takeRow()
  writeWord(row + rowKindAt, fundingRow)
  writeWord(row + rowMarketAt, readWord(market + marketIndexAt))
  writeWord(row + rowIndexAt, readWord(market + candleIndexAt))
  writeWord(row + rowLotAt, readWord(lot + lotIdAt))
  writeDouble(row + rowTimeAt, readDouble(market + timeAt))
  writeDouble(row + rowAmountAt, amount)
}
