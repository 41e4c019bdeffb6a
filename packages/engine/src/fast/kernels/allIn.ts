/**
 * Positions of all the equity: the work of `positions.ts` for any size, with fewer steps.
 *
 * Each round ends a stretch of candles, counts it, and buys or sells at its end. Positions are
 * those of the general form; equity may differ from it by rounding.
 *
 * Each function gets the kind of its run, as numbers that are known where `runAllIn` is called.
 * Each kind so has a loop of its own, without the parts that it does not need.
 *
 * @since 0.1.0
 */
import { toDouble } from "../../match/arithmetic.ts"
import type { f64, i32 } from "../../match/number.ts"
import {
  cash,
  loadAccount,
  openPosition,
  quantity,
  saveAccount,
  roundTripsAt,
  holdUntil,
  waitUntil
} from "./account.ts"
import { hasBit, nextBit } from "./bits.ts"
import { entryPriceIn, isBehind, enteredSide } from "./entries.ts"
import {
  firstExit,
  firstTouched,
  isLiquidatedIn,
  exitAtLevel,
  exitAtMarket,
  loadLevels,
  reasonAt,
  saveLevels,
  setLevels,
  waitAfterLevel
} from "./exits.ts"
import {
  closedByEnd,
  closedByRule,
  closedByTimeLimit,
  cooldownAt,
  decisionAt,
  isLiquidatedAt,
  isRepeated,
  positionLiveFromAt,
  positionQuantityAt,
  stopLevelAt,
  targetLevelAt,
  timeLimitAt
} from "./layout.ts"
import { countTooSmall, fillAll, orderAll, saveTooSmall } from "./lots.ts"
import {
  candleCount,
  closeAtIndex,
  closesAtEnd,
  fillIndexOf,
  fillsAtClose,
  hasSteps,
  marketPriceIn,
  mayBeUsedUp,
  takerRate,
  tileEnd,
  tileStart
} from "./market.ts"
import { readWord, writeDouble, writeWord } from "./memory.ts"

// The run whose turn it is, and where its list of side changes has come to.
let details: i32 = 0
let decision: i32 = 0
let liveFrom: i32 = 0
let sideChangeAt: i32 = 0
let changedSide: f64 = 0

// The order: at which close that was decided, for which side, and how much.
let decided: i32 = 0
let side: f64 = 0
let ordered: f64 = 0

// The next step after a round: another one, an entry, or nothing more in this tile.
const goesOn: i32 = 0
const enters: i32 = 1
const isOver: i32 = 2
const isUsedUp: i32 = 3

/** The next candle at which a listed run changes sides. */
function nextSideChange(): i32 {
  const index: i32 = tileStart + readWord(sideChangeAt)
  sideChangeAt += 4
  changedSide = -changedSide
  return index
}

/**
 * The next candle at which one of the rules enters.
 *
 * @inline
 */
function nextEntry(isBothWays: i32, longEntries: i32, shortEntries: i32): i32 {
  const from: i32 = decision - tileStart
  const end: i32 = tileEnd - tileStart
  const long: i32 = nextBit(longEntries, from, end)
  if (isBothWays === 0) return tileStart + long
  const short: i32 = nextBit(shortEntries, from, end)
  return tileStart + (short < long ? short : long)
}

/**
 * The side that is entered at a candle at whose close the rules say so, or 0.
 *
 * @inline
 */
function sideOf(
  isSimple: i32,
  isBothWays: i32,
  isListed: i32,
  longEntries: i32,
  shortEntries: i32,
  index: i32
): f64 {
  let found: f64 = 0
  if (isListed === 1) found = changedSide
  else if (isBothWays === 1) found = enteredSide(longEntries, shortEntries, index)
  else found = toDouble(hasBit(longEntries, index - tileStart))
  if (isSimple === 1 || found === 0) return found
  return isBehind(details + stopLevelAt, index, closeAtIndex(index), found) ? 0 : found
}

/**
 * Finds the next entry, and counts the candles before it.
 *
 * @inline
 */
function whileFlat(
  isSimple: i32,
  isBothWays: i32,
  isListed: i32,
  longEntries: i32,
  shortEntries: i32
): i32 {
  const index: i32 =
    isListed === 1 ? nextSideChange() : nextEntry(isBothWays, longEntries, shortEntries)
  if (index >= tileEnd) {
    waitUntil(tileEnd)
    return isOver
  }
  decision = index + 1
  const at: i32 = fillIndexOf(index)
  // Whole lots are cut to the unit that the general form has: there rounding would count.
  const isStepped: boolean = hasSteps === 1
  if (at >= candleCount && !isStepped) return goesOn
  side = sideOf(isSimple, isBothWays, isListed, longEntries, shortEntries, index)
  if (side === 0) return goesOn
  ordered = orderAll(cash, closeAtIndex(index))
  if (isStepped && (ordered === 0 || at >= candleCount)) return goesOn
  decided = index
  waitUntil(at)
  return enters
}

/**
 * Opens the ordered position.
 *
 * @inline
 */
function enter(isSimple: i32): void {
  const at: i32 = fillIndexOf(decided)
  const price: f64 = entryPriceIn(at, side)
  const amount: f64 = fillAll(ordered, price, cash)
  if (!(amount > 0)) return
  openPosition(at, side, price, amount, takerRate)
  if (isSimple === 0) {
    setLevels(details + stopLevelAt, details + targetLevelAt, decided, price, side)
  }
  liveFrom = at + fillsAtClose
  decision = decided + 1
}

/**
 * Exits at the close of a candle by a rule or because it is time, and may reverse at once.
 *
 * @inline
 */
