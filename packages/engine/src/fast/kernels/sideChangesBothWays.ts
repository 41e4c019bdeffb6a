/**
 * Does the work of `allIn.ts`, with less, for positions that only change sides at listed candles.
 *
 * It needs daily returns, and a run whose round trips are not asked for. Only WebAssembly lists
 * these candles (`crossing.ts`): hosts without it take the loop of `allIn.ts`.
 *
 * @since 0.1.0
 */
import {
  accountCashAt,
  cursorAt,
  dayAt,
  decisionAt,
  entryCountAt,
  positionLiveFromAt,
  positionQuantityAt
} from "./layout.ts"
import { countTooSmall, saveTooSmall, fillAllAtClose } from "./lots.ts"
import {
  closeAtIndex,
  dayEndOf,
  fillsAtClose,
  mayBeUsedUp,
  takerRate,
  tileEnd,
  tileStart
} from "./market.ts"
import { magnitude } from "../../match/arithmetic.ts"
import { readDouble, readWord } from "./memory.ts"
import { writeDouble, writeWord } from "./memory.ts"
import { cashAfter, feeOf } from "../../match/fillRules.ts"
import { entryPriceIn } from "./entries.ts"
import type { f64, i32 } from "../../match/number.ts"
import { countDays, followHeld, resumeDrawdown, saveDrawdown } from "./stretch.ts"

/**
 * Counts the reversals of a tile that is not the last one, the first of them to `firstSide`. The
 * address of the reversal before which a short may be liquidated comes back, 0 where none is.
 */
export function countSideChangesBothWays(account: i32, list: i32, firstSide: f64): i32 {
  const start: i32 = tileStart
  const end: i32 = tileEnd
  const atClose: i32 = fillsAtClose
  let cash: f64 = readDouble(account + accountCashAt)
  let quantity: f64 = readDouble(account + positionQuantityAt)
  let entryCount: i32 = readWord(account + entryCountAt)
  let cursor: i32 = readWord(account + cursorAt)
  let decision: i32 = readWord(account + decisionAt)
  let liveFrom: i32 = readWord(account + positionLiveFromAt)
  let nextDay: i32 = dayEndOf(readWord(account + dayAt))
  let side: f64 = firstSide
  let at: i32 = list
  let index: i32 = start
  resumeDrawdown(account)
  countTooSmall(account)

  for (;;) {
    if (quantity < 0 && mayBeUsedUp(cash, quantity)) break
    index = start + readWord(at)
    const to: i32 = index < end ? index + 1 - atClose : end
    if (to > cursor) {
      // Where nothing is held, both ends of the range are the cash.
      followHeld(cursor, to, cash, quantity, quantity > 0 ? 1 : 0)
      if (nextDay < to) nextDay = countDays(account, to, cash, quantity)
      cursor = to
    }
    if (index >= end) break
    at += 4
    decision = index + 1

    // The ordered quantity depends on the equity at the close at which it is decided.
    const decided: f64 = closeAtIndex(index)
    const equity: f64 = cash + quantity * decided
    const price: f64 = entryPriceIn(to, side)
    // The buy or sell that reverses a position also closes it.
    const left: f64 = -quantity * price
    cash = cashAfter(cash, left, feeOf(magnitude(left), takerRate, 0))
    quantity = 0
    const amount: f64 = fillAllAtClose(equity, decided, price, cash)
    if (amount > 0) {
      const notional: f64 = amount * price
      cash = cashAfter(cash, side * notional, feeOf(notional, takerRate, 0))
      quantity = side * amount
      liveFrom = to + atClose
      entryCount++
    }
    side = -side
  }

  saveTooSmall(account)
  saveDrawdown(account)
  writeDouble(account + accountCashAt, cash)
  writeDouble(account + positionQuantityAt, quantity)
  writeWord(account + entryCountAt, entryCount)
  writeWord(account + cursorAt, cursor)
  writeWord(account + decisionAt, decision)
  writeWord(account + positionLiveFromAt, liveFrom)
  return index < end ? at : 0
}
