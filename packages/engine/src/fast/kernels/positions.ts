/**
 * Positions of one run inside a tile, from event to event: the next set bit of a rule, the first
 * candle beyond a level.
 *
 * The rules are those of `kernel/decide.ts` and `match/matchStages.ts`.
 *
 * @since 0.1.0
 */
import { magnitude } from "../../match/arithmetic.ts"
import type { f64, i32 } from "../../match/number.ts"
import {
  averagePrice,
  buyingPower,
  cash,
  endRuined,
  holdUntil,
  loadAccount,
  openPosition,
  payFundingTimes,
  quantity,
  ruinPrice,
  saveAccount,
  roundTripsAt,
  waitUntil
} from "./account.ts"
import { nextBit } from "./bits.ts"
import { entryPriceIn, enteredSide } from "./entries.ts"
import {
  firstExit,
  firstTouched,
  isRuinFirst,
  exitAtLevel,
  exitAtMarket,
  exitAtRuin,
  exitsAfter,
  exitsAfterOpen,
  exitsFirst,
  loadLevels,
  moveStop,
  nearer,
  onlyAdds,
  reasonAt,
  saveLevels,
  setLevels,
  positionStop,
  positionTarget,
  touchesRuin,
  touchOf,
  waitAfterLevel
} from "./exits.ts"
import {
  closedByEnd,
  cooldownAt,
  decisionAt,
  dueFromAt,
  isLiquidatedAt,
  isRepeated,
  isRuined,
  liquidationAt,
  positionLiveFromAt,
  stopLevelAt,
  targetLevelAt,
  timeLimitAt
} from "./layout.ts"
import { countTooSmall, payable, saveTooSmall } from "./lots.ts"
import {
  candleCount,
  closeAtIndex,
  closesAtEnd,
  fillIndexOf,
  fillsAtClose,
  fundingCountAt,
  fundingDueFrom,
  fundingRate,
  marketPriceIn,
  open,
  takerRate,
  tileEnd,
  tileStart
} from "./market.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"
import { loadSize, orderAt } from "./orders.ts"
import {
  dropEntry,
  firstAgainst,
  firstReached,
  lastResting,
  loadResting,
  orderPrice,
  restingIndex,
  placeRestingEntry,
  reachedPrice,
  resting,
  restingRate,
  rests,
  saveResting
} from "./resting.ts"
import {
  fillSafety,
  fitsBeside,
  loadSafety,
  nextSafety,
  placeSafety,
  safetyFrom,
  saveSafety
} from "./safety.ts"
import { isMoving, loadTrail, raisedStop, saveTrail, startTrail } from "./trailing.ts"

// The run whose turn it is: its rules as bits, its levels and its limits.
let details: i32 = 0
let enterLong: i32 = 0
let enterShort: i32 = 0
let exitLong: i32 = 0
let exitShort: i32 = 0
let timeLimit: i32 = 0
let cooldown: i32 = 0
let decision: i32 = 0
let liveFrom: i32 = 0
let liquidation: f64 = 0
let dueFrom: i32 = 0
let usedUp: i32 = 0

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

/** Counts the candles before `to`, in which nothing is bought or sold any more. */
function advance(to: i32): void {
  if (quantity === 0) waitUntil(to)
  else holdUntil(to, quantity > 0 ? 1 : 0, 1)
}

/** Ends a run that is repeated on the plain path. */
function giveUp(): void {
  usedUp = isRepeated
  decision = tileEnd
}

/** Opens the position that was ordered at the close of `decided`. */
function begin(decided: i32, at: i32, side: f64, price: f64, ordered: f64, rate: f64): void {
  const amount: f64 = payable(ordered, price, rate, buyingPower())
  if (amount === 0) return
  openPosition(at, side, price, amount, rate)
  setLevels(details + stopLevelAt, details + targetLevelAt, decided, price, side)
  moveStop(startTrail(decided, price, side, positionStop))
  liquidation = ruinPrice()
  dueFrom = at + 1
  if (!placeSafety(at, side, price, details + stopLevelAt, details + targetLevelAt)) giveUp()
  // A position opened inside a candle, or at its close, is protected from the next candle on.
  liveFrom = rests() ? at + 1 : at + fillsAtClose
}

