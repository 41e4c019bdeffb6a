/**
 * Positions of one run inside a tile, from event to event: the next set bit of a rule, the first
 * candle beyond a level. The rules are those of `kernel/decide.ts` and `kernel/matching.ts`.
 *
 * @since 0.1.0
 */
import { advance, buyOrShort, heldCash, heldQuantity, leaveAt, loadAccount } from "./account.ts"
import { nextTradeAt, onTick, openedAt, openedIn, orderQuantity, saveAccount } from "./account.ts"
import { firstBeyond } from "./beyond.ts"
import { hasBit, nextBit } from "./bits.ts"
import { readDouble, toDouble, toInteger, writeDouble } from "./memory.ts"
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

// The tile.
let tileStart: i32 = 0
let tileEnd: i32 = 0
let blocks: i32 = 0

// The run whose turn it is: its rules as bits, its levels and its limits.
let enterLong: i32 = 0
let enterShort: i32 = 0
let exitLong: i32 = 0
let exitShort: i32 = 0
let stopKind: i32 = 0
let stopValue: f64 = 0
let stopColumn: i32 = 0
let targetKind: i32 = 0
let targetValue: f64 = 0
let targetColumn: i32 = 0
let sizeKind: i32 = 0
let sizeValue: f64 = 0
let timeLimit: i32 = 0
let cooldown: i32 = 0
let cooldownAfterStop: i32 = 0
let decision: i32 = 0
let liveFrom: i32 = 0
let stop: f64 = 0
let target: f64 = 0
let liquidation: f64 = 0
let isLiquidated: i32 = 0

/** Where candles are, and how positions are opened and closed. */
export function setMarket(
  openAt: i32,
  highAt: i32,
  lowAt: i32,
  closeAt: i32,
  count: i32,
  atClose: i32,
  shorts: i32,
  atEnd: i32
): void {
  open = openAt
  high = highAt
  low = lowAt
  close = closeAt
  candleCount = count
  fillsAtClose = atClose
  canShort = shorts
  closesAtEnd = atEnd
}

/** The candles whose turn it is, and their blocks. */
export function setSpan(start: i32, end: i32, blocksAt: i32): void {
  tileStart = start
  tileEnd = end
  blocks = blocksAt
}

/** Index of the first candle of the tile from `from` on where a rule holds, or the tile's end. */
function firstBit(bits: i32, from: i32): i32 {
  return tileStart + nextBit(bits, from - tileStart, tileEnd - tileStart)
}

/** The side that is entered at a candle, or 0; both at once cancel each other. */
function sideAt(index: i32): f64 {
  const isLong: i32 = hasBit(enterLong, index - tileStart)
  const isShort: i32 = hasBit(enterShort, index - tileStart)
  if (isLong === isShort) return 0
  return isLong === 1 ? 1 : -1
}

function firstEntry(from: i32): i32 {
  const long: i32 = firstBit(enterLong, from)
  if (enterShort === 0) return long
  const short: i32 = firstBit(enterShort, from)
  return long < short ? long : short
}

/** Kinds of level: none, a fraction, a distance, a price; `away` is 1 above a price, -1 below. */
function levelAt(kind: i32, value: f64, column: i32, index: i32, price: f64, away: f64): f64 {
  if (kind === 1) return price * (1 + away * value)
  const read: f64 = readDouble(column + (index << 3)) * value
  return kind === 2 ? price + away * read : read
}

/** What is ordered at the close of a candle for a side, or 0. */
function orderAt(index: i32, side: f64): f64 {
  if (side === 0 || (side < 0 && canShort === 0)) return 0
  let distance: f64 = 0
  if (stopKind !== 0) {
    const price: f64 = readDouble(close + (index << 3))
    distance = (price - levelAt(stopKind, stopValue, stopColumn, index, price, -side)) * side
    if (!(distance > 0)) return 0
  }
  return orderQuantity(index, sizeKind, sizeValue, distance)
}

