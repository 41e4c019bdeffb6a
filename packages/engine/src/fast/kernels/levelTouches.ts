/**
 * Positions between stops and targets that many runs share. The candle that touches a level after
 * an entry, and the proceeds of a unit there, depend on the entry alone. It is looked for by the
 * first run that enters there, and kept for the others.
 *
 * @since 0.1.0
 */
import { firstBeyond } from "./beyond.ts"
import { nextBit, nextBitSoon } from "./bits.ts"
import {
  cooldownAfterStopAt,
  cooldownAt,
  decisionAt,
  stopAt,
  stopHitsAt,
  stopLevelAt,
  targetAt,
  targetHitsAt,
  targetLevelAt
} from "./layout.ts"
import { reachable, waitAfterLevel } from "./exits.ts"
import { isBehindPrice, levelAt } from "./levels.ts"
import { enterLong, isHolding, lastEntry, leaveLong, resumeLong, saveLong } from "./longAtClose.ts"
import { blocks, closeAtIndex, high, low, tileEnd, tileStart } from "./market.ts"
import { chosen } from "../../match/arithmetic.ts"
import { readDouble, readWord } from "./memory.ts"
import { writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "../../match/number.ts"
import {
  bidAt,
  closeBrings,
  isStoppedFirst,
  levelBrings,
  metRate,
  soldRate
} from "./tradesAtClose.ts"

/** Bytes of what is kept of one entry: the candle, and what a unit brings there after costs. */
export const touchBytes: i32 = 16

// A candle is kept as a number above twice the tile's end: what older tiles left is below that. One
// more than the tile's length stands for a stop that would not be below the price, so that nothing
// is bought.

/** The target of a position that was opened at a price, or one that is never reached. */
function targetFor(level: i32, entry: i32, bid: f64): f64 {
  return reachable(levelAt(level, tileStart + entry, bid, 1), 1)
}

/** The first candle from `from` on, and before `to`, that touches one of these levels, or `to`. */
function firstTouch(from: i32, to: i32, stop: f64, target: f64): i32 {
  const lows: i32 = low + (tileStart << 3)
  const highs: i32 = high + (tileStart << 3)
  return firstBeyond(lows, highs, blocks, from, to, stop, target)
}

/** Keeps the candle after an entry that touches its stop. */
function keepStopHit(slot: i32, level: i32, entry: i32): i32 {
  const price: f64 = closeAtIndex(tileStart + entry)
  const length: i32 = tileEnd - tileStart
  let hit: i32 = length + 1
  if (!isBehindPrice(levelAt(level, tileStart + entry, price, -1), price, 1)) {
    const stop: f64 = levelAt(level, tileStart + entry, bidAt(entry), -1)
    hit = firstTouch(entry + 1, length, stop, Infinity)
    if (hit < length) {
      writeDouble(slot + 8, levelBrings(true, hit, stop, Infinity, soldRate(), metRate()))
    }
  }
  writeWord(slot, (tileEnd << 1) + hit)
  return hit
}

/** Keeps the candle after an entry that touches its target. */
function keepTargetHit(slot: i32, level: i32, entry: i32): i32 {
  const length: i32 = tileEnd - tileStart
  const target: f64 = targetFor(level, entry, bidAt(entry))
  const hit: i32 = firstTouch(entry + 1, length, -Infinity, target)
  if (hit < length) {
    writeDouble(slot + 8, levelBrings(false, hit, -Infinity, target, soldRate(), metRate()))
  }
  writeWord(slot, (tileEnd << 1) + hit)
  return hit
}

/** The candle after an entry that touches its stop, beyond the tile where nothing is bought. */
function stopHitOf(slot: i32, level: i32, entry: i32): i32 {
  const kept: i32 = readWord(slot) - (tileEnd << 1)
  return kept < 0 ? keepStopHit(slot, level, entry) : kept
}

/** The candle after an entry that touches its target. */
function targetHitOf(slot: i32, level: i32, entry: i32): i32 {
  const kept: i32 = readWord(slot) - (tileEnd << 1)
  return kept < 0 ? keepTargetHit(slot, level, entry) : kept
}

/** The number of candles after an exit by a rule until the next entry may be decided. */
function waitAfterRule(details: i32): i32 {
  const cooldown: i32 = readWord(details + cooldownAt)
  return cooldown > 1 ? cooldown : 1
}

/**
 * Leaves a position that was opened in a tile before: nothing of this one is kept for it. The next
 * decision comes back, or -1 where the position is held on.
 */
function leaveOpened(details: i32, exits: i32, entry: i32, decision: i32): i32 {
  const length: i32 = tileEnd - tileStart
  const stop: f64 = readDouble(details + stopAt)
  const target: f64 = reachable(readDouble(details + targetAt), 1)
  const exit: i32 = nextBitSoon(exits, decision, length)
  const after: i32 = exit < length ? exit + 1 : length
  const touched: i32 = firstTouch(entry + 1, after, stop, target)
  if (touched < after) {
    const isStop: boolean = isStoppedFirst(touched, stop, target)
    leaveLong(touched, levelBrings(isStop, touched, stop, target, soldRate(), metRate()))
    return touched + waitAfterLevel(details, isStop)
  }
  if (exit >= length) return -1
  leaveLong(exit, closeBrings(exit, soldRate()))
  return exit + waitAfterRule(details)
}

/** Puts the levels back of a position that is held at the end of the tile. */
function saveHeld(details: i32, entry: i32): void {
  const bid: f64 = bidAt(entry)
  if (readWord(details + stopHitsAt) !== 0) {
    writeDouble(details + stopAt, levelAt(details + stopLevelAt, tileStart + entry, bid, -1))
  }
  if (readWord(details + targetHitsAt) === 0) return
  const target: f64 = targetFor(details + targetLevelAt, entry, bid)
  writeDouble(details + targetAt, target === Infinity ? 0 : target)
}

/**
 * Takes a run whose stops and targets are kept through a tile, as `tradeWithLevels` of
 * `tradesAtClose.ts` does, by the same rules.
 */
export function tradeWithSharedLevels(account: i32, details: i32, entries: i32, exits: i32): void {
  const length: i32 = tileEnd - tileStart
  const cooldown: i32 = readWord(details + cooldownAt)
  const afterRule: i32 = waitAfterRule(details)
  const waitsAfterStop: boolean = readWord(details + cooldownAfterStopAt) > cooldown
  const stopLevel: i32 = details + stopLevelAt
  const targetLevel: i32 = details + targetLevelAt
  const stopHits: i32 = readWord(details + stopHitsAt)
  const targetHits: i32 = readWord(details + targetHitsAt)
  const sold: f64 = soldRate()
  const met: f64 = metRate()
  let decision: i32 = readWord(account + decisionAt) - tileStart
  if (decision < 0) decision = 0
  resumeLong(account)
  let entry: i32 = lastEntry()
  let isHeld: boolean = isHolding()
  if (isHeld) {
    const next: i32 = leaveOpened(details, exits, entry, decision)
    isHeld = next < 0
    if (!isHeld) decision = next
  }

  while (!isHeld) {
    entry = nextBit(entries, decision, length)
    if (entry >= length) break
    decision = entry + 1
    const stopSlot: i32 = stopHits + entry * touchBytes
    const stopHit: i32 = stopHits === 0 ? length : stopHitOf(stopSlot, stopLevel, entry)
    if (stopHit > length) continue
    const targetSlot: i32 = targetHits + entry * touchBytes
    const targetHit: i32 = targetHits === 0 ? length : targetHitOf(targetSlot, targetLevel, entry)
    enterLong(entry)
    const exit: i32 = nextBitSoon(exits, decision, length)
    const touched: i32 = stopHit < targetHit ? stopHit : targetHit
    const isTouched: boolean = touched <= exit && touched < length
    const leaving: i32 = isTouched ? touched : exit
    isHeld = leaving >= length
    if (isHeld) break
    let isStop: boolean = stopHit < targetHit
    // Of a candle that touches none, this is of no use.
    let touchedBrings: f64 = readDouble((isStop ? stopSlot : targetSlot) + 8)
    if (isTouched && stopHit === targetHit) {
      const bid: f64 = bidAt(entry)
      const stop: f64 = levelAt(stopLevel, tileStart + entry, bid, -1)
      const target: f64 = targetFor(targetLevel, entry, bid)
      isStop = isStoppedFirst(touched, stop, target)
      touchedBrings = levelBrings(isStop, touched, stop, target, sold, met)
    }
    leaveLong(leaving, chosen(isTouched, touchedBrings, closeBrings(leaving, sold)))
    decision = leaving + (isTouched ? cooldown : afterRule)
    // This read keeps it a branch, as in `tradesAtClose.ts`.
    if (waitsAfterStop && isTouched && isStop) {
      decision = leaving + readWord(details + cooldownAfterStopAt)
    }
  }

  saveLong(account)
  writeWord(account + decisionAt, tileStart + decision)
  if (isHeld && entry >= 0) saveHeld(details, entry)
}
