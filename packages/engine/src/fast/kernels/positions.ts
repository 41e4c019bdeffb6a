/**
 * Positions of one run inside a tile, from event to event: the next set bit of a rule, the first
 * candle beyond a level. The rules are those of `kernel/decide.ts` and `kernel/matching.ts`.
 *
 * @since 0.1.0
 */
import type { f64, i32 } from "../../match/number.ts"
import {
  cash,
  holdUntil,
  loadAccount,
  openPosition,
  orderQuantity,
  quantity,
  saveAccount,
  tradesAt,
  waitUntil
} from "./account.ts"
import { nextBit } from "./bits.ts"
import { entryPriceIn, sideAt } from "./entries.ts"
import {
  firstExit,
  firstTouched,
  isLiquidatedIn,
  leaveAtLevel,
  leaveAtMarket,
  loadLevels,
  moveStop,
  reasonAt,
  saveLevels,
  setLevels,
  stop,
  target,
  waitAfterLevel
} from "./exits.ts"
import {
  byEnd,
  cooldownAt,
  decisionAt,
  isLiquidatedAt,
  liquidationAt,
  liveFromAt,
  sizeKindAt,
  sizeValueAt,
  stopLevelAt,
  targetLevelAt,
  timeLimitAt,
  trailLevelAt
} from "./layout.ts"
import { isLevel, stopDistance } from "./levels.ts"
import { countTooSmall, payable, saveTooSmall } from "./lots.ts"
import {
  candleCount,
  closeAtIndex,
  closesAtEnd,
  fillIndexOf,
  fillsAtClose,
  marketPriceIn,
  tileEnd,
  tileStart
} from "./market.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"
import { isMoving, loadTrail, raisedStop, saveTrail, startTrail } from "./trailing.ts"

// The run whose turn it is: its rules as bits, its levels and its limits.
let details: i32 = 0
let enterLong: i32 = 0
let enterShort: i32 = 0
let exitLong: i32 = 0
let exitShort: i32 = 0
let sizingLevel: i32 = 0
let sizeKind: i32 = 0
let sizeValue: f64 = 0
let timeLimit: i32 = 0
let cooldown: i32 = 0
let decision: i32 = 0
let liveFrom: i32 = 0
let liquidation: f64 = 0
let isLiquidated: i32 = 0

/** Index of the first candle of the tile from `from` on where a rule holds, or the tile's end. */
function firstBit(bits: i32, from: i32): i32 {
  return tileStart + nextBit(bits, from - tileStart, tileEnd - tileStart)
}

function firstEntry(from: i32): i32 {
  const long: i32 = firstBit(enterLong, from)
  if (enterShort === 0) return long
  const short: i32 = firstBit(enterShort, from)
  return long < short ? long : short
}

/** What is ordered at the close of a candle for a side, or 0. */
function orderAt(index: i32, side: f64): f64 {
  if (side === 0) return 0
  let distance: f64 = 0
  if (isLevel(sizingLevel)) {
    distance = stopDistance(sizingLevel, index, closeAtIndex(index), side)
    if (!(distance > 0)) return 0
  }
  return orderQuantity(index, sizeKind, sizeValue, distance)
}

/** Counts the candles before `to`, in which nothing is bought or sold any more. */
function advance(to: i32): void {
  if (quantity === 0) waitUntil(to)
  else holdUntil(to, quantity > 0 ? 1 : 0, 1)
}

/** Opens what was ordered at the close of `index`. */
function enter(index: i32, side: f64, ordered: f64): void {
  const at: i32 = fillIndexOf(index)
  advance(at)
  const price: f64 = entryPriceIn(at, side)
  const amount: f64 = payable(ordered, price, cash)
  if (amount === 0) return
  openPosition(at, side, price, amount)
  setLevels(details + stopLevelAt, details + targetLevelAt, index, price, side)
  moveStop(startTrail(index, price, side, stop))
  liquidation = side < 0 ? -cash / quantity : 0
  liveFrom = at + fillsAtClose
}

function whileFlat(): void {
  const index: i32 = firstEntry(decision)
  decision = index
  if (index >= tileEnd) return
  const side: f64 = sideAt(enterLong, enterShort, index)
  const isLast: boolean = fillIndexOf(index) >= candleCount
  const ordered: f64 = orderAt(index, side)
  decision = index + 1
  // At the next open a position is there to be left at that candle's close.
  if (ordered > 0 && !isLast) enter(index, side, ordered)
}

