/**
 * Positions between stops and targets that many runs share.
 *
 * The candle that touches a level after an entry, and the proceeds of a unit there, depend on the
 * entry alone. It is looked for by the first run that enters there, and kept for the others.
 *
 * @since 0.1.0
 */
import { firstBeyond } from "./beyond.ts"
import { nextBit, nextBitSoon } from "./bits.ts"
import {
  cooldownAfterStopAt,
  cooldownAt,
  decisionAt,
  positionStopAt,
  stopTouchesAt,
  stopLevelAt,
  positionTargetAt,
  targetTouchesAt,
  targetLevelAt
} from "./layout.ts"
import { reachableLevel, waitAfterLevel } from "./exits.ts"
import { isBehindPrice, levelAt } from "./levels.ts"
import {
  enterLong,
  isInPosition,
  lastEntry,
  exitLong,
  resumeLong,
  saveLong
} from "./longAtClose.ts"
import { blocks, closeAtIndex, high, low, tileEnd, tileStart } from "./market.ts"
import { chosen } from "../../match/arithmetic.ts"
import { readDouble, readWord } from "./memory.ts"
import { writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "../../match/number.ts"
import {
  bidAt,
  closeProceeds,
  isStoppedFirst,
  levelProceeds,
  targetProceedsRate,
  sellProceedsRate
} from "./roundTripsAtClose.ts"

/** Bytes that are kept of one entry: the candle, and the proceeds of a unit there after costs. */
export const touchBytes: i32 = 16

// A candle is kept as a number above twice the tile's end: numbers of older tiles are below that.
// One more than the tile's length stands for a stop that would not be below the price, so that
// nothing is bought.

/** The target of a position that was opened at a price, or one that is never reached. */
function targetFor(level: i32, entry: i32, bid: f64): f64 {
  return reachableLevel(levelAt(level, tileStart + entry, bid, 1), 1)
}

/** The first candle from `from` on, and before `to`, that touches one of these levels, or `to`. */
function firstTouch(from: i32, to: i32, stop: f64, target: f64): i32 {
  const lows: i32 = low + (tileStart << 3)
  const highs: i32 = high + (tileStart << 3)
  return firstBeyond(lows, highs, blocks, from, to, stop, target)
}

/** Keeps the candle after an entry that touches its stop. */
function keepStopTouch(slot: i32, level: i32, entry: i32): i32 {
  const price: f64 = closeAtIndex(tileStart + entry)
  const length: i32 = tileEnd - tileStart
  let touch: i32 = length + 1
  if (!isBehindPrice(levelAt(level, tileStart + entry, price, -1), price, 1)) {
    const stop: f64 = levelAt(level, tileStart + entry, bidAt(entry), -1)
    touch = firstTouch(entry + 1, length, stop, Infinity)
    if (touch < length) {
      writeDouble(
        slot + 8,
        levelProceeds(true, touch, stop, Infinity, sellProceedsRate(), targetProceedsRate())
      )
    }
  }
  writeWord(slot, (tileEnd << 1) + touch)
  return touch
}

/** Keeps the candle after an entry that touches its target. */
function keepTargetTouch(slot: i32, level: i32, entry: i32): i32 {
  const length: i32 = tileEnd - tileStart
  const target: f64 = targetFor(level, entry, bidAt(entry))
  const touch: i32 = firstTouch(entry + 1, length, -Infinity, target)
  if (touch < length) {
    writeDouble(
      slot + 8,
      levelProceeds(false, touch, -Infinity, target, sellProceedsRate(), targetProceedsRate())
    )
  }
  writeWord(slot, (tileEnd << 1) + touch)
  return touch
}

/** The candle after an entry that touches its stop, beyond the tile where nothing is bought. */
function stopTouchOf(slot: i32, level: i32, entry: i32): i32 {
  const kept: i32 = readWord(slot) - (tileEnd << 1)
  return kept < 0 ? keepStopTouch(slot, level, entry) : kept
}

/** The candle after an entry that touches its target. */
function targetTouchOf(slot: i32, level: i32, entry: i32): i32 {
  const kept: i32 = readWord(slot) - (tileEnd << 1)
  return kept < 0 ? keepTargetTouch(slot, level, entry) : kept
}

/** The number of candles after an exit by a rule until the next entry may be decided. */
function waitAfterRule(details: i32): i32 {
  const cooldown: i32 = readWord(details + cooldownAt)
  return cooldown > 1 ? cooldown : 1
}

/**
 * Exits a position that was opened in a tile before: nothing of this one is kept for it. The next
 * decision comes back, or -1 where the position is held on.
 */
function exitOpened(details: i32, exits: i32, entry: i32, decision: i32): i32 {
  const length: i32 = tileEnd - tileStart
  const stop: f64 = readDouble(details + positionStopAt)
  const target: f64 = reachableLevel(readDouble(details + positionTargetAt), 1)
  const exit: i32 = nextBitSoon(exits, decision, length)
  const after: i32 = exit < length ? exit + 1 : length
  const touched: i32 = firstTouch(entry + 1, after, stop, target)
  if (touched < after) {
    const isStop: boolean = isStoppedFirst(touched, stop, target)
    exitLong(
      touched,
      levelProceeds(isStop, touched, stop, target, sellProceedsRate(), targetProceedsRate())
    )
    return touched + waitAfterLevel(details, isStop)
  }
  if (exit >= length) return -1
  exitLong(exit, closeProceeds(exit, sellProceedsRate()))
  return exit + waitAfterRule(details)
}

/** Puts the levels back of a position that is held at the end of the tile. */
function saveHeld(details: i32, entry: i32): void {
  const bid: f64 = bidAt(entry)
  if (readWord(details + stopTouchesAt) !== 0) {
    writeDouble(
      details + positionStopAt,
      levelAt(details + stopLevelAt, tileStart + entry, bid, -1)
    )
  }
  if (readWord(details + targetTouchesAt) === 0) return
  const target: f64 = targetFor(details + targetLevelAt, entry, bid)
  writeDouble(details + positionTargetAt, target === Infinity ? 0 : target)
}

/**
 * Takes a run whose stops and targets are kept through a tile, as `listRoundTripsWithLevels` of
 * `roundTripsAtClose.ts` does, by the same rules.
 */
export function listRoundTripsWithSharedLevels(
  account: i32,
  details: i32,
  entries: i32,
  exits: i32
): void {
  const length: i32 = tileEnd - tileStart
  const cooldown: i32 = readWord(details + cooldownAt)
  const afterRule: i32 = waitAfterRule(details)
  const waitsAfterStop: boolean = readWord(details + cooldownAfterStopAt) > cooldown
  const stopLevel: i32 = details + stopLevelAt
  const targetLevel: i32 = details + targetLevelAt
  const stopTouches: i32 = readWord(details + stopTouchesAt)
  const targetTouches: i32 = readWord(details + targetTouchesAt)
  const sold: f64 = sellProceedsRate()
  const met: f64 = targetProceedsRate()
  let decision: i32 = readWord(account + decisionAt) - tileStart
  if (decision < 0) decision = 0
  resumeLong(account)
  let entry: i32 = lastEntry()
  let isHeld: boolean = isInPosition()
  if (isHeld) {
    const next: i32 = exitOpened(details, exits, entry, decision)
    isHeld = next < 0
    if (!isHeld) decision = next
  }

  while (!isHeld) {
    entry = nextBit(entries, decision, length)
    if (entry >= length) break
    decision = entry + 1
    const stopSlot: i32 = stopTouches + entry * touchBytes
    const stopTouch: i32 = stopTouches === 0 ? length : stopTouchOf(stopSlot, stopLevel, entry)
    if (stopTouch > length) continue
    const targetSlot: i32 = targetTouches + entry * touchBytes
    const targetTouch: i32 =
      targetTouches === 0 ? length : targetTouchOf(targetSlot, targetLevel, entry)
    enterLong(entry)
    const exit: i32 = nextBitSoon(exits, decision, length)
    const touched: i32 = stopTouch < targetTouch ? stopTouch : targetTouch
    const isTouched: boolean = touched <= exit && touched < length
    const leaving: i32 = isTouched ? touched : exit
    isHeld = leaving >= length
    if (isHeld) break
    let isStop: boolean = stopTouch < targetTouch
    // Of a candle that touches none, this is of no use.
    let touchedBrings: f64 = readDouble((isStop ? stopSlot : targetSlot) + 8)
    if (isTouched && stopTouch === targetTouch) {
      const bid: f64 = bidAt(entry)
      const stop: f64 = levelAt(stopLevel, tileStart + entry, bid, -1)
      const target: f64 = targetFor(targetLevel, entry, bid)
      isStop = isStoppedFirst(touched, stop, target)
      touchedBrings = levelProceeds(isStop, touched, stop, target, sold, met)
    }
    exitLong(leaving, chosen(isTouched, touchedBrings, closeProceeds(leaving, sold)))
    decision = leaving + (isTouched ? cooldown : afterRule)
    // This read keeps it a branch, as in `roundTripsAtClose.ts`.
    if (waitsAfterStop && isTouched && isStop) {
      decision = leaving + readWord(details + cooldownAfterStopAt)
    }
  }

  saveLong(account)
  writeWord(account + decisionAt, tileStart + decision)
  if (isHeld && entry >= 0) saveHeld(details, entry)
}