function exitByRule(
  isSimple: i32,
  isBothWays: i32,
  isListed: i32,
  longEntries: i32,
  shortEntries: i32,
  isLong: i32,
  index: i32,
  reason: i32
): i32 {
  const at: i32 = fillIndexOf(index)
  const isLast: boolean = at >= candleCount
  side = 0
  if (!isLast || hasSteps === 1) {
    const cooldown: i32 = isSimple === 1 ? 0 : readWord(details + cooldownAt)
    decision = at + cooldown > index + 1 ? at + cooldown : index + 1
    // A rule that exits a position never holds with the rule that enters it.
    if (cooldown === 0 && (isBothWays === 1 || reason === closedByTimeLimit)) {
      side = sideOf(isSimple, isBothWays, isListed, longEntries, shortEntries, index)
      if (side !== 0) {
        // The ordered quantity depends on the equity at the close at which it is decided.
        const price: f64 = closeAtIndex(index)
        ordered = orderAll(cash + quantity * price, price)
        decided = index
      }
    }
  }
  if (isLast) {
    decision = tileEnd
    return goesOn
  }
  holdUntil(at, isLong, 0)
  exitAtMarket(at, marketPriceIn(at), isLong, reason)
  return side === 0 ? goesOn : enters
}

/**
 * Exits at the level that a candle touches, or ends a run whose equity is used up there.
 *
 * @inline
 */
function exitByLevel(isSimple: i32, isLong: i32, index: i32, liquidation: f64): i32 {
  if (isLiquidatedIn(index, isLong, liquidation)) return isUsedUp
  holdUntil(index, isLong, 0)
  if (isSimple === 0) decision = index + waitAfterLevel(details, exitAtLevel(index, isLong))
  return goesOn
}

/**
 * Finds the end of the position, and counts the candles before it.
 *
 * @inline
 */
function whileHeld(
  isSimple: i32,
  isBothWays: i32,
  isListed: i32,
  longEntries: i32,
  longExits: i32,
  shortEntries: i32,
  shortExits: i32
): i32 {
  const isLong: i32 = isBothWays === 1 ? (quantity > 0 ? 1 : 0) : 1
  const exits: i32 = isLong === 1 ? longExits : shortExits
  const timeLimit: i32 = isSimple === 1 ? -1 : readWord(details + timeLimitAt)
  const index: i32 = isListed === 1 ? nextSideChange() : firstExit(exits, decision, timeLimit)
  // The price at which a short's equity is used up: seldom one that the tile has.
  const isNear: boolean = isLong === 0 && mayBeUsedUp(cash, quantity)
  const from: i32 = liveFrom > tileStart ? liveFrom : tileStart
  const last: i32 = index < tileEnd ? index : tileEnd - 1
  if ((isSimple === 0 || isNear) && from <= last) {
    const liquidation: f64 = isLong === 1 ? 0 : -cash / quantity
    const touched: i32 = firstTouched(from, last, isLong, 1 - isSimple, liquidation)
    if (touched <= last) return exitByLevel(isSimple, isLong, touched, liquidation)
  }
  if (index < tileEnd) {
    const reason: i32 = timeLimit < 0 ? closedByRule : reasonAt(exits, index)
    return exitByRule(
      isSimple,
      isBothWays,
      isListed,
      longEntries,
      shortEntries,
      isLong,
      index,
      reason
    )
  }
  const closes: boolean = tileEnd === candleCount && closesAtEnd === 1
  holdUntil(closes ? tileEnd - 1 : tileEnd, isLong, 0)
  if (!closes) return isOver
  exitAtMarket(tileEnd - 1, closeAtIndex(tileEnd - 1), isLong, closedByEnd)
  decision = tileEnd
  return goesOn
}

/**
 * One run in a tile. `isSimple` is a run whose rules alone end its positions, at once. `isBothWays`
 * is one that may be short. `isListed` is one whose `longEntries` are the candles at which it
 * changes sides, to `firstSide` at the first.
 *
 * @inline
 */
export function runAllIn(
  isSimple: i32,
  isBothWays: i32,
  isListed: i32,
  firstSide: f64,
  account: i32,
  ofRun: i32,
  longEntries: i32,
  longExits: i32,
  shortEntries: i32,
  shortExits: i32,
  trades: i32
): i32 {
  details = ofRun
  sideChangeAt = longEntries
  changedSide = -firstSide
  liveFrom = readWord(account + positionLiveFromAt)
  decision = readWord(account + decisionAt)
  if (decision < tileStart) decision = tileStart
  loadAccount(account, trades)
  if (isSimple === 0) loadLevels(ofRun)
  countTooSmall(account)
  for (;;) {
    const next: i32 =
      quantity === 0
        ? whileFlat(isSimple, isBothWays, isListed, longEntries, shortEntries)
        : whileHeld(
            isSimple,
            isBothWays,
            isListed,
            longEntries,
            longExits,
            shortEntries,
            shortExits
          )
    if (next === enters) enter(isSimple)
    else if (next === isOver) break
    else if (next === isUsedUp) {
      writeDouble(account + positionQuantityAt, 0)
      writeWord(account + decisionAt, candleCount)
      writeWord(ofRun + isLiquidatedAt, isRepeated)
      return roundTripsAt
    }
  }
  saveAccount()
  saveTooSmall(account)
  writeWord(account + decisionAt, decision)
  writeWord(account + positionLiveFromAt, liveFrom)
  if (isSimple === 0) saveLevels(ofRun)
  return roundTripsAt
}
