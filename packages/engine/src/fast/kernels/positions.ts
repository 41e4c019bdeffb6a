/**
 * Positions of one run inside a tile, from event to event: the next set bit of a rule, the first
 * candle beyond a level. The rules are those of `kernel/decide.ts` and `kernel/matching.ts`.
 *
 * @since 0.1.0
 */
import {
  advance,
  buyOrShort,
  heldCash,
  heldQuantity,
  leaveAt,
  loadAccount,
  nextTradeAt,
  openedAt,
  openedIn,
  orderQuantity,
  saveAccount
} from "./account.ts"
import { firstBeyond } from "./beyond.ts"
import { hasBit, nextBit } from "./bits.ts"
import {
  byEnd,
  byRule,
  byStop,
  byTarget,
  byTimeLimit,
  cooldownAfterStopAt,
  cooldownAt,
  decisionAt,
  isLiquidatedAt,
  liquidationAt,
  liveFromAt,
  sizeKindAt,
  sizeValueAt,
  stopAt,
  stopLevelAt,
  targetAt,
  targetLevelAt,
  timeLimitAt,
  trailLevelAt
} from "./layout.ts"
import { isLevel, levelFor, stopDistance } from "./levels.ts"
import { countTooSmall, saveTooSmall } from "./lots.ts"
import {
  blocks,
  candleCount,
  canShort,
  close,
  closeAtIndex,
  closesAtEnd,
  fillsAtClose,
  high,
  low,
  open,
  tileEnd,
  tileStart
} from "./market.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "../../match/number.ts"
import { isMoving, loadTrail, raisedStop, saveTrail, startTrail } from "./trailing.ts"

// The run whose turn it is: its rules as bits, its levels and its limits.
let enterLong: i32 = 0
let enterShort: i32 = 0
let exitLong: i32 = 0
let exitShort: i32 = 0
let stopLevel: i32 = 0
let targetLevel: i32 = 0
let sizingLevel: i32 = 0
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

/** What is ordered at the close of a candle for a side, or 0. */
function orderAt(index: i32, side: f64): f64 {
  if (side === 0 || (side < 0 && canShort === 0)) return 0
  let distance: f64 = 0
  if (isLevel(sizingLevel)) {
    distance = stopDistance(sizingLevel, index, closeAtIndex(index), side)
    if (!(distance > 0)) return 0
  }
  return orderQuantity(index, sizeKind, sizeValue, distance)
}

/** Opens what was ordered at the close of `index`; 1 where a position is held then. */
function enter(index: i32, side: f64, ordered: f64): i32 {
  const at: i32 = fillsAtClose === 1 ? index : index + 1
  advance(at)
  if (buyOrShort(at, fillsAtClose, side, ordered) === 0) return 0
  const price: f64 = openedAt()
  stop = startTrail(index, price, side, levelFor(stopLevel, index, price, -side))
  target = levelFor(targetLevel, index, price, side)
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
  const ordered: f64 = orderAt(index, side)
  decision = index + 1
  // At the next open a position is there to be left at that candle's close.
  if (ordered > 0 && isLast === 0) enter(index, side, ordered)
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
  const side: f64 = cooldown === 0 ? sideAt(index) : 0
  const ordered: f64 = orderAt(index, side)
  if (at >= candleCount) {
    decision = tileEnd
    return
  }
  const bits: i32 = heldQuantity() > 0 ? exitLong : exitShort
  const reason: i32 = hasBit(bits, index - tileStart) === 1 ? byRule : byTimeLimit
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
    leaveAt(index, stopPrice, 0, byStop)
    if (cooldownAfterStop > wait) wait = cooldownAfterStop
  } else leaveAt(index, isPast === 1 ? first : target, 1, byTarget)
  decision = index + wait
}

/** The same while the stop moves after each candle that does not touch it. */
function firstTouchedMoving(from: i32, last: i32): i32 {
  const side: f64 = heldQuantity() > 0 ? 1 : -1
  for (let index: i32 = from; index <= last; index++) {
    if (firstTouched(index, index) === index) return index
    stop = raisedStop(index, side, stop)
  }
  liveFrom = last + 1
  return last + 1
}

function whileHeld(): void {
  const index: i32 = firstExit()
  const moves: boolean = isMoving()
  if (stop > 0 || target > 0 || liquidation > 0 || moves) {
    const from: i32 = liveFrom > tileStart ? liveFrom : tileStart
    const last: i32 = index < tileEnd ? index : tileEnd - 1
    if (from <= last) {
      const touched: i32 = moves ? firstTouchedMoving(from, last) : firstTouched(from, last)
      if (touched <= last) return leaveProtected(touched)
    }
  }
  if (index < tileEnd) leave(index)
  else decision = tileEnd
}

function load(account: i32, details: i32): void {
  decision = readWord(account + decisionAt)
  liveFrom = readWord(account + liveFromAt)
  liquidation = readDouble(account + liquidationAt)
  stop = readDouble(details + stopAt)
  target = readDouble(details + targetAt)
  isLiquidated = readWord(details + isLiquidatedAt)
  stopLevel = details + stopLevelAt
  targetLevel = details + targetLevelAt
  // Without a stop of its own, what an order may lose is as far as its stop trails.
  sizingLevel = isLevel(stopLevel) ? stopLevel : details + trailLevelAt
  sizeKind = readWord(details + sizeKindAt)
  sizeValue = readDouble(details + sizeValueAt)
  timeLimit = readWord(details + timeLimitAt)
  cooldown = readWord(details + cooldownAt)
  cooldownAfterStop = readWord(details + cooldownAfterStopAt)
  loadTrail(details)
}

function save(account: i32, details: i32): void {
  writeWord(account + decisionAt, decision)
  writeWord(account + liveFromAt, liveFrom)
  writeDouble(account + liquidationAt, liquidation)
  writeDouble(details + stopAt, stop)
  writeDouble(details + targetAt, target)
  writeWord(details + isLiquidatedAt, isLiquidated)
  saveTrail(details)
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
  countTooSmall(account)
  if (decision < tileStart) decision = tileStart
  while (decision < tileEnd) {
    if (heldQuantity() === 0) whileFlat()
    else whileHeld()
  }
  if (tileEnd === candleCount && closesAtEnd === 1 && heldQuantity() !== 0) {
    advance(candleCount - 1)
    leaveAt(candleCount - 1, readDouble(close + ((candleCount - 1) << 3)), 0, byEnd)
  }
  advance(tileEnd)
  saveAccount(account)
  saveTooSmall(account)
  save(account, details)
  return nextTradeAt()
}