/** A level on the tick, or 0 where there is none. */
function usable(price: f64): f64 {
  const level: f64 = onTick(price)
  return level > 0 && level < Infinity ? level : 0
}

/** Opens what was ordered at the close of `index`; 1 where a position is held then. */
function enter(index: i32, side: f64, ordered: f64): i32 {
  const at: i32 = fillsAtClose === 1 ? index : index + 1
  advance(at)
  if (buyOrShort(at, fillsAtClose, side, ordered) === 0) return 0
  const price: f64 = openedAt()
  stop = stopKind === 0 ? 0 : usable(levelAt(stopKind, stopValue, stopColumn, index, price, -side))
  target =
    targetKind === 0
      ? 0
      : usable(levelAt(targetKind, targetValue, targetColumn, index, price, side))
  liquidation = side < 0 ? -heldCash() / heldQuantity() : 0
  liveFrom = at + fillsAtClose
  return 1
}

function whileFlat(): void {
  const index: i32 = firstEntry(decision)
  decision = index
  if (index >= tileEnd) return
  const side: f64 = sideAt(index)
  const isLast: i32 = fillsAtClose === 0 && index + 1 >= candleCount ? 1 : 0
  const ordered: f64 = isLast === 1 ? 0 : orderAt(index, side)
  decision = index + 1
  // At the next open a position is there to be left at that candle's close.
  if (ordered > 0) enter(index, side, ordered)
}

/** The first candle at whose close the position is to be left, or the end of the tile. */
function firstExit(): i32 {
  const bits: i32 = heldQuantity() > 0 ? exitLong : exitShort
  const index: i32 = firstBit(bits, decision)
  if (timeLimit < 0) return index
  const over: i32 = openedIn() + timeLimit
  const limit: i32 = over > decision ? over : decision
  return limit < index ? limit : index
}

/** Leaves by a rule or because it is time, and may turn at once. */
function leave(index: i32): void {
  const at: i32 = fillsAtClose === 1 ? index : index + 1
  if (at >= candleCount) {
    decision = tileEnd
    return
  }
  const bits: i32 = heldQuantity() > 0 ? exitLong : exitShort
  const reason: i32 = hasBit(bits, index - tileStart) === 1 ? 0 : 3
  const side: f64 = cooldown === 0 ? sideAt(index) : 0
  const ordered: f64 = orderAt(index, side)
  advance(at)
  leaveAt(at, readDouble((fillsAtClose === 1 ? close : open) + (at << 3)), 0, reason)
  const next: i32 = at + cooldown
  decision = next > index + 1 ? next : index + 1
  if (ordered > 0) enter(index, side, ordered)
}

/**
 * The first candle from `from` to `last` that touches a level of the position, or the one after.
 */
function firstTouched(from: i32, last: i32): i32 {
  const isLong: i32 = heldQuantity() > 0 ? 1 : 0
  let floor: f64 = -Infinity
  let ceiling: f64 = Infinity
  if (isLong === 1) {
    if (stop > 0) floor = stop
    if (target > 0) ceiling = target
  } else {
    if (target > 0) floor = target
    if (stop > 0) ceiling = stop
    if (liquidation < ceiling) ceiling = liquidation
  }
  const lowAt: i32 = low + (tileStart << 3)
  const highAt: i32 = high + (tileStart << 3)
  const after: i32 = last + 1 - tileStart
  return tileStart + firstBeyond(lowAt, highAt, blocks, from - tileStart, after, floor, ceiling)
}

/** The stop's price where a candle touches it, else 0; an open beyond it is the price. */
function stopPriceAt(index: i32, isLong: i32): f64 {
  if (!(stop > 0)) return 0
  const first: f64 = readDouble(open + (index << 3))
  if (isLong === 1) {
    if (first <= stop) return first
    return readDouble(low + (index << 3)) <= stop ? stop : 0
  }
  if (first >= stop) return first
  return readDouble(high + (index << 3)) >= stop ? stop : 0
}

