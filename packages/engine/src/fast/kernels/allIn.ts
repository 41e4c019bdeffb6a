/**
 * Positions of all the equity: what `positions.ts` and `account.ts` do for any size, in one loop.
 *
 * Each round ends a stretch of candles, counts it, and buys or sells at its end. Positions are
 * those of the general form; equity may differ from it by rounding.
 *
 * @since 0.1.0
 */
import { firstBeyond } from "./beyond.ts"
import { hasBit, nextBit, nextBitSoon } from "./bits.ts"
import {
  byEnd,
  byRule,
  byStop,
  byTarget,
  byTimeLimit,
  cashAt,
  cooldownAfterStopAt,
  cooldownAt,
  cursorAt,
  dayAt,
  decisionAt,
  entryCountAt,
  entryIndexAt,
  entryPriceAt,
  isLiquidatedAt,
  lastEquityAt,
  liveFromAt,
  quantityAt,
  squaresAt,
  stopAt,
  stopLevelAt,
  sumAt,
  targetAt,
  targetLevelAt,
  timeLimitAt,
  tradeBytes
} from "./layout.ts"
import { isLevel, levelFor, stopDistance } from "./levels.ts"
import { countTooSmall, fillAll, orderAll, saveTooSmall } from "./lots.ts"
import {
  blocks,
  candleCount,
  canShort,
  close,
  closeAtIndex,
  closesAtEnd,
  dayEndOf,
  fillsAtClose,
  hasSteps,
  high,
  isDaily,
  low,
  makerRate,
  mayBeUsedUp,
  open,
  returnSums,
  slippageRate,
  takerRate,
  tileEnd,
  tileStart
} from "./market.ts"
import { cashShareMax, countDays, followCash, followHeld, lastingReturn } from "./stretch.ts"
import { resumeDrawdown, saveDrawdown, walkedSquares, walkedSum, walkReturns } from "./stretch.ts"
import { writeTrade } from "./trades.ts"
import { chosen, greater, lesser, magnitude } from "../../match/arithmetic.ts"
import { readDouble, readWord } from "./memory.ts"
import { toDouble } from "../../match/arithmetic.ts"
import { writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "../../match/number.ts"

/** The side that can be entered at a candle, or 0. */
function sideAt(longEntries: i32, shortEntries: i32, index: i32): f64 {
  const isLong: i32 = hasBit(longEntries, index - tileStart)
  if (isLong === hasBit(shortEntries, index - tileStart)) return 0
  return isLong === 1 ? 1 : canShort === 1 ? -1 : 0
}

/** Whether the stop that an order would have is on the wrong side of the price. */
function isBehind(stopLevel: i32, index: i32, price: f64, side: f64): boolean {
  return isLevel(stopLevel) && !(stopDistance(stopLevel, index, price, side) > 0)
}

/**
 * One run in a tile. `isSimple` is a run whose positions are left by its rules alone, at once;
 * `isBothWays` one that may be short; `isListed` one whose `longEntries` are the candles at which it
 * changes sides, to `firstSide` at the first. All are known where this is called, so that each kind
 * of run has a loop of its own, without what it does not need.
 *
 * @inline
 */
export function runAllIn(
  isSimple: i32,
  isBothWays: i32,
  isListed: i32,
  firstSide: f64,
  account: i32,
  details: i32,
  longEntries: i32,
  longExits: i32,
  shortEntries: i32,
  shortExits: i32,
  trades: i32
): i32 {
  const stopLevel: i32 = details + stopLevelAt
  const targetLevel: i32 = details + targetLevelAt
  resumeDrawdown(account)
  let cash: f64 = readDouble(account + cashAt)
  let quantity: f64 = readDouble(account + quantityAt)
  let lastEquity: f64 = readDouble(account + lastEquityAt)
  let sum: f64 = readDouble(account + sumAt)
  let squares: f64 = readDouble(account + squaresAt)
  let cursor: i32 = readWord(account + cursorAt)
  let entryIndex: i32 = readWord(account + entryIndexAt)
  let entryCount: i32 = readWord(account + entryCountAt)
  let decision: i32 = readWord(account + decisionAt)
  let liveFrom: i32 = readWord(account + liveFromAt)
  let stop: f64 = isSimple === 1 ? 0 : readDouble(details + stopAt)
  let target: f64 = isSimple === 1 ? 0 : readDouble(details + targetAt)
  const start: i32 = tileStart
  const end: i32 = tileEnd
  const atClose: i32 = fillsAtClose
  const prices: i32 = atClose === 1 ? close : open
  // Whole lots are cut to the unit that the general form has: there rounding would count.
  const isStepped: boolean = hasSteps === 1
  let nextDay: i32 = isDaily === 1 ? dayEndOf(readWord(account + dayAt)) : end
  let tradesAt: i32 = trades
  let turnAt: i32 = longEntries
  let turnSide: f64 = -firstSide
  if (decision < start) decision = start
  countTooSmall(account)

  for (;;) {
    let index: i32 = end
    let to: i32 = end
    let side: f64 = 0
    let ordered: f64 = 0
    if (quantity === 0) {
      if (isListed === 1) {
        index = start + readWord(turnAt)
        turnAt += 4
        turnSide = -turnSide
      } else index = start + nextBit(longEntries, decision - start, end - start)
      if (isBothWays === 1 && isListed === 0) {
        const short: i32 = start + nextBit(shortEntries, decision - start, end - start)
        if (short < index) index = short
      }
      if (index < end) {
        decision = index + 1
        to = index + 1 - atClose
        if (to >= candleCount && !isStepped) continue
        const price: f64 = closeAtIndex(index)
        side = 1
        if (isListed === 1) side = turnSide
        else if (isBothWays === 1) side = sideAt(longEntries, shortEntries, index)
        if (isSimple === 0 && isBehind(stopLevel, index, price, side)) side = 0
        if (side === 0) continue
        ordered = orderAll(cash, price)
        if (isStepped && (ordered === 0 || to >= candleCount)) continue
      }
      if (to > cursor) {
        if (isDaily === 0) {
          const change: f64 = cash / lastEquity - 1
          sum += lastingReturn(change)
          squares += change * change
          lastEquity = cash
        }
        followCash(cash)
        if (nextDay < to) nextDay = countDays(account, to, cash, 0)
        cursor = to
      }
      if (side === 0) break
    } else {
      const isLong: i32 = isBothWays === 1 ? (quantity > 0 ? 1 : 0) : 1
      const away: f64 = isLong === 1 ? 1 - slippageRate : 1 + slippageRate
      let leaves: i32 = 0
      let leavePrice: f64 = 0
      let leaveRate: f64 = takerRate
      let reason: i32 = byRule
      if (isListed === 1) {
        index = start + readWord(turnAt)
        turnAt += 4
        turnSide = -turnSide
      } else {
        const exits: i32 = isLong === 1 ? longExits : shortExits
        index = start + nextBitSoon(exits, decision - start, end - start)
      }
      if (isSimple === 0) {
        const timeLimit: i32 = readWord(details + timeLimitAt)
        const over: i32 = entryIndex + timeLimit > decision ? entryIndex + timeLimit : decision
        if (timeLimit >= 0 && over < index) {
          index = over
          reason = byTimeLimit
        }
      }
      let touched: i32 = end
      // The price at which a short's equity is used up: seldom one that the tile has.
      let liquidation: f64 = 0
      if (isSimple === 0 || (isLong === 0 && mayBeUsedUp(cash, quantity))) {
        const from: i32 = liveFrom > start ? liveFrom : start
        const last: i32 = index < end ? index : end - 1
        let floor: f64 = -Infinity
        let ceiling: f64 = Infinity
        if (isLong === 1) {
          if (stop > 0) floor = stop
          if (target > 0) ceiling = target
        } else {
          liquidation = -cash / quantity
          ceiling = liquidation
          if (isSimple === 0 && target > 0) floor = target
          if (isSimple === 0 && stop > 0 && stop < ceiling) ceiling = stop
        }
        if (from <= last) {
          const lowAt: i32 = low + (start << 3)
          const highAt: i32 = high + (start << 3)
          const after: i32 = last + 1 - start
          touched = start + firstBeyond(lowAt, highAt, blocks, from - start, after, floor, ceiling)
          if (touched > last) touched = end
        }
      }
      if (touched < end) {
        const first: f64 = readDouble(open + (touched << 3))
        const highest: f64 = readDouble(high + (touched << 3))
        const lowest: f64 = readDouble(low + (touched << 3))
        if (isLong === 0 && highest >= liquidation) {
          writeDouble(account + quantityAt, 0)
          writeWord(account + decisionAt, candleCount)
          writeWord(details + isLiquidatedAt, 1)
          return tradesAt
        }
        to = touched
        leaves = 1
        const isPast: i32 = target > 0 && (isLong === 1 ? first >= target : first <= target) ? 1 : 0
        const isStopped: i32 =
          stop > 0 && (isLong === 1 ? lowest <= stop : highest >= stop) ? 1 - isPast : 0
        // Which level it was is a matter of chance.
        const isStop: boolean = isStopped === 1
        const stopPrice: f64 = isLong === 1 ? lesser(stop, first) : greater(stop, first)
        const targetPrice: f64 = isLong === 1 ? greater(target, first) : lesser(target, first)
        leavePrice = chosen(isStop, stopPrice * away, targetPrice)
        leaveRate = chosen(isStop, takerRate, makerRate)
        reason = isStop ? byStop : byTarget
        const cooldown: i32 = readWord(details + cooldownAt)
        const cooldownAfterStop: i32 = readWord(details + cooldownAfterStopAt)
        const wait: i32 = isStop && cooldownAfterStop > cooldown ? cooldownAfterStop : cooldown
        decision = touched + wait
      } else if (index < end) {
        to = index + 1 - atClose
        const isLast: boolean = to >= candleCount
        if (isLast && !isStepped) {
          decision = end
          continue
        }
        leaves = 1
        if (!isLast) leavePrice = readDouble(prices + (to << 3)) * away
        decision = index + 1
        const cooldown: i32 = isSimple === 1 ? 0 : readWord(details + cooldownAt)
        if (to + cooldown > decision) decision = to + cooldown
        // A rule that leaves a position never holds with the rule that enters it.
        if (cooldown === 0 && (isBothWays === 1 || reason === byTimeLimit)) {
          if (isListed === 1) side = turnSide
          else if (isBothWays === 1) side = sideAt(longEntries, shortEntries, index)
          else side = toDouble(hasBit(longEntries, index - start))
          const price: f64 = closeAtIndex(index)
          if (isSimple === 0 && side !== 0 && isBehind(stopLevel, index, price, side)) side = 0
          if (side !== 0) {
            // What is ordered depends on the equity at the close at which it is decided.
            ordered = orderAll(cash + quantity * price, price)
          }
        }
        if (isLast) {
          decision = end
          continue
        }
      } else if (end === candleCount && closesAtEnd === 1) {
        to = end - 1
        leaves = 1
        reason = byEnd
        leavePrice = closeAtIndex(to) * away
        decision = end
      }

      if (to > cursor) {
        if (isDaily === 0) {
          const first: f64 = cash + quantity * closeAtIndex(cursor)
          const change: f64 = first / lastEquity - 1
          sum += lastingReturn(change)
          squares += change * change
          if (isLong === 1 && magnitude(cash) <= cashShareMax * first) {
            const one: i32 = returnSums + ((cursor - start) << 4)
            const other: i32 = returnSums + ((to - 1 - start) << 4)
            sum += readDouble(other) - readDouble(one)
            squares += readDouble(other + 8) - readDouble(one + 8)
          } else {
            walkReturns(cursor, to, cash, quantity)
            sum += walkedSum()
            squares += walkedSquares()
          }
          lastEquity = cash + quantity * closeAtIndex(to - 1)
        }
        followHeld(cursor, to, cash, quantity, isLong)
        if (nextDay < to) nextDay = countDays(account, to, cash, quantity)
        cursor = to
      }
      if (leaves === 0) break
      const value: f64 = quantity * leavePrice
      cash = cash + value - magnitude(value) * leaveRate
      if (tradesAt !== 0) {
        const entryPrice: f64 = readDouble(account + entryPriceAt)
        writeTrade(tradesAt, entryIndex, to, entryPrice, leavePrice, quantity, reason)
        tradesAt += tradeBytes
      }
      quantity = 0
      if (side === 0) continue
    }

    const price: f64 = readDouble(prices + (to << 3)) * (1 + side * slippageRate)
    const amount: f64 = fillAll(ordered, price, cash)
    if (amount > 0) {
      const notional: f64 = amount * price
      cash = cash - side * notional - notional * takerRate
      quantity = side * amount
      entryIndex = to
      entryCount++
      writeDouble(account + entryPriceAt, price)
      if (isSimple === 0) {
        stop = levelFor(stopLevel, index, price, -side)
        target = levelFor(targetLevel, index, price, side)
      }
      liveFrom = to + atClose
      decision = index + 1
    }
  }

  if (isDaily === 1) lastEquity = cash + quantity * closeAtIndex(end - 1)
  else {
    writeDouble(account + sumAt, sum)
    writeDouble(account + squaresAt, squares)
  }
  saveTooSmall(account)
  writeDouble(account + cashAt, cash)
  writeDouble(account + quantityAt, quantity)
  writeDouble(account + lastEquityAt, lastEquity)
  saveDrawdown(account)
  writeWord(account + cursorAt, cursor)
  writeWord(account + entryIndexAt, entryIndex)
  writeWord(account + entryCountAt, entryCount)
  writeWord(account + decisionAt, decision)
  writeWord(account + liveFromAt, liveFrom)
  if (isSimple === 0) {
    writeDouble(details + stopAt, stop)
    writeDouble(details + targetAt, target)
  }
  return tradesAt
}
