/**
 * What positions of all the equity that are never short, filled at closes and counted candle by
 * candle, make of it: nothing is left over when one is opened, so equity is a product of prices,
 * and returns are differences of sums. What `allIn.ts` does for all of these, with less, once
 * `tradesAtClose.ts` has listed where they begin and end. `turns.ts` does it with still less where
 * they are left at closes only.
 *
 * @since 0.1.0
 */
import {
  cashAt,
  cursorAt,
  entryCountAt,
  entryIndexAt,
  entryPriceAt,
  lastEquityAt,
  liveFromAt,
  quantityAt,
  squaresAt,
  sumAt
} from "./layout.ts"
import {
  close,
  closeAtIndex,
  inverses,
  returnSums,
  slippageRate,
  takerRate,
  tileEnd,
  tileStart
} from "./market.ts"
import { readDouble, readWord } from "./memory.ts"
import { writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { followCash, followHeld, resumeDrawdown, saveDrawdown } from "./stretch.ts"

/**
 * Counts the trades of a tile that is not the last one. Each has 16 bytes in the list: the candles
 * of its entry and of its exit, and what a unit brings there after costs. The tile's length in the
 * place of a candle ends it, and the first position may have been opened before.
 *
 * The return of the candle in which a position is left is kept until the next one is opened: that
 * may be at the same close.
 */
export function countLongAtClose(account: i32, list: i32): void {
  const start: i32 = tileStart
  const length: i32 = tileEnd - start
  const closes: i32 = close + (start << 3)
  resumeDrawdown(account)
  let cash: f64 = readDouble(account + cashAt)
  let quantity: f64 = readDouble(account + quantityAt)
  let sum: f64 = readDouble(account + sumAt)
  let squares: f64 = readDouble(account + squaresAt)
  let entryCount: i32 = readWord(account + entryCountAt)
  // What a purchase leaves of the equity.
  const bought: f64 = 1 / ((1 + slippageRate) * (1 + takerRate))
  let entry: i32 = readWord(account + entryIndexAt) - start
  if (entry < -1) entry = -1
  // The candle in which the last position was left, and what it made of the equity before.
  let left: i32 = -1
  let leftRatio: f64 = 1
  let at: i32 = list

  for (;;) {
    if (quantity === 0) {
      const index: i32 = readWord(at)
      if (index >= length) break
      let entryChange: f64 = bought - 1
      if (index === left) entryChange = leftRatio * bought - 1
      else {
        const change: f64 = leftRatio - 1
        sum += change
        squares += change * change
        followCash(cash)
      }
      leftRatio = 1
      sum += entryChange
      squares += entryChange * entryChange
      quantity = cash * bought * readDouble(inverses + (index << 3))
      entry = index
      entryCount++
    }

    const to: i32 = readWord(at + 4)
    const from: i32 = entry > 0 ? entry : 0
    if (to > from) {
      // What came before a position's first close is not its own.
      const one: i32 = returnSums + (entry << 4)
      const other: i32 = returnSums + ((to - 1) << 4)
      sum += readDouble(other) - readDouble(one)
      squares += readDouble(other + 8) - readDouble(one + 8)
      followHeld(start + from, start + to, 0, quantity, 1)
    }
    if (to >= length) break

    const price: f64 = readDouble(at + 8)
    at += 16
    cash = quantity * price
    quantity = 0
    left = to
    leftRatio = price * readDouble(inverses + (to << 3) - 8)
  }

  if (quantity === 0) {
    const change: f64 = leftRatio - 1
    sum += change
    squares += change * change
    followCash(cash)
    writeDouble(account + cashAt, cash)
    writeDouble(account + lastEquityAt, cash)
  } else {
    writeDouble(account + cashAt, 0)
    writeDouble(account + lastEquityAt, quantity * closeAtIndex(tileEnd - 1))
  }
  writeDouble(account + quantityAt, quantity)
  saveDrawdown(account)
  writeDouble(account + sumAt, sum)
  writeDouble(account + squaresAt, squares)
  writeWord(account + cursorAt, tileEnd)
  writeWord(account + entryCountAt, entryCount)
  if (entry >= 0) {
    const bid: f64 = readDouble(closes + (entry << 3)) * (1 + slippageRate)
    writeWord(account + entryIndexAt, start + entry)
    writeWord(account + liveFromAt, start + entry + 1)
    writeDouble(account + entryPriceAt, bid)
  }
}
