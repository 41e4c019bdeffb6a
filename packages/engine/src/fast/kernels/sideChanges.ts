/**
 * Does the work of `longAtClose.ts`, with less, for positions that open and close at candles'
 * closes only.
 *
 * The effect of a buy or a sell at a candle's close is the same for all runs of a tile, and is
 * recorded once.
 *
 * @since 0.1.0
 */
import {
  accountCashAt,
  cursorAt,
  decisionAt,
  entryCountAt,
  positionEntryIndexAt,
  positionEntryPriceAt,
  lastEquityAt,
  positionLiveFromAt,
  positionQuantityAt,
  squaresAt,
  sumAt
} from "./layout.ts"
import {
  closeAtIndex,
  returnSums,
  slippageRate,
  takerRate,
  tileEnd,
  tileStart,
  sideChangeRecords
} from "./market.ts"
import { slip, unitCost } from "../../match/fillRules.ts"
import { entryPriceIn } from "./entries.ts"
import { readDouble, readWord } from "./memory.ts"
import { writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "../../match/number.ts"
import { followCash, followHeld, resumeDrawdown, saveDrawdown } from "./stretch.ts"
import { sellProceedsRate } from "./roundTripsAtClose.ts"

/** Bytes of the record of a candle: of a buy at its close, then of a sell. */
export const sideChangeRecordBytes: i32 = 64

// The parts of a record. First come a return and its square, less the returns before an entry, and
// with those before an exit. Then come the units that one unit of equity buys, or the proceeds of a
// unit that is sold.
const returnOf: i32 = 0
const squareOf: i32 = 8
const unitsOf: i32 = 16
const sale: i32 = 32

/** Records the effect of buys and sells at each close of the tile on a run. */
export function recordSideChanges(): void {
  const bought: f64 = 1 / unitCost(slip(1, 1, slippageRate), takerRate)
  const sold: f64 = sellProceedsRate()
  const entered: f64 = bought - 1
  let before: f64 = closeAtIndex(tileStart > 0 ? tileStart - 1 : tileStart)
  let sums: i32 = returnSums
  let at: i32 = sideChangeRecords
  for (let index: i32 = tileStart; index < tileEnd; index++) {
    const price: f64 = closeAtIndex(index)
    const brought: f64 = price * sold
    const left: f64 = brought / before - 1
    writeDouble(at + returnOf, entered - readDouble(sums))
    writeDouble(at + squareOf, entered * entered - readDouble(sums + 8))
    writeDouble(at + unitsOf, bought / price)
    writeDouble(at + sale + returnOf, readDouble(sums - 16) + left)
    writeDouble(at + sale + squareOf, readDouble(sums - 8) + left * left)
    writeDouble(at + sale + unitsOf, brought)
    before = price
    sums += 16
    at += sideChangeRecordBytes
  }
}

/**
 * Counts the round trips of a tile that is not the last one. The list has the candles at which
 * positions open and close in turn. The tile's length in the place of a candle ends it, and the
 * first position may have been opened before.
 */
export function countSideChanges(account: i32, list: i32): void {
  const length: i32 = tileEnd - tileStart
  resumeDrawdown(account)
  let cash: f64 = readDouble(account + accountCashAt)
  let quantity: f64 = readDouble(account + positionQuantityAt)
  let sum: f64 = readDouble(account + sumAt)
  let squares: f64 = readDouble(account + squaresAt)
  let entryCount: i32 = readWord(account + entryCountAt)
  let at: i32 = list
  let isHeld: boolean = quantity !== 0

  for (;;) {
    let from: i32 = 0
    if (!isHeld) {
      const entry: i32 = readWord(at)
      if (entry >= length) break
      at += 4
      const record: i32 = sideChangeRecords + entry * sideChangeRecordBytes
      sum += readDouble(record + returnOf)
      squares += readDouble(record + squareOf)
      quantity = cash * readDouble(record + unitsOf)
      entryCount++
      from = entry
    }
    const to: i32 = readWord(at)
    if (to > from) followHeld(tileStart + from, tileStart + to, 0, quantity, 1)
    if (to >= length) {
      isHeld = true
      break
    }
    at += 4
    isHeld = false
    const record: i32 = sideChangeRecords + to * sideChangeRecordBytes + sale
    sum += readDouble(record + returnOf)
    squares += readDouble(record + squareOf)
    cash = quantity * readDouble(record + unitsOf)
    followCash(cash)
  }

  // The last candle before the list's end.
  const last: i32 = at > list ? readWord(at - 4) : -1
  if (isHeld) {
    const sums: i32 = returnSums + ((length - 1) << 4)
    sum += readDouble(sums)
    squares += readDouble(sums + 8)
    writeDouble(account + lastEquityAt, quantity * closeAtIndex(tileEnd - 1))
    if (last >= 0) {
      const index: i32 = tileStart + last
      writeDouble(account + accountCashAt, 0)
      writeDouble(account + positionQuantityAt, quantity)
      writeWord(account + positionEntryIndexAt, index)
      writeWord(account + positionLiveFromAt, index + 1)
      writeDouble(account + positionEntryPriceAt, entryPriceIn(index, 1))
    }
  } else {
    writeDouble(account + accountCashAt, cash)
    writeDouble(account + positionQuantityAt, 0)
    writeDouble(account + lastEquityAt, cash)
  }
  saveDrawdown(account)
  writeDouble(account + sumAt, sum)
  writeDouble(account + squaresAt, squares)
  writeWord(account + cursorAt, tileEnd)
  writeWord(account + entryCountAt, entryCount)
  writeWord(account + decisionAt, tileStart + last + 1)
}
