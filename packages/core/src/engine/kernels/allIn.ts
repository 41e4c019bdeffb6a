/**
 * Positions of all the equity, without steps of quantity: what `positions.ts` and `account.ts` do
 * for any size, in one loop over variables.
 *
 * Each round ends a stretch of candles, counts it, and buys or sells at its end. Positions are
 * those of the general form; equity may differ from it by rounding.
 *
 * @since 0.1.0
 */
import { onTick } from "./account.ts"
import { findRange, leastClose, mostClose, setStretches, walkDrawdown } from "./stretch.ts"
import { walkedDeepest, walkedPeak, walkedSquares, walkedSum, walkReturns } from "./stretch.ts"
import { firstBeyond, magnitude, nextBit, readDouble, readWord } from "./memory.ts"
import { toDouble, toInteger, writeDouble } from "./memory.ts"
import type { f64, i32 } from "./number.ts"

// What all runs have in common.
let open: i32 = 0
let high: i32 = 0
let low: i32 = 0
let close: i32 = 0
let candleCount: i32 = 0
let fillsAtClose: i32 = 0
let canShort: i32 = 0
let closesAtEnd: i32 = 0
let dayEnds: i32 = 0
let dayCount: i32 = 0
let isDaily: i32 = 0
let takerRate: f64 = 0
let makerRate: f64 = 0
let slippageRate: f64 = 0

// The tile.
let tileStart: i32 = 0
let tileEnd: i32 = 0
let returnSums: i32 = 0

/** Where candles are, and how positions are opened and closed. */
export function setAllIn(
  openAt: i32,
  highAt: i32,
  lowAt: i32,
  closeAt: i32,
  count: i32,
  atClose: i32,
  shorts: i32,
  atEnd: i32,
  dayEndsAt: i32,
  days: i32,
  countsDays: i32,
  taker: f64,
  maker: f64,
  slippage: f64
): void {
  open = openAt
  high = highAt
  low = lowAt
  close = closeAt
  candleCount = count
  fillsAtClose = atClose
  canShort = shorts
  closesAtEnd = atEnd
  dayEnds = dayEndsAt
  dayCount = days
  isDaily = countsDays
  takerRate = taker
  makerRate = maker
  slippageRate = slippage
}

/** The candles whose turn it is, and what was computed of them. */
export function setAllInTile(
  start: i32,
  end: i32,
  sumsAt: i32,
  extremesAt: i32,
  stride: i32
): void {
  tileStart = start
  tileEnd = end
  returnSums = sumsAt
  setStretches(close, start, extremesAt, stride)
}

function closeAtIndex(index: i32): f64 {
  return readDouble(close + (index << 3))
}

function hasBit(bits: i32, index: i32): i32 {
  if (bits === 0) return 0
  const offset: i32 = index - tileStart
  return (readWord(bits + ((offset >> 5) << 2)) >> (offset & 31)) & 1
}

function levelAt(level: i32, index: i32, price: f64, away: f64): f64 {
  const kind: f64 = readDouble(level)
  const value: f64 = readDouble(level + 8)
  if (kind === 1) return price * (1 + away * value)
  const read: f64 = readDouble(toInteger(readDouble(level + 16)) + (index << 3)) * value
  return kind === 2 ? price + away * read : read
}

function usable(price: f64): f64 {
  const level: f64 = onTick(price)
  return level > 0 && level < Infinity ? level : 0
}

/** The side that can be entered at a candle, or 0. */
function sideAt(longEntries: i32, shortEntries: i32, run: i32, index: i32): f64 {
  const isLong: i32 = hasBit(longEntries, index)
  if (isLong === hasBit(shortEntries, index)) return 0
  const side: f64 = isLong === 1 ? 1 : -1
  if (side < 0 && canShort === 0) return 0
  if (readDouble(run) === 0) return side
  const price: f64 = closeAtIndex(index)
  return (price - levelAt(run, index, price, -side)) * side > 0 ? side : 0
}

