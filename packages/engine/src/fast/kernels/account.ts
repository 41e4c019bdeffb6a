/**
 * One run's account inside a tile: cash, position and figures in variables, those of its drawdown
 * in `stretch.ts`, loaded from memory when its turn comes and put back when it is over.
 *
 * The arithmetic is that of `kernel/booking.ts`, `sizing.ts` and `ledger.ts`, in their order, for
 * one market without leverage.
 *
 * @since 0.1.0
 */
import {
  cashAt,
  cursorAt,
  dayAt,
  dayEquityAt,
  entryCountAt,
  entryIndexAt,
  entryPriceAt,
  equitySize,
  lastEquityAt,
  notionalSize,
  quantityAt,
  riskSize,
  squaresAt,
  sumAt,
  tradeBytes
} from "./layout.ts"
import { cashAfter, feeOf, slip } from "../../match/fillRules.ts"
import { orderable, payable } from "./lots.ts"
import {
  close,
  closeAtIndex,
  dayEndOf,
  exposureMax,
  isDaily,
  makerRate,
  open,
  returnSums,
  riskMax,
  slippageRate,
  takerRate,
  tileStart
} from "./market.ts"
import { magnitude } from "../../match/arithmetic.ts"
import { readDouble, readWord } from "./memory.ts"
import { writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "../../match/number.ts"
import { cashShareMax, followCash, followHeld, lastingReturn } from "./stretch.ts"
import { resumeDrawdown, saveDrawdown } from "./stretch.ts"
import { writeTrade } from "./trades.ts"

// The run whose turn it is.
let cash: f64 = 0
let quantity: f64 = 0
let lastEquity: f64 = 0
let sum: f64 = 0
let squares: f64 = 0
let cursor: i32 = 0
let day: i32 = 0
let dayEquity: f64 = 0
let entryPrice: f64 = 0
let entryIndex: i32 = 0
let entryCount: i32 = 0
let tradesAt: i32 = 0

/** Takes a run's account out of memory; its trades are written to `trades`, unless that is 0. */
export function loadAccount(at: i32, trades: i32): void {
  cash = readDouble(at + cashAt)
  quantity = readDouble(at + quantityAt)
  lastEquity = readDouble(at + lastEquityAt)
  resumeDrawdown(at)
  sum = readDouble(at + sumAt)
  squares = readDouble(at + squaresAt)
  cursor = readWord(at + cursorAt)
  day = readWord(at + dayAt)
  dayEquity = readDouble(at + dayEquityAt)
  entryPrice = readDouble(at + entryPriceAt)
  entryIndex = readWord(at + entryIndexAt)
  entryCount = readWord(at + entryCountAt)
  tradesAt = trades
}

/** Puts a run's account back. */
export function saveAccount(at: i32): void {
  writeDouble(at + cashAt, cash)
  writeDouble(at + quantityAt, quantity)
  writeDouble(at + lastEquityAt, lastEquity)
  saveDrawdown(at)
  writeDouble(at + sumAt, sum)
  writeDouble(at + squaresAt, squares)
  writeWord(at + cursorAt, cursor)
  writeWord(at + dayAt, day)
  writeDouble(at + dayEquityAt, dayEquity)
  writeDouble(at + entryPriceAt, entryPrice)
  writeWord(at + entryIndexAt, entryIndex)
  writeWord(at + entryCountAt, entryCount)
}

/** Quantity of the position, negative for a short. */
export function heldQuantity(): f64 {
  return quantity
}

/** Cash without the position. */
export function heldCash(): f64 {
  return cash
}

/** Price at which the position was opened. */
export function openedAt(): f64 {
  return entryPrice
}

/** Index of the candle in which the position was opened. */
export function openedIn(): i32 {
  return entryIndex
}

/** Where the next trade is written. */
export function nextTradeAt(): i32 {
  return tradesAt
}

function addReturn(equity: f64, before: f64): void {
  const change: f64 = equity / before - 1
  sum += lastingReturn(change)
  squares += change * change
}

/** Equity at the ends of the days before `to`. */
function passDays(to: i32): void {
  for (let end: i32 = dayEndOf(day); end < to; end = dayEndOf(day)) {
    const equity: f64 = quantity === 0 ? cash : cash + quantity * closeAtIndex(end)
    addReturn(equity, dayEquity)
    dayEquity = equity
    day++
  }
}

/** So small a part of a sum of squares hardly tells more than how the sum was rounded. */
export const drownedShare: f64 = 1e-5

function addReturns(from: i32, to: i32): void {
  let before: f64 = cash + quantity * closeAtIndex(from)
  addReturn(before, lastEquity)
  if (to - from === 1) return
  if (quantity > 0 && magnitude(cash) <= cashShareMax * before) {
    const first: i32 = returnSums + ((from - tileStart) << 4)
    const last: i32 = returnSums + ((to - 1 - tileStart) << 4)
    const gathered: f64 = readDouble(last + 8)
    const added: f64 = gathered - readDouble(first + 8)
    // Else a price was far off before, and candle by candle is the way.
    if (added >= drownedShare * gathered) {
      sum += readDouble(last) - readDouble(first)
      squares += added
      return
    }
  }
  for (let index: i32 = from + 1; index < to; index++) {
    const equity: f64 = cash + quantity * closeAtIndex(index)
    addReturn(equity, before)
    before = equity
  }
}

/** Counts the candles before `to`, in which nothing is bought or sold any more. */
export function advance(to: i32): void {
  if (to <= cursor) return
  if (quantity === 0) {
    if (isDaily === 0) addReturn(cash, lastEquity)
    else passDays(to)
    followCash(cash)
    lastEquity = cash
  } else {
    if (isDaily === 0) addReturns(cursor, to)
    else passDays(to)
    followHeld(cursor, to, cash, quantity, quantity > 0 ? 1 : 0)
    lastEquity = cash + quantity * closeAtIndex(to - 1)
  }
  cursor = to
}

function wantedQuantity(kind: i32, value: f64, equity: f64, price: f64, stopDistance: f64): f64 {
  if (kind === equitySize) return (equity * value) / price
  if (kind === riskSize) return (equity * value) / stopDistance
  return kind === notionalSize ? value / price : value
}

/** The quantity that is ordered at a close, or 0: by the equity, as a position is left before. */
export function orderQuantity(index: i32, kind: i32, value: f64, stopDistance: f64): f64 {
  const price: f64 = closeAtIndex(index)
  const equity: f64 = cash + quantity * price
  if (!(equity > 0) || !(price > 0)) return 0
  let wanted: f64 = wantedQuantity(kind, value, equity, price, stopDistance)
  if (!(wanted > 0) || wanted === Infinity) return 0
  const exposed: f64 = (equity * exposureMax) / price
  if (exposed < wanted) wanted = exposed
  if (stopDistance > 0 && (equity * riskMax) / stopDistance < wanted) {
    wanted = (equity * riskMax) / stopDistance
  }
  return orderable(wanted, equity, price)
}

/** Opens a position at the open of a candle, or at its close; 0 where it can't be paid. */
export function buyOrShort(index: i32, isAtClose: i32, side: f64, ordered: f64): i32 {
  const raw: f64 = readDouble((isAtClose === 1 ? close : open) + (index << 3))
  const price: f64 = slip(side, raw, slippageRate)
  const amount: f64 = payable(ordered, price, cash)
  if (amount === 0) return 0
  const notional: f64 = amount * price
  cash = cashAfter(cash, side, notional, feeOf(notional, takerRate, 0))
  quantity = side * amount
  entryPrice = price
  entryIndex = index
  entryCount++
  return 1
}

/** Closes the position at a price; a target pays maker and does not slip. */
export function leaveAt(index: i32, raw: f64, isTarget: i32, reason: i32): void {
  const side: f64 = quantity > 0 ? -1 : 1
  const price: f64 = isTarget === 1 ? raw : slip(side, raw, slippageRate)
  const notional: f64 = magnitude(quantity) * price
  const rate: f64 = isTarget === 1 ? makerRate : takerRate
  cash = cashAfter(cash, side, notional, feeOf(notional, rate, 0))
  if (tradesAt !== 0) {
    writeTrade(tradesAt, entryIndex, index, entryPrice, price, quantity, reason)
    tradesAt += tradeBytes
  }
  quantity = 0
}
