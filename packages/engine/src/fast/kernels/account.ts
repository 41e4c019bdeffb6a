/**
 * One run's account inside a tile: cash, position and figures in variables, with the drawdown's
 * figures in `stretch.ts`. They are loaded from memory when the run's turn comes, and put back when
 * it is over.
 *
 * The cost of a fill is that of `match/fillRules.ts`. Sizes are those of `kernel/sizing.ts`, for
 * one market.
 *
 * @since 0.1.0
 */
import { magnitude } from "../../match/arithmetic.ts"
import { cashAfter, feeOf } from "../../match/fillRules.ts"
import type { f64, i32 } from "../../match/number.ts"
import {
  accountCashAt,
  cursorAt,
  dayAt,
  entryCountAt,
  positionEntryIndexAt,
  positionEntryPriceAt,
  equitySize,
  lastEquityAt,
  notionalSize,
  paidAt,
  positionQuantityAt,
  riskSize,
  squaresAt,
  sumAt,
  roundTripBytes,
  volatilitySize
} from "./layout.ts"
import { orderable } from "./lots.ts"
import {
  candleCount,
  closeAtIndex,
  dayEndOf,
  exposureMax,
  feePerFill,
  isDaily,
  leverage,
  returnSums,
  riskMax,
  tileEnd,
  tileStart
} from "./market.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"
import { cashShareMax, countDays, followCash, followHeld, lastingReturn } from "./stretch.ts"
import { resumeDrawdown, saveDrawdown, walkedSquares, walkedSum, walkReturns } from "./stretch.ts"
import { writeRoundTrip } from "./roundTrips.ts"

// The run whose turn it is.
let account: i32 = 0
let sum: f64 = 0
let squares: f64 = 0
let nextDay: i32 = 0
let entryCount: i32 = 0

/** Cash without the position. */
export let cash: f64 = 0

/** Quantity of the position, negative for a short. */
export let quantity: f64 = 0

/** Equity at the last candle that was counted, where candles are. */
let lastEquity: f64 = 0

/** The first candle that is not counted. */
let cursor: i32 = 0

/** Price at which the position was opened, and the candle. */
let entryPrice: f64 = 0
export let entryIndex: i32 = 0

/** The costs that the position paid so far: the fee of its entry, and funding. */
let paid: f64 = 0

/** Where the next round trip is written. */
export let roundTripsAt: i32 = 0

/**
 * Takes a run's account out of memory; its round trips are written to `trades`, unless that is 0.
 */
export function loadAccount(at: i32, trades: i32): void {
  account = at
  cash = readDouble(at + accountCashAt)
  quantity = readDouble(at + positionQuantityAt)
  lastEquity = readDouble(at + lastEquityAt)
  resumeDrawdown(at)
  sum = readDouble(at + sumAt)
  squares = readDouble(at + squaresAt)
  cursor = readWord(at + cursorAt)
  nextDay = isDaily === 1 ? dayEndOf(readWord(at + dayAt)) : tileEnd
  entryPrice = readDouble(at + positionEntryPriceAt)
  entryIndex = readWord(at + positionEntryIndexAt)
  paid = readDouble(at + paidAt)
  entryCount = readWord(at + entryCountAt)
  roundTripsAt = trades
}

/** Puts a run's account back at the end of a tile. */
export function saveAccount(): void {
  // Returns of days are added up in memory.
  if (isDaily === 1) lastEquity = cash + quantity * closeAtIndex(tileEnd - 1)
  else {
    writeDouble(account + sumAt, sum)
    writeDouble(account + squaresAt, squares)
  }
  writeDouble(account + accountCashAt, cash)
  writeDouble(account + positionQuantityAt, quantity)
  writeDouble(account + lastEquityAt, lastEquity)
  saveDrawdown(account)
  writeWord(account + cursorAt, cursor)
  writeDouble(account + positionEntryPriceAt, entryPrice)
  writeWord(account + positionEntryIndexAt, entryIndex)
  writeDouble(account + paidAt, paid)
  writeWord(account + entryCountAt, entryCount)
}

/** So small a part of a sum of squares hardly shows more than how the sum was rounded. */
export const drownedShare: f64 = 1e-5

/**
 * Adds a return.
 *
 * @inline
 */
function addReturn(equity: f64): void {
  const change: f64 = equity / lastEquity - 1
  sum += lastingReturn(change)
  squares += change * change
}

/**
 * Counts the candles before `to`, which is after the first that is not counted, without a position.
 *
 * @inline
 */
function countCash(to: i32): void {
  if (isDaily === 0) {
    addReturn(cash)
    lastEquity = cash
  }
  followCash(cash)
  if (nextDay < to) nextDay = countDays(account, to, cash, 0)
  cursor = to
}

/**
 * Adds the returns of a position after its first candle: differences of sums, or candle by candle
 * where cash counts beside it. A run with positions of any size checks whether they are small
 * beside the price's; `isDrowned` checks other runs as a whole.
 *
 * @inline
 */
function addReturns(to: i32, isLong: i32, isAnySize: i32, first: f64): void {
  if (isLong === 1 && magnitude(cash) <= cashShareMax * first) {
    const one: i32 = returnSums + ((cursor - tileStart) << 4)
    const other: i32 = returnSums + ((to - 1 - tileStart) << 4)
    const gathered: f64 = readDouble(other + 8)
    const added: f64 = gathered - readDouble(one + 8)
    // Else a price was far off before, and candle by candle is the way.
    if (isAnySize === 0 || added >= drownedShare * gathered) {
      sum += readDouble(other) - readDouble(one)
      squares += added
      return
    }
  }
  walkReturns(cursor, to, cash, quantity)
  sum += walkedSum()
  squares += walkedSquares()
}