/** Takes one run through the tile; the address after its last trade comes back. */
export function runAllIn(
  account: i32,
  position: i32,
  run: i32,
  longEntries: i32,
  longExits: i32,
  shortEntries: i32,
  shortExits: i32,
  trades: i32
): i32 {
  if (readDouble(position + 40) === 1) return trades
  let cash: f64 = readDouble(account)
  let quantity: f64 = readDouble(account + 8)
  let lastEquity: f64 = readDouble(account + 16)
  let peak: f64 = readDouble(account + 24)
  let deepest: f64 = readDouble(account + 32)
  let sum: f64 = readDouble(account + 40)
  let squares: f64 = readDouble(account + 48)
  let cursor: i32 = toInteger(readDouble(account + 56))
  let entryIndex: i32 = toInteger(readDouble(account + 88))
  let entryCount: i32 = toInteger(readDouble(account + 96))
  let day: i32 = toInteger(readDouble(account + 64))
  let dayEquity: f64 = readDouble(account + 72)
  let decision: i32 = toInteger(readDouble(position))
  let liveFrom: i32 = toInteger(readDouble(position + 8))
  let stop: f64 = readDouble(position + 16)
  let target: f64 = readDouble(position + 24)
  let liquidation: f64 = readDouble(position + 32)
  const hasStop: i32 = readDouble(run) !== 0 ? 1 : 0
  const hasTarget: i32 = readDouble(run + 24) !== 0 ? 1 : 0
  const timeLimit: i32 = toInteger(readDouble(run + 64))
  const cooldown: i32 = toInteger(readDouble(run + 72))
  const cooldownAfterStop: i32 = toInteger(readDouble(run + 80))
  const start: i32 = tileStart
  const end: i32 = tileEnd
  const length: i32 = end - start
  const atClose: i32 = fillsAtClose
  const prices: i32 = atClose === 1 ? close : open
  const perOrder: f64 = 1 / (1 + (takerRate + slippageRate))
  const fillCost: f64 = 1 + takerRate
  let tradesAt: i32 = trades
  if (decision < start) decision = start

  for (;;) {
    let to: i32 = end
    let leaves: i32 = 0
    let leavePrice: f64 = 0
    let leaveRate: f64 = takerRate
    let reason: i32 = 0
    let side: f64 = 0
    let index: i32 = end
    if (quantity === 0) {
      index = start + nextBit(longEntries, decision - start, length)
      if (shortEntries !== 0) {
        const short: i32 = start + nextBit(shortEntries, decision - start, length)
        if (short < index) index = short
      }
      if (index < end) {
        decision = index + 1
        if (atClose === 0 && index + 1 >= candleCount) continue
        side = sideAt(longEntries, shortEntries, run, index)
        if (side === 0) continue
        to = atClose === 1 ? index : index + 1
      }
    } else {
      const isLong: i32 = quantity > 0 ? 1 : 0
      const exits: i32 = isLong === 1 ? longExits : shortExits
      index = start + nextBit(exits, decision - start, length)
      if (timeLimit >= 0) {
        const over: i32 = entryIndex + timeLimit > decision ? entryIndex + timeLimit : decision
        if (over < index) {
          index = over
          reason = 3
        }
      }
      let touched: i32 = end
      if (stop > 0 || target > 0 || isLong === 0) {
        const from: i32 = liveFrom > start ? liveFrom : start
        const last: i32 = index < end ? index : end - 1
        if (from <= last) {
          let floor: f64 = -Infinity
          let ceiling: f64 = Infinity
          if (isLong === 1) {
            if (stop > 0) floor = stop
            if (target > 0) ceiling = target
          } else {
            if (target > 0) floor = target
            ceiling = liquidation
            if (stop > 0 && stop < ceiling) ceiling = stop
          }
          const lowAt: i32 = low + (from << 3)
          const highAt: i32 = high + (from << 3)
          touched = from + firstBeyond(lowAt, highAt, last - from + 1, floor, ceiling)
          if (touched > last) touched = end
        }
      }
      if (touched < end) {
        const first: f64 = readDouble(open + (touched << 3))
        const highest: f64 = readDouble(high + (touched << 3))
        const lowest: f64 = readDouble(low + (touched << 3))
        if (isLong === 0 && highest >= liquidation) {
          writeDouble(position + 40, 1)
          return tradesAt
        }
        to = touched
        leaves = 1
        const isPast: i32 = target > 0 && (isLong === 1 ? first >= target : first <= target) ? 1 : 0
        const isStopped: i32 =
          stop > 0 && (isLong === 1 ? lowest <= stop : highest >= stop) ? 1 - isPast : 0
        let wait: i32 = cooldown
        if (isStopped === 1) {
          reason = 1
          leavePrice = isLong === 1 ? (first <= stop ? first : stop) : first >= stop ? first : stop
          leavePrice = leavePrice * (isLong === 1 ? 1 - slippageRate : 1 + slippageRate)
          if (cooldownAfterStop > wait) wait = cooldownAfterStop
        } else {
          reason = 2
          leavePrice = isPast === 1 ? first : target
          leaveRate = makerRate
        }
        decision = touched + wait
      } else if (index < end) {
        const at: i32 = atClose === 1 ? index : index + 1
        if (at >= candleCount) {
          decision = end
          continue
        }
        to = at
        leaves = 1
        leavePrice =
          readDouble(prices + (at << 3)) * (isLong === 1 ? 1 - slippageRate : 1 + slippageRate)
        decision = at + cooldown > index + 1 ? at + cooldown : index + 1
        if (cooldown === 0) side = sideAt(longEntries, shortEntries, run, index)
      } else if (end === candleCount && closesAtEnd === 1) {
        to = end - 1
        leaves = 1
        reason = 4
        leavePrice = closeAtIndex(to) * (isLong === 1 ? 1 - slippageRate : 1 + slippageRate)
        decision = end
      }
    }

    // What is ordered depends on the equity at the close at which it is decided.
    let ordered: f64 = 0
    if (side !== 0) {
      const price: f64 = closeAtIndex(index)
      const value: f64 = quantity * price
      const equity: f64 = cash + value
      const notional: f64 = magnitude(value)
      const free: f64 = equity - notional > 0 ? equity - notional : 0
      const payable: f64 = (free + notional) * perOrder
      ordered = (payable < equity ? payable : equity) * (1 / price)
    }

    if (to > cursor) {
      if (quantity === 0) {
        if (isDaily === 0) {
          const change: f64 = cash / lastEquity - 1
          sum += change
          squares += change * change
        }
        if (cash > peak) peak = cash
        else if (peak - cash > peak * deepest) deepest = (peak - cash) / peak
        lastEquity = cash
      } else {
        if (isDaily === 0) {
          const first: f64 = cash + quantity * closeAtIndex(cursor)
          const change: f64 = first / lastEquity - 1
          sum += change
          squares += change * change
          if (quantity > 0 && magnitude(cash) <= 1e-13 * first) {
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
        findRange(cursor, to)
        const least: f64 = leastClose()
        const most: f64 = mostClose()
        const lowest: f64 = cash + quantity * (quantity > 0 ? least : most)
        const highest: f64 = cash + quantity * (quantity > 0 ? most : least)
        if (highest > peak) {
          if (lowest < highest - highest * deepest) {
            walkDrawdown(cursor, to, cash, quantity, peak, deepest)
            peak = walkedPeak()
            deepest = walkedDeepest()
          } else peak = highest
        } else if (peak - lowest > peak * deepest) deepest = (peak - lowest) / peak
      }
      if (isDaily === 1) {
        while (day < dayCount) {
          const dayEnd: i32 = toInteger(readDouble(dayEnds + (day << 3)))
          if (dayEnd >= to) break
          const equity: f64 = quantity === 0 ? cash : cash + quantity * closeAtIndex(dayEnd)
          const change: f64 = equity / dayEquity - 1
          sum += change
          squares += change * change
          dayEquity = equity
          day++
        }
      }
      cursor = to
    }
    if (leaves === 0 && side === 0) break

    if (leaves === 1) {
      const value: f64 = quantity * leavePrice
      cash = cash + value - magnitude(value) * leaveRate
      if (tradesAt !== 0) {
        writeDouble(tradesAt, toDouble(entryIndex))
        writeDouble(tradesAt + 8, toDouble(to))
        writeDouble(tradesAt + 16, readDouble(account + 80))
        writeDouble(tradesAt + 24, leavePrice)
        writeDouble(tradesAt + 32, quantity)
        writeDouble(tradesAt + 40, toDouble(reason))
        tradesAt += 48
      }
      quantity = 0
    }
    if (ordered > 0) {
      const price: f64 = readDouble(prices + (to << 3)) * (1 + side * slippageRate)
      const most: f64 = cash * (1 / (price * fillCost))
      const amount: f64 = ordered < most ? ordered : most
      if (amount > 0) {
        const notional: f64 = amount * price
        cash = cash - side * notional - notional * takerRate
        quantity = side * amount
        entryIndex = to
        entryCount++
        writeDouble(account + 80, price)
        stop = hasStop === 1 ? usable(levelAt(run, index, price, -side)) : 0
        target = hasTarget === 1 ? usable(levelAt(run + 24, index, price, side)) : 0
        liquidation = side < 0 ? -cash / quantity : 0
        liveFrom = to + atClose
        decision = index + 1
      }
    }
  }

  writeDouble(account, cash)
  writeDouble(account + 8, quantity)
  writeDouble(account + 16, isDaily === 0 ? lastEquity : cash + quantity * closeAtIndex(end - 1))
  writeDouble(account + 24, peak)
  writeDouble(account + 32, deepest)
  writeDouble(account + 40, sum)
  writeDouble(account + 48, squares)
  writeDouble(account + 56, toDouble(cursor))
  writeDouble(account + 64, toDouble(day))
  writeDouble(account + 72, dayEquity)
  writeDouble(account + 88, toDouble(entryIndex))
  writeDouble(account + 96, toDouble(entryCount))
  writeDouble(position, toDouble(decision))
  writeDouble(position + 8, toDouble(liveFrom))
  writeDouble(position + 16, stop)
  writeDouble(position + 24, target)
  writeDouble(position + 32, liquidation)
  return tradesAt
}