/** Opens at market the position that was ordered at the close of `index`. */
function enter(index: i32, side: f64, ordered: f64): void {
  const at: i32 = fillIndexOf(index)
  advance(at)
  begin(index, at, side, entryPriceIn(at, side), ordered, takerRate)
}

function whileFlat(): void {
  const index: i32 = firstEntry(decision)
  decision = index
  if (index >= tileEnd) return
  const side: f64 = enteredSide(enterLong, enterShort, index)
  const ordered: f64 = orderAt(index, side)
  decision = index + 1
  if (!(ordered > 0)) return
  // At the next open a position is there to be left at that candle's close.
  if (rests()) placeRestingEntry(index, side, ordered)
  else if (fillIndexOf(index) < candleCount) enter(index, side, ordered)
}

/** Finds the end of the order that rests: a candle that reaches it, a rule, or its time. */
function whileResting(): void {
  const isLong: boolean = resting > 0
  const own: i32 = isLong ? enterLong : enterShort
  const other: i32 = isLong ? enterShort : enterLong
  const against: i32 = firstAgainst(own, other, isLong ? exitLong : exitShort, decision)
  const over: i32 = lastResting()
  const end: i32 = against < over ? against : over
  const last: i32 = end < tileEnd ? end : tileEnd - 1
  const at: i32 = firstReached(decision, last)
  if (at > last) {
    if (end < tileEnd) dropEntry()
    decision = end < tileEnd ? end : tileEnd
    return
  }
  advance(at)
  const price: f64 = reachedPrice(at)
  const ordered: f64 = magnitude(resting)
  dropEntry()
  decision = at
  begin(restingIndex, at, isLong ? 1 : -1, price, ordered, restingRate())
}

/** Ends the run where a position has left nothing. */
function endIfRuined(): void {
  if (cash > 0 || usedUp !== 0) return
  endRuined()
  usedUp = isRuined
  decision = tileEnd
}

/** Pays the funding that is due at the open of a candle. */
function payDue(index: i32): void {
  advance(index)
  payFundingTimes(readDouble(open + (index << 3)), fundingRate, fundingCountAt(index))
  liquidation = ruinPrice()
  dueFrom = index + 1
}

/** Exits by a rule or because it is time, and may reverse at once. */
function exitByRule(exits: i32, index: i32): void {
  const at: i32 = fillIndexOf(index)
  const side: f64 = cooldown === 0 ? enteredSide(enterLong, enterShort, index) : 0
  const ordered: f64 = orderAt(index, side)
  if (at >= candleCount) {
    decision = tileEnd
    return
  }
  if (ordered > 0 && !fitsBeside(index, ordered, orderPrice(index, side))) return giveUp()
  if (fundingDueFrom(dueFrom) === at) payDue(at)
  advance(at)
  exitAtMarket(at, marketPriceIn(at), quantity > 0 ? 1 : 0, reasonAt(exits, index))
  const next: i32 = at + cooldown
  decision = next > index + 1 ? next : index + 1
  endIfRuined()
  if (!(ordered > 0) || usedUp !== 0) return
  if (rests()) placeRestingEntry(index, side, ordered)
  else enter(index, side, ordered)
}

/** Exits at the level that a candle touches. */
function exitProtected(index: i32): void {
  const isLong: i32 = quantity > 0 ? 1 : 0
  advance(index)
  let isStop: boolean = false
  if (isRuinFirst(index, isLong, liquidation)) exitAtRuin(index, isLong, liquidation)
  else isStop = exitAtLevel(index, isLong)
  decision = index + waitAfterLevel(details, isStop)
  endIfRuined()
}

/** The first candle of these that touches a level of the position, or the one after them. */
function firstTouchedOf(from: i32, last: i32): i32 {
  const isLong: i32 = quantity > 0 ? 1 : 0
  return firstTouched(from, last, isLong, 1, nearer(isLong, liquidation, nextSafety()))
}

/**
 * Fills the orders beside the position that a candle reaches, or exits at the level it touches.
 */