/** Leaves by a rule or because it is time, and may turn at once. */
function leave(exits: i32, index: i32): void {
  const at: i32 = fillIndexOf(index)
  const side: f64 = cooldown === 0 ? sideAt(enterLong, enterShort, index) : 0
  const ordered: f64 = orderAt(index, side)
  if (at >= candleCount) {
    decision = tileEnd
    return
  }
  advance(at)
  leaveAtMarket(at, marketPriceIn(at), quantity > 0 ? 1 : 0, reasonAt(exits, index))
  const next: i32 = at + cooldown
  decision = next > index + 1 ? next : index + 1
  if (ordered > 0) enter(index, side, ordered)
}

/** Leaves at the level that a candle touches. */
function leaveProtected(index: i32): void {
  const isLong: i32 = quantity > 0 ? 1 : 0
  if (isLiquidatedIn(index, isLong, liquidation)) {
    isLiquidated = 1
    decision = tileEnd
    return
  }
  advance(index)
  decision = index + waitAfterLevel(details, leaveAtLevel(index, isLong))
}

/** The first candle of these that touches a level of the position, or the one after them. */
function firstTouchedOf(from: i32, last: i32): i32 {
  return firstTouched(from, last, quantity > 0 ? 1 : 0, 1, liquidation)
}

/** The same while the stop moves after each candle that does not touch it. */
function firstTouchedMoving(from: i32, last: i32): i32 {
  const side: f64 = quantity > 0 ? 1 : -1
  for (let index: i32 = from; index <= last; index++) {
    if (firstTouchedOf(index, index) === index) return index
    moveStop(raisedStop(index, side, stop))
  }
  liveFrom = last + 1
  return last + 1
}

function whileHeld(): void {
  const exits: i32 = quantity > 0 ? exitLong : exitShort
  const index: i32 = firstExit(exits, decision, timeLimit)
  const moves: boolean = isMoving()
  if (stop > 0 || target > 0 || liquidation > 0 || moves) {
    const from: i32 = liveFrom > tileStart ? liveFrom : tileStart
    const last: i32 = index < tileEnd ? index : tileEnd - 1
    if (from <= last) {
      const touched: i32 = moves ? firstTouchedMoving(from, last) : firstTouchedOf(from, last)
      if (touched <= last) return leaveProtected(touched)
    }
  }
  if (index < tileEnd) leave(exits, index)
  else decision = tileEnd
}

function load(account: i32, ofRun: i32): void {
  details = ofRun
  decision = readWord(account + decisionAt)
  liveFrom = readWord(account + liveFromAt)
  liquidation = readDouble(account + liquidationAt)
  isLiquidated = readWord(ofRun + isLiquidatedAt)
  // Without a stop of its own, what an order may lose is as far as its stop trails.
  sizingLevel = isLevel(ofRun + stopLevelAt) ? ofRun + stopLevelAt : ofRun + trailLevelAt
  sizeKind = readWord(ofRun + sizeKindAt)
  sizeValue = readDouble(ofRun + sizeValueAt)
  timeLimit = readWord(ofRun + timeLimitAt)
  cooldown = readWord(ofRun + cooldownAt)
  loadLevels(ofRun)
  loadTrail(ofRun)
}

function save(account: i32): void {
  writeWord(account + decisionAt, decision)
  writeWord(account + liveFromAt, liveFrom)
  writeDouble(account + liquidationAt, liquidation)
  writeWord(details + isLiquidatedAt, isLiquidated)
  saveLevels(details)
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
  ofRun: i32,
  longEntries: i32,
  longExits: i32,
  shortEntries: i32,
  shortExits: i32,
  trades: i32
): i32 {
  load(account, ofRun)
  if (isLiquidated === 1) return trades
  enterLong = longEntries
  exitLong = longExits
  enterShort = shortEntries
  exitShort = shortExits
  loadAccount(account, trades)
  countTooSmall(account)
  if (decision < tileStart) decision = tileStart
  while (decision < tileEnd) {
    if (quantity === 0) whileFlat()
    else whileHeld()
  }
  if (tileEnd === candleCount && closesAtEnd === 1 && quantity !== 0) {
    const last: i32 = candleCount - 1
    advance(last)
    leaveAtMarket(last, closeAtIndex(last), quantity > 0 ? 1 : 0, byEnd)
  }
  advance(tileEnd)
  saveAccount()
  saveTooSmall(account)
  save(account)
  return tradesAt
}
