/**
 * Trades between stops and targets that many runs have in common: which candle touches a level
 * after an entry, and what a unit brings there, depends on the entry alone. It is looked for by the
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
import { levelAt } from "./levels.ts"
import { enterLong, isHolding, lastEntry, leaveLong, resumeLong, saveLong } from "./longAtClose.ts"
import { blocks, close, high, low, slippageRate, tileEnd, tileStart } from "./market.ts"
import { chosen } from "../../match/arithmetic.ts"
import { readDouble, readWord } from "./memory.ts"
import { writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "../../match/number.ts"
import { closeBrings, isStoppedFirst, levelBrings, metRate, soldRate } from "./tradesAtClose.ts"

/** Bytes of what is kept of one entry: the candle, and what a unit brings there after costs. */
export const hitBytes: i32 = 16

// A candle is kept as a number above twice the tile's end: what older tiles left is below that. One
// more than the tile's length stands for a stop that would not be below the price, so that nothing
// is bought.

/** The target of a position that was opened at a price, or none. */
function targetFor(level: i32, entry: i32, bid: f64): f64 {
  const target: f64 = levelAt(level, tileStart + entry, bid, 1)
  return target > 0 ? target : Infinity
}

/** What the position of an entry was opened at. */
function bidOf(entry: i32): f64 {
  return readDouble(close + ((tileStart + entry) << 3)) * (1 + slippageRate)
}

/** The first candle from `from` on, and before `to`, that touches one of these levels, or `to`. */
function firstTouch(from: i32, to: i32, stop: f64, target: f64): i32 {
  const lows: i32 = low + (tileStart << 3)
  const highs: i32 = high + (tileStart << 3)
  return firstBeyond(lows, highs, blocks, from, to, stop, target)
}

/** Keeps the candle after an entry that touches its stop. */
function keepStopHit(slot: i32, level: i32, entry: i32): i32 {
  const price: f64 = readDouble(close + ((tileStart + entry) << 3))
  const length: i32 = tileEnd - tileStart
  let hit: i32 = length + 1
  if (levelAt(level, tileStart + entry, price, -1) < price) {
    const stop: f64 = levelAt(level, tileStart + entry, bidOf(entry), -1)
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
  const target: f64 = targetFor(level, entry, bidOf(entry))
  const hit: i32 = firstTouch(entry + 1, length, -Infinity, target)
  if (hit < length) {
    writeDouble(slot + 8, levelBrings(false, hit, -Infinity, target, soldRate(), metRate()))
  }
  writeWord(slot, (tileEnd << 1) + hit)
  return hit
}

/**
 * Takes a run whose stops and targets are kept through a tile, as `tradeWithLevels` of
 * `tradesAtClose.ts` does, by the same rules.
 */
export function tradeWithSharedLevels(account: i32, details: i32, entries: i32, exits: i32): void {
  const start: i32 = tileStart
  const length: i32 = tileEnd - start
  const cooldown: i32 = readWord(details + cooldownAt)
  const afterRule: i32 = cooldown > 1 ? cooldown : 1
  const cooldownAfterStop: i32 = readWord(details + cooldownAfterStopAt)
  const afterStop: i32 = cooldownAfterStop > cooldown ? cooldownAfterStop : cooldown
  const waitsAfterStop: boolean = cooldownAfterStop > cooldown
  const stopLevel: i32 = details + stopLevelAt
  const targetLevel: i32 = details + targetLevelAt
  const stopHits: i32 = readWord(details + stopHitsAt)
  const targetHits: i32 = readWord(details + targetHitsAt)
  const sold: f64 = soldRate()
  const met: f64 = metRate()
  const base: i32 = tileEnd << 1
  let decision: i32 = readWord(account + decisionAt) - start
  if (decision < 0) decision = 0
  resumeLong(account)
  let entry: i32 = lastEntry()
  let isHeld: boolean = isHolding()

  if (isHeld) {
    // Opened in a tile before: nothing of this one is kept for it.
    let target: f64 = readDouble(details + targetAt)
    if (target === 0) target = Infinity
    const stop: f64 = readDouble(details + stopAt)
    const exit: i32 = nextBitSoon(exits, decision, length)
    const after: i32 = exit < length ? exit + 1 : length
    const touched: i32 = firstTouch(entry + 1, after, stop, target)
    isHeld = touched >= after && exit >= length
    if (touched < after) {
      const isStop: boolean = isStoppedFirst(touched, stop, target)
      decision = touched + (isStop ? afterStop : cooldown)
      leaveLong(touched, levelBrings(isStop, touched, stop, target, sold, met))
    } else if (!isHeld) {
      decision = exit + afterRule
      leaveLong(exit, closeBrings(exit, sold))
    }
  }

  while (!isHeld) {
    entry = nextBit(entries, decision, length)
    if (entry >= length) break
    decision = entry + 1
    const stopSlot: i32 = stopHits + entry * hitBytes
    let stopHit: i32 = length
    if (stopHits !== 0) {
      stopHit = readWord(stopSlot) - base
      if (stopHit < 0) stopHit = keepStopHit(stopSlot, stopLevel, entry)
      if (stopHit > length) continue
    }
    const targetSlot: i32 = targetHits + entry * hitBytes
    let targetHit: i32 = length
    if (targetHits !== 0) {
      targetHit = readWord(targetSlot) - base
      if (targetHit < 0) targetHit = keepTargetHit(targetSlot, targetLevel, entry)
    }
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
      const bid: f64 = bidOf(entry)
      const stop: f64 = levelAt(stopLevel, start + entry, bid, -1)
      const target: f64 = targetFor(targetLevel, entry, bid)
      isStop = isStoppedFirst(touched, stop, target)
      touchedBrings = levelBrings(isStop, touched, stop, target, sold, met)
    }
    const ruleBrings: f64 = closeBrings(leaving, sold)
    leaveLong(leaving, chosen(isTouched, touchedBrings, ruleBrings))
    decision = leaving + (isTouched ? cooldown : afterRule)
    // What is read here keeps it a branch, as in `tradesAtClose.ts`.
    if (waitsAfterStop && isTouched && isStop) {
      decision = leaving + readWord(details + cooldownAfterStopAt)
    }
  }

  saveLong(account)
  writeWord(account + decisionAt, start + decision)
  if (!isHeld || entry < 0) return
  const bid: f64 = bidOf(entry)
  if (stopHits !== 0) writeDouble(details + stopAt, levelAt(stopLevel, start + entry, bid, -1))
  if (targetHits === 0) return
  const target: f64 = targetFor(targetLevel, entry, bid)
  writeDouble(details + targetAt, target === Infinity ? 0 : target)
}
