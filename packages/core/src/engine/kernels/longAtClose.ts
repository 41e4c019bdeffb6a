/**
 * Positions of all the equity that are never short and filled at closes: nothing is left over when
 * one is opened, so equity is a product of prices, and returns are differences of sums.
 *
 * @since 0.1.0
 */
import { countDays, deeper, isBehind } from "./allIn.ts"
import { firstBeyond } from "./beyond.ts"
import { hasBit, nextBit } from "./bits.ts"
import {
  cashAt,
  cooldownAfterStopAt,
  cooldownAt,
  cursorAt,
  dayAt,
  decisionAt,
  deepestAt,
  entryCountAt,
  entryIndexAt,
  lastEquityAt,
  peakAt,
  quantityAt,
  squaresAt,
  stopAt,
  stopLevelAt,
  sumAt,
  targetAt,
  targetLevelAt,
  timeLimitAt
} from "./layout.ts"
import { levelFor } from "./levels.ts"
import {
  blocks,
  candleCount,
  closeAtIndex,
  closesAtEnd,
  dayEndOf,
  high,
  isDaily,
  low,
  makerRate,
  open,
  returnSums,
  slippageRate,
  takerRate,
  tileEnd,
  tileStart
} from "./market.ts"
import { lesser, readDouble, readWord, toDouble, writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { leastOf, walkDrawdown, walkedDeepest, walkedPeak } from "./stretch.ts"

/**
 * One run in a tile, as `runAllIn` has it; `isSimple` means the same.
 *
 * The return of the candle in which a position is left is kept until the next one is opened: that
 * may be at the same close.
 *
 * @inline
 */
export function runAtClose(
  isSimple: i32,
  account: i32,
  details: i32,
  entries: i32,
  exits: i32,
  trades: i32
): i32 {
  let cash: f64 = readDouble(account + cashAt)
  let quantity: f64 = readDouble(account + quantityAt)
  let peak: f64 = readDouble(account + peakAt)
  let deepest: f64 = readDouble(account + deepestAt)
  let trough: f64 = peak
  let sum: f64 = readDouble(account + sumAt)
  let squares: f64 = readDouble(account + squaresAt)
  let entryIndex: i32 = readWord(account + entryIndexAt)
  let entryCount: i32 = readWord(account + entryCountAt)
  let decision: i32 = readWord(account + decisionAt)
  let stop: f64 = isSimple === 1 ? 0 : readDouble(details + stopAt)
  let target: f64 = isSimple === 1 ? 0 : readDouble(details + targetAt)
  const start: i32 = tileStart
  const end: i32 = tileEnd
  // What a purchase and a sale leave of the equity.
  const bought: f64 = 1 / ((1 + slippageRate) * (1 + takerRate))
  const sold: f64 = (1 - slippageRate) * (1 - takerRate)
  let nextDay: i32 = isDaily === 1 ? dayEndOf(readWord(account + dayAt)) : end
  // The candle in which the last position was left, and what it made of the equity before.
  let leftIndex: i32 = -1
  let leftRatio: f64 = 1
  let entryChange: f64 = bought - 1
  let tradesAt: i32 = trades
  if (decision < start) decision = start

  for (;;) {
    if (quantity === 0) {
      const index: i32 = start + nextBit(entries, decision - start, end - start)
      if (index >= end) break
      decision = index + 1
      const price: f64 = closeAtIndex(index)
      if (isSimple === 0 && isBehind(details + stopLevelAt, index, price, 1)) continue
      const bid: f64 = price * (1 + slippageRate)
      if (index === leftIndex) entryChange = leftRatio * bought - 1
      else {
        const change: f64 = leftRatio - 1
        sum += change
        squares += change * change
        entryChange = bought - 1
        if (cash > peak) {
          deepest = deeper(deepest, peak, trough)
          peak = cash
          trough = cash
        } else trough = lesser(trough, cash)
      }
      leftRatio = 1
      sum += entryChange
      squares += entryChange * entryChange
      if (nextDay < index) nextDay = countDays(account, index, cash, 0)
      quantity = cash * bought * (1 / price)
      cash = 0
      entryIndex = index
      entryCount++
      if (isSimple === 0) {
        stop = levelFor(details + stopLevelAt, index, bid, -1)
        target = levelFor(details + targetLevelAt, index, bid, 1)
      }
    }

    let index: i32 = start + nextBit(exits, decision - start, end - start)
    let reason: i32 = 0
    let to: i32 = end
    let leavePrice: f64 = 0
    let kept: f64 = sold
    if (isSimple === 0) {
      const timeLimit: i32 = readWord(details + timeLimitAt)
      const over: i32 = entryIndex + timeLimit > decision ? entryIndex + timeLimit : decision
      if (timeLimit >= 0 && over < index) {
        index = over
        reason = 3
      }
    }
    let touched: i32 = end
    if (isSimple === 0) {
      const from: i32 = entryIndex + 1 > start ? entryIndex + 1 : start
      const after: i32 = index < end ? index + 1 : end
      const lowAt: i32 = low + (start << 3)
      const highAt: i32 = high + (start << 3)
      const floor: f64 = stop > 0 ? stop : -Infinity
      const ceiling: f64 = target > 0 ? target : Infinity
      touched = firstBeyond(lowAt, highAt, blocks, from - start, after - start, floor, ceiling)
      touched = touched < after - start ? start + touched : end
    }
    if (touched < end) {
      to = touched
      const first: f64 = readDouble(open + (to << 3))
      const isPast: i32 = target > 0 && first >= target ? 1 : 0
      const isStopped: i32 = stop > 0 && readDouble(low + (to << 3)) <= stop ? 1 - isPast : 0
      decision = to + readWord(details + cooldownAt)
      if (isStopped === 1) {
        reason = 1
        leavePrice = lesser(stop, first)
        const after: i32 = to + readWord(details + cooldownAfterStopAt)
        if (after > decision) decision = after
      } else {
        reason = 2
        leavePrice = -lesser(-target, -first)
        kept = 1 - makerRate
      }
    } else if (index < end) {
      to = index
      leavePrice = closeAtIndex(index)
      decision = index + 1
      if (isSimple === 0) {
        const cooldown: i32 = readWord(details + cooldownAt)
        if (cooldown === 0 && reason === 3 && hasBit(entries, index - start) === 1) decision = index
        else if (index + cooldown > decision) decision = index + cooldown
      }
    } else if (end === candleCount && closesAtEnd === 1) {
      to = end - 1
      reason = 4
      leavePrice = closeAtIndex(to)
      decision = end
    }

    const heldFrom: i32 = entryIndex > start ? entryIndex : start
    if (to > heldFrom) {
      // What came before a position's first close is not its own.
      const before: i32 = entryIndex - start > -1 ? entryIndex - start : -1
      const one: i32 = returnSums + (before << 4)
      const other: i32 = returnSums + ((to - 1 - start) << 4)
      sum += readDouble(other) - readDouble(one)
      squares += readDouble(other + 8) - readDouble(one + 8)
      const lowest: f64 = quantity * leastOf(heldFrom, to, 0)
      const highest: f64 = -quantity * leastOf(heldFrom, to, 8)
      if (highest > peak) {
        deepest = deeper(deepest, peak, trough)
        if (lowest < highest - highest * deepest) {
          walkDrawdown(heldFrom, to, 0, quantity, peak, deepest)
          peak = walkedPeak()
          deepest = walkedDeepest()
        } else peak = highest
        trough = peak
      } else trough = lesser(trough, lowest)
      if (nextDay < to) nextDay = countDays(account, to, 0, quantity)
    }
    if (leavePrice === 0) break
    if (tradesAt !== 0) {
      const slipped: f64 = reason === 2 ? 1 : 1 - slippageRate
      writeDouble(tradesAt, toDouble(entryIndex))
      writeDouble(tradesAt + 8, toDouble(to))
      writeDouble(tradesAt + 16, closeAtIndex(entryIndex) * (1 + slippageRate))
      writeDouble(tradesAt + 24, leavePrice * slipped)
      writeDouble(tradesAt + 32, quantity)
      writeDouble(tradesAt + 40, toDouble(reason))
      tradesAt += 48
    }
    cash = quantity * leavePrice * kept
    quantity = 0
    leftIndex = to
    if (to > entryIndex) leftRatio = leavePrice * kept * (1 / closeAtIndex(to - 1))
    else {
      // Bought and sold at one close, the last of the series.
      sum -= entryChange
      squares -= entryChange * entryChange
      leftRatio = (1 + entryChange) * kept
    }
  }

  if (quantity === 0) {
    const change: f64 = leftRatio - 1
    sum += change
    squares += change * change
    if (cash > peak) {
      deepest = deeper(deepest, peak, trough)
      peak = cash
      trough = cash
    } else trough = lesser(trough, cash)
    if (nextDay < end) countDays(account, end, cash, 0)
  }
  if (isDaily === 0) {
    writeDouble(account + sumAt, sum)
    writeDouble(account + squaresAt, squares)
  }
  writeDouble(account + cashAt, cash)
  writeDouble(account + quantityAt, quantity)
  writeDouble(account + lastEquityAt, quantity === 0 ? cash : quantity * closeAtIndex(end - 1))
  writeDouble(account + peakAt, peak)
  writeDouble(account + deepestAt, deeper(deepest, peak, trough))
  writeWord(account + cursorAt, end)
  writeWord(account + entryIndexAt, entryIndex)
  writeWord(account + entryCountAt, entryCount)
  writeWord(account + decisionAt, decision)
  if (isSimple === 0) {
    writeDouble(details + stopAt, stop)
    writeDouble(details + targetAt, target)
  }
  return tradesAt
}