/** Leaves at the stop or the target that a candle touches. */
function leaveProtected(index: i32): void {
  const isLong: i32 = heldQuantity() > 0 ? 1 : 0
  if (isLong === 0 && readDouble(high + (index << 3)) >= liquidation) {
    isLiquidated = 1
    decision = tileEnd
    return
  }
  const first: f64 = readDouble(open + (index << 3))
  const isPast: i32 = target > 0 && (isLong === 1 ? first >= target : first <= target) ? 1 : 0
  const stopPrice: f64 = isPast === 1 ? 0 : stopPriceAt(index, isLong)
  advance(index)
  let wait: i32 = cooldown
  if (stopPrice > 0) {
    leaveAt(index, stopPrice, 0, 1)
    if (cooldownAfterStop > wait) wait = cooldownAfterStop
  } else leaveAt(index, isPast === 1 ? first : target, 1, 2)
  decision = index + wait
}

function whileHeld(): void {
  const index: i32 = firstExit()
  if (stop > 0 || target > 0 || liquidation > 0) {
    const from: i32 = liveFrom > tileStart ? liveFrom : tileStart
    const last: i32 = index < tileEnd ? index : tileEnd - 1
    if (from <= last) {
      const touched: i32 = firstTouched(from, last)
      if (touched <= last) return leaveProtected(touched)
    }
  }
  if (index < tileEnd) leave(index)
  else decision = tileEnd
}

function load(account: i32, details: i32): void {
  decision = toInteger(readDouble(account + 104))
  liveFrom = toInteger(readDouble(account + 112))
  liquidation = readDouble(account + 120)
  stop = readDouble(details)
  target = readDouble(details + 8)
  isLiquidated = toInteger(readDouble(details + 16))
  const run: i32 = details + 24
  stopKind = toInteger(readDouble(run))
  stopValue = readDouble(run + 8)
  stopColumn = toInteger(readDouble(run + 16))
  targetKind = toInteger(readDouble(run + 24))
  targetValue = readDouble(run + 32)
  targetColumn = toInteger(readDouble(run + 40))
  sizeKind = toInteger(readDouble(run + 48))
  sizeValue = readDouble(run + 56)
  timeLimit = toInteger(readDouble(run + 64))
  cooldown = toInteger(readDouble(run + 72))
  cooldownAfterStop = toInteger(readDouble(run + 80))
}

function save(account: i32, details: i32): void {
  writeDouble(account + 104, toDouble(decision))
  writeDouble(account + 112, toDouble(liveFrom))
  writeDouble(account + 120, liquidation)
  writeDouble(details, stop)
  writeDouble(details + 8, target)
  writeDouble(details + 16, toDouble(isLiquidated))
}

/**
 * Takes one run through the tile; the address after the last trade that was written comes back.
 *
 * A short whose equity may be gone ends the run and is marked: `matching.ts` has the rules of
 * liquidation.
 */
export function runTile(
  account: i32,
  details: i32,
  longEntries: i32,
  longExits: i32,
  shortEntries: i32,
  shortExits: i32,
  trades: i32
): i32 {
  load(account, details)
  if (isLiquidated === 1) return trades
  enterLong = longEntries
  exitLong = longExits
  enterShort = shortEntries
  exitShort = shortExits
  loadAccount(account, trades)
  if (decision < tileStart) decision = tileStart
  while (decision < tileEnd) {
    if (heldQuantity() === 0) whileFlat()
    else whileHeld()
  }
  if (tileEnd === candleCount && closesAtEnd === 1 && heldQuantity() !== 0) {
    advance(candleCount - 1)
    leaveAt(candleCount - 1, readDouble(close + ((candleCount - 1) << 3)), 0, 4)
  }
  advance(tileEnd)
  saveAccount(account)
  save(account, details)
  return nextTradeAt()
}
