/**
 * What `allIn.ts` does, with less, for positions that only change sides at listed candles, where
 * returns are those of days and nobody asks for the trades.
 *
 * @since 0.1.0
 */
import { mayBeUsedUp } from "./allIn.ts"
import {
  cashAt,
  cursorAt,
  dayAt,
  decisionAt,
  entryCountAt,
  entryIndexAt,
  entryPriceAt,
  lastEquityAt,
  liveFromAt,
  quantityAt
} from "./layout.ts"
import { countTooSmall, orderableAll, payable, saveTooSmall } from "./lots.ts"
import {
  close,
  closeAtIndex,
  dayEndOf,
  fillsAtClose,
  lot,
  minNotional,
  open,
  slippageRate,
  takerRate,
  tileEnd,
  tileStart
} from "./market.ts"
import { lesser, magnitude, readDouble, readWord } from "./memory.ts"
import { writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { countDays, followHeld, resumeDrawdown, saveDrawdown } from "./stretch.ts"

/**
 * Counts the turns of a tile that is not the last one, the first of them to `firstSide`. The address
 * of the turn before which a short may be liquidated comes back, 0 where none is.
 */
export function countTurnsBothWays(account: i32, list: i32, firstSide: f64): i32 {
  const start: i32 = tileStart
  const end: i32 = tileEnd
  const atClose: i32 = fillsAtClose
  const prices: i32 = atClose === 1 ? close : open
  const perOrder: f64 = 1 / (1 + (takerRate + slippageRate))
  const fillCost: f64 = 1 + takerRate
  const isStepped: boolean = lot !== 0 || minNotional !== 0
  let cash: f64 = readDouble(account + cashAt)
  let quantity: f64 = readDouble(account + quantityAt)
  let entryPrice: f64 = readDouble(account + entryPriceAt)
  let entryIndex: i32 = readWord(account + entryIndexAt)
  let entryCount: i32 = readWord(account + entryCountAt)
  let cursor: i32 = readWord(account + cursorAt)
  let decision: i32 = readWord(account + decisionAt)
  let nextDay: i32 = dayEndOf(readWord(account + dayAt))
  let side: f64 = firstSide
  let at: i32 = list
  resumeDrawdown(account)
  if (isStepped) countTooSmall(account)

  while (!(quantity < 0 && mayBeUsedUp(cash, quantity))) {
    const index: i32 = start + readWord(at)
    const to: i32 = index < end ? index + 1 - atClose : end
    if (to > cursor) {
      followHeld(cursor, to, cash, quantity, quantity > 0 ? 1 : 0)
      if (nextDay < to) nextDay = countDays(account, to, cash, quantity)
      cursor = to
    }
    if (index >= end) {
      at = 0
      break
    }
    at += 4
    decision = index + 1

    // What is ordered depends on the equity at the close at which it is decided.
    const decided: f64 = closeAtIndex(index)
    const equity: f64 = cash + quantity * decided
    let ordered: f64 = 0
    if (isStepped) ordered = orderableAll(equity, decided)
    else ordered = equity * perOrder * (1 / decided)

    const price: f64 = readDouble(prices + (to << 3)) * (1 + side * slippageRate)
    const value: f64 = quantity * price
    cash = cash + value - magnitude(value) * takerRate
    let amount: f64 = 0
    if (isStepped) amount = payable(ordered, price, cash)
    else amount = lesser(ordered, cash * (1 / (price * fillCost)))
    quantity = 0
    if (amount > 0) {
      const notional: f64 = amount * price
      cash = cash - side * notional - notional * takerRate
      quantity = side * amount
      entryPrice = price
      entryIndex = to
      entryCount++
    }
    side = -side
  }

  if (isStepped) saveTooSmall(account)
  saveDrawdown(account)
  writeDouble(account + cashAt, cash)
  writeDouble(account + quantityAt, quantity)
  writeDouble(account + entryPriceAt, entryPrice)
  writeDouble(account + lastEquityAt, cash + quantity * closeAtIndex(end - 1))
  writeWord(account + entryIndexAt, entryIndex)
  writeWord(account + liveFromAt, entryIndex + atClose)
  writeWord(account + entryCountAt, entryCount)
  writeWord(account + cursorAt, cursor)
  writeWord(account + decisionAt, decision)
  return at
}