function meet(index: i32): void {
  if (nextSafety() === 0) return exitProtected(index)
  const touch: i32 = touchOf(index, quantity > 0 ? 1 : 0, liquidation)
  if (touch === touchesRuin) return giveUp()
  if (touch === exitsFirst) return exitProtected(index)
  // The orders rest from the candle after the first entry on.
  if (index > safetyFrom) {
    advance(index)
    const before: f64 = touch === exitsAfter ? positionStop : 0
    if (!fillSafety(index, before, touch === exitsAfterOpen)) return giveUp()
    liquidation = ruinPrice()
  }
  if (touch !== onlyAdds) {
    if (touchOf(index, quantity > 0 ? 1 : 0, liquidation) === touchesRuin) return giveUp()
    return exitProtected(index)
  }
  const side: f64 = quantity > 0 ? 1 : -1
  if (index > safetyFrom) {
    setLevels(details + stopLevelAt, details + targetLevelAt, safetyFrom, averagePrice(), side)
  }
  liveFrom = index + 1
}

/** The same while the stop moves after each candle that does not touch it. */
function firstTouchedMoving(from: i32, last: i32): i32 {
  const side: f64 = quantity > 0 ? 1 : -1
  for (let index: i32 = from; index <= last; index++) {
    if (firstTouchedOf(index, index) === index) return index
    moveStop(raisedStop(index, side, positionStop))
  }
  liveFrom = last + 1
  return last + 1
}

/** The first of these candles that ends the position at a level, or the one after them. */
function firstEnding(from: i32, last: i32): i32 {
  const moves: boolean = isMoving()
  const isLevelled: boolean = positionStop > 0 || positionTarget > 0 || liquidation > 0
  const isWatched: boolean = isLevelled || moves || nextSafety() > 0
  if (!isWatched || from > last) return last + 1
  return moves ? firstTouchedMoving(from, last) : firstTouchedOf(from, last)
}

function whileHeld(): void {
  const exits: i32 = quantity > 0 ? exitLong : exitShort
  const index: i32 = firstExit(exits, decision, timeLimit)
  const last: i32 = index < tileEnd ? index : tileEnd - 1
  let from: i32 = liveFrom > tileStart ? liveFrom : tileStart
  let due: i32 = fundingDueFrom(dueFrom)
  // A payment moves the price at which equity is used up.
  for (;;) {
    const isDue: boolean = due <= last
    const until: i32 = isDue ? due - 1 : last
    const touched: i32 = firstEnding(from, until)
    if (touched <= until) return meet(touched)
    if (!isDue) break
    payDue(due)
    if (from < due) from = due
    due = fundingDueFrom(dueFrom)
  }
  if (index < tileEnd) exitByRule(exits, index)
  else decision = tileEnd
}

function load(account: i32, ofRun: i32): void {
  details = ofRun
  decision = readWord(account + decisionAt)
  liveFrom = readWord(account + positionLiveFromAt)
  liquidation = readDouble(account + liquidationAt)
  dueFrom = readWord(account + dueFromAt)
  usedUp = readWord(ofRun + isLiquidatedAt)
  loadSize(ofRun)
  timeLimit = readWord(ofRun + timeLimitAt)
  cooldown = readWord(ofRun + cooldownAt)
  loadLevels(ofRun)
  loadTrail(ofRun)
  loadResting(ofRun)
  loadSafety(ofRun)
}

function save(account: i32): void {
  writeWord(account + decisionAt, decision)
  writeWord(account + positionLiveFromAt, liveFrom)
  writeDouble(account + liquidationAt, liquidation)
  writeWord(account + dueFromAt, dueFrom)
  writeWord(details + isLiquidatedAt, usedUp)
  saveLevels(details)
  saveTrail(details)
  saveResting(details)
  saveSafety()
}

/**
 * Takes one run through the tile; the address after the last round trip that was written comes
 * back.
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
  if (usedUp !== 0) return trades
  enterLong = longEntries
  exitLong = longExits
  enterShort = shortEntries
  exitShort = shortExits
  loadAccount(account, trades)
  countTooSmall(account)
  if (decision < tileStart) decision = tileStart
  while (decision < tileEnd) {
    if (quantity !== 0) whileHeld()
    else if (resting !== 0) whileResting()
    else whileFlat()
  }
  if (tileEnd === candleCount && closesAtEnd === 1 && quantity !== 0) {
    const last: i32 = candleCount - 1
    advance(last)
    exitAtMarket(last, closeAtIndex(last), quantity > 0 ? 1 : 0, closedByEnd)
    endIfRuined()
  }
  advance(tileEnd)
  saveAccount()
  saveTooSmall(account)
  save(account)
  return roundTripsAt
}
