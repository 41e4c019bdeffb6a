/**
 * Where positions that are filled at closes and never short begin and end.
 *
 * Their effect on the equity is counted in `longAtClose.ts`, or in `sideChanges.ts` where rules
 * alone end them.
 *
 * @since 0.1.0
 */
import { firstBeyondHere } from "./beyond.ts"
import { nextBit, nextBitSoon } from "./bits.ts"
import {
  cooldownAfterStopAt,
  cooldownAt,
  decisionAt,
  levelColumnAt,
  levelKindAt,
  positionQuantityAt,
  positionStopAt,
  stopLevelAt,
  positionTargetAt,
  targetLevelAt
} from "./layout.ts"
import { noLevel } from "../../match/matcherCodes.ts"
import { reachableLevel } from "./exits.ts"
import { isBehindPrice, levelBy } from "./levels.ts"
import {
  enterLong,
  isInPosition,
  lastEntry,
  exitLong,
  resumeLong,
  saveLong
} from "./longAtClose.ts"
import {
  blocks,
  close,
  closeAtIndex,
  high,
  low,
  makerRate,
  open,
  slippageRate,
  takerRate,
  tileEnd,
  tileStart,
  sideChanges
} from "./market.ts"
import { chosen } from "../../match/arithmetic.ts"
import { isStopFirst, limitPrice, slip, stopPrice, unitProceeds } from "../../match/fillRules.ts"
import { readDouble, readWord } from "./memory.ts"
import { writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "../../match/number.ts"

/**
 * Lists the candles of a tile at which the rules open and close a position by turns. The tile's
 * length is the end of the list.
 */
export function listRoundTripsByRules(account: i32, entries: i32, exits: i32): void {
  const length: i32 = tileEnd - tileStart
  let isHeld: boolean = readDouble(account + positionQuantityAt) !== 0
  let decision: i32 = readWord(account + decisionAt) - tileStart
  if (decision < 0) decision = 0
  let at: i32 = sideChanges
  while (decision < length) {
    const index: i32 = nextBit(isHeld ? exits : entries, decision, length)
    writeWord(at, index)
    at += 4
    decision = index + 1
    isHeld = !isHeld
  }
  writeWord(at, length)
}

/** The part of a price that a sale at it brings. */
export function sellProceedsRate(): f64 {
  return unitProceeds(slip(-1, 1, slippageRate), takerRate)
}

/** The part of the price of a target that reaching it brings. */
export function targetProceedsRate(): f64 {
  return unitProceeds(1, makerRate)
}

/**
 * Whether a candle touches the stop, and that before the target; false of one that touches neither.
 *
 * @inline
 */
export function isStoppedFirst(touched: i32, stop: f64, target: f64): boolean {
  const at: i32 = (tileStart + touched) << 3
  return isStopFirst(-1, stop, target, readDouble(open + at), readDouble(low + at))
}

/**
 * Returns the proceeds of a unit, after costs, at a candle that touches a level. The result for a
 * candle that touches none has no meaning.
 *
 * @inline
 */
export function levelProceeds(
  isStop: boolean,
  touched: i32,
  stop: f64,
  target: f64,
  sold: f64,
  met: f64
): f64 {
  const first: f64 = readDouble(open + ((tileStart + touched) << 3))
  const byStop: f64 = stopPrice(-1, stop, first) * sold
  const byTarget: f64 = limitPrice(-1, target, first) * met
  return chosen(isStop, byStop, byTarget)
}

/**
 * Returns the proceeds of a unit, after costs, at the close of a candle.
 *
 * @inline
 */
export function closeProceeds(index: i32, sold: f64): f64 {
  return readDouble(close + ((tileStart + index) << 3)) * sold
}

/**
 * The price at which the close of a candle opens a position.
 *
 * @inline
 */
export function bidAt(index: i32): f64 {
  return slip(1, readDouble(close + ((tileStart + index) << 3)), slippageRate)
}

// The levels of the run whose turn it is, by their parts.
let stopKind: i32 = 0
let stopValue: f64 = 0
let stopColumn: i32 = 0
let targetKind: i32 = 0
let targetValue: f64 = 0
let targetColumn: i32 = 0

function prepareLevels(details: i32): void {
  const stopLevel: i32 = details + stopLevelAt
  const targetLevel: i32 = details + targetLevelAt
  stopKind = readWord(stopLevel + levelKindAt)
  stopValue = readDouble(stopLevel)
  stopColumn = readWord(stopLevel + levelColumnAt) + (tileStart << 3)
  targetKind = readWord(targetLevel + levelKindAt)
  targetValue = readDouble(targetLevel)
  targetColumn = readWord(targetLevel + levelColumnAt) + (tileStart << 3)
}

/**
 * Takes a run, whose positions stops and targets may end, through a tile that is not the last one.
 * The first position may have been opened before.
 *
 * `listRoundTripsWithSharedLevels` of `levelTouches.ts` is the same for many runs with the same
 * levels.
 */
export function listRoundTripsWithLevels(
  account: i32,
  details: i32,
  entries: i32,
  exits: i32
): void {
  const start: i32 = tileStart
  const length: i32 = tileEnd - start
  const highs: i32 = high + (start << 3)
  const lows: i32 = low + (start << 3)
  const cooldown: i32 = readWord(details + cooldownAt)
  const afterRule: i32 = cooldown > 1 ? cooldown : 1
  const waitsAfterStop: boolean = readWord(details + cooldownAfterStopAt) > cooldown
  const sold: f64 = sellProceedsRate()
  const met: f64 = targetProceedsRate()
  prepareLevels(details)
  let stop: f64 = readDouble(details + positionStopAt)
  let target: f64 = reachableLevel(readDouble(details + positionTargetAt), 1)
  // Candles are counted from the beginning of the tile, those before it are -1.
  let decision: i32 = readWord(account + decisionAt) - start
  if (decision < 0) decision = 0
  resumeLong(account)
  let entry: i32 = lastEntry()
  let isHeld: boolean = isInPosition()

  for (;;) {
    if (!isHeld) {
      entry = nextBit(entries, decision, length)
      if (entry >= length) break
      decision = entry + 1
      const bid: f64 = bidAt(entry)
      if (stopKind !== noLevel) {
        const price: f64 = closeAtIndex(start + entry)
        stop = levelBy(stopKind, stopValue, stopColumn, entry, price, -1)
        if (isBehindPrice(stop, price, 1)) continue
        if (bid !== price) stop = levelBy(stopKind, stopValue, stopColumn, entry, bid, -1)
      }
      if (targetKind !== noLevel) {
        target = reachableLevel(levelBy(targetKind, targetValue, targetColumn, entry, bid, 1), 1)
      }
      enterLong(entry)
    }
    const exit: i32 = nextBitSoon(exits, decision, length)
    const after: i32 = exit < length ? exit + 1 : length
    const touched: i32 = firstBeyondHere(lows, highs, blocks, entry + 1, after, stop, target)
    // The way out, of three, is a matter of chance: prices are chosen, and no branches.
    const isTouched: boolean = touched < after
    const leaving: i32 = isTouched ? touched : exit
    if (leaving >= length) break
    const isStop: boolean = isStoppedFirst(leaving, stop, target)
    const touchedBrings: f64 = levelProceeds(isStop, leaving, stop, target, sold, met)
    exitLong(leaving, chosen(isTouched, touchedBrings, closeProceeds(leaving, sold)))
    isHeld = false
    decision = leaving + (isTouched ? cooldown : afterRule)
    // This read keeps it a branch: else the next entry would wait for the choice of the level.
    if (waitsAfterStop && isStop) {
      decision = leaving + readWord(details + cooldownAfterStopAt)
    }
  }

  saveLong(account)
  writeWord(account + decisionAt, start + decision)
  writeDouble(details + positionStopAt, stop)
  writeDouble(details + positionTargetAt, target === Infinity ? 0 : target)
}