/**
 * The same with a position.
 *
 * @inline
 */
function countPosition(to: i32, isLong: i32, isAnySize: i32): void {
  if (isDaily === 0) {
    const first: f64 = cash + quantity * closeAtIndex(cursor)
    addReturn(first)
    addReturns(to, isLong, isAnySize, first)
    lastEquity = cash + quantity * closeAtIndex(to - 1)
  }
  followHeld(cursor, to, cash, quantity, isLong)
  if (nextDay < to) nextDay = countDays(account, to, cash, quantity)
  cursor = to
}

/**
 * Counts the candles before `to` without a position, where there are any.
 *
 * @inline
 */
export function waitUntil(to: i32): void {
  if (to > cursor) countCash(to)
}

/**
 * The same with a position.
 *
 * @inline
 */
export function holdUntil(to: i32, isLong: i32, isAnySize: i32): void {
  if (to > cursor) countPosition(to, isLong, isAnySize)
}

function wantedQuantity(
  kind: i32,
  value: f64,
  equity: f64,
  price: f64,
  stopDistance: f64,
  volatility: f64
): f64 {
  if (kind === equitySize) return (equity * value) / price
  if (kind === riskSize) return (equity * value) / stopDistance
  if (kind === volatilitySize) return (equity * value) / volatility / price
  return kind === notionalSize ? value / price : value
}

/**
 * The quantity that is ordered at a close for a price, or 0: by the equity, as a position is left
 * before.
 */
export function orderQuantity(
  index: i32,
  price: f64,
  kind: i32,
  value: f64,
  stopDistance: f64,
  volatility: f64
): f64 {
  const equity: f64 = cash + quantity * closeAtIndex(index)
  if (!(equity > 0) || !(price > 0)) return 0
  let wanted: f64 = wantedQuantity(kind, value, equity, price, stopDistance, volatility)
  if (!(wanted > 0) || wanted === Infinity) return 0
  const exposed: f64 = (equity * exposureMax) / price
  if (exposed < wanted) wanted = exposed
  if (stopDistance > 0 && (equity * riskMax) / stopDistance < wanted) {
    wanted = (equity * riskMax) / stopDistance
  }
  return orderable(wanted, equity * leverage, price)
}

/**
 * The notional that an entry may open, fees included, where nothing is held.
 *
 * @inline
 */
export function buyingPower(): f64 {
  return cash * leverage - feePerFill
}

/**
 * Opens a position of so many units at a price, for a fee of this rate.
 *
 * @inline
 */
export function openPosition(index: i32, side: f64, price: f64, amount: f64, rate: f64): void {
  const notional: f64 = amount * price
  paid = feeOf(notional, rate, feePerFill)
  cash = cashAfter(cash, side * notional, paid)
  quantity = side * amount
  entryPrice = price
  entryIndex = index
  entryCount++
}

/** Adds so many units at a price to the position, whose price is the average from then on. */
export function addToPosition(side: f64, price: f64, amount: f64, rate: f64): void {
  const notional: f64 = amount * price
  const fee: f64 = feeOf(notional, rate, feePerFill)
  const held: f64 = magnitude(quantity)
  cash = cashAfter(cash, side * notional, fee)
  paid += fee
  entryPrice = (held * entryPrice + notional) / (held + amount)
  quantity = side * (held + amount)
}

/** Buys a lot beside the others that are held. */
export function buyLot(price: f64, amount: f64, rate: f64): void {
  const notional: f64 = amount * price
  cash = cashAfter(cash, notional, feeOf(notional, rate, feePerFill))
  quantity += amount
  entryCount++
}

/** Sells a lot; none is left where it was the last one, without regard to rounding. */
export function sellLot(price: f64, amount: f64, rate: f64, isLast: boolean): void {
  const notional: f64 = amount * price
  cash = cashAfter(cash, -notional, feeOf(notional, rate, feePerFill))
  quantity = isLast ? 0 : quantity - amount
}

/** Average price of the position. */
export function averagePrice(): f64 {
  return entryPrice
}

/** The notional that an addition may open in a candle, fees included. */
export function addingPower(index: i32): f64 {
  const mark: f64 = closeAtIndex(index - 1)
  return cash * leverage + quantity * mark * leverage - magnitude(quantity) * mark - feePerFill
}

/**
 * Closes the position at a price, for a fee of this rate.
 *
 * @inline
 */
export function closePosition(index: i32, price: f64, rate: f64, reason: i32): void {
  const value: f64 = -quantity * price
  const fee: f64 = feeOf(magnitude(value), rate, feePerFill)
  cash = cashAfter(cash, value, fee)
  if (roundTripsAt !== 0) {
    const fees: f64 = paid + fee
    writeRoundTrip(roundTripsAt, entryIndex, index, entryPrice, price, quantity, reason, fees)
    roundTripsAt += roundTripBytes
  }
  quantity = 0
}

/** Pays funding so many times, each time this part of the position's worth at a price. */
export function payFundingTimes(price: f64, rate: f64, count: f64): void {
  const amount: f64 = quantity * price * rate * count
  cash -= amount
  paid += amount
}

/** The price at which the equity of the position is used up, or 0 where there is none. */
export function ruinPrice(): f64 {
  const price: f64 = -cash / quantity
  return price > 0 ? price : 0
}

/**
 * Ends a run that has nothing left: all is lost in this period, and nothing changes after it. The
 * candles before this one are counted.
 */
export function endRuined(): void {
  followCash(cash)
  if (isDaily === 1) {
    writeDouble(account + sumAt, readDouble(account + sumAt) - 1)
    writeDouble(account + squaresAt, readDouble(account + squaresAt) + 1)
  } else {
    sum -= 1
    squares += 1
  }
  lastEquity = cash
  cursor = candleCount
}
