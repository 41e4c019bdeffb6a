/**
 * Where positions that are filled at closes and never short begin and end. What they make of the
 * equity is counted in `longAtClose.ts`, or in `turns.ts` where rules alone end them.
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
  noLevel,
  quantityAt,
  stopAt,
  stopLevelAt,
  targetAt,
  targetLevelAt
} from "./layout.ts"
import { levelBy } from "./levels.ts"
import { enterLong, isHolding, lastEntry, leaveLong, resumeLong, saveLong } from "./longAtClose.ts"
import {
  blocks,
  close,
  high,
  low,
  makerRate,
  open,
  slippageRate,
  takerRate,
  tileEnd,
  tileStart,
  turns
} from "./market.ts"
import { chosen } from "../../match/arithmetic.ts"
import { isStopFirst, limitPrice, slip, stopPrice, unitProceeds } from "../../match/fillRules.ts"
import { readDouble, readWord } from "./memory.ts"
import { writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "../../match/number.ts"

/**
 * Lists the candles of a tile at which the rules open and leave a position in turn. The tile's
 * length is the end of the list.
 */
export function listTradesByRules(account: i32, entries: i32, exits: i32): void {
  const length: i32 = tileEnd - tileStart
  let isHeld: boolean = readDouble(account + quantityAt) !== 0
  let decision: i32 = readWord(account + decisionAt) - tileStart
  if (decision < 0) decision = 0
  let at: i32 = turns
  while (decision < length) {
    const index: i32 = nextBit(isHeld ? exits : entries, decision, length)
    writeWord(at, index)
    at += 4
    decision = index + 1
    isHeld = !isHeld
  }
  writeWord(at, length)
}

/** What is left of a price that is sold at. */
export function soldRate(): f64 {
  return unitProceeds(slip(-1, 1, slippageRate), takerRate)
}

/** What is left of the price of a target that is met. */
export function metRate(): f64 {
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
 * What a unit brings, after costs, at a candle that touches a level. What comes back of one that
 * touches none is of no use.
 *
 * @inline
 */
export function levelBrings(
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
 * What a unit brings, after costs, at the close of a candle.
 *
 * @inline
 */
export function closeBrings(index: i32, sold: f64): f64 {
  return readDouble(close + ((tileStart + index) << 3)) * sold
}

/**
 * Takes a run whose positions stops and targets may end through a tile that is not the last one;
 * the first position may have been opened before.
 *
 * `tradeWithSharedLevels` of `levelHits.ts` is the same for many runs with the same levels.
 */
export function tradeWithLevels(account: i32, details: i32, entries: i32, exits: i32): void {
  const start: i32 = tileStart
  const length: i32 = tileEnd - start
  const highs: i32 = high + (start << 3)
  const lows: i32 = low + (start << 3)
  const closes: i32 = close + (start << 3)
  const cooldown: i32 = readWord(details + cooldownAt)
  const afterRule: i32 = cooldown > 1 ? cooldown : 1
  const waitsAfterStop: boolean = readWord(details + cooldownAfterStopAt) > cooldown
  const stopLevel: i32 = details + stopLevelAt
  const targetLevel: i32 = details + targetLevelAt
  const stopKind: i32 = readWord(stopLevel + levelKindAt)
  const stopValue: f64 = readDouble(stopLevel)
  const stopColumn: i32 = readWord(stopLevel + levelColumnAt) + (start << 3)
  const targetKind: i32 = readWord(targetLevel + levelKindAt)
  const targetValue: f64 = readDouble(targetLevel)
  const targetColumn: i32 = readWord(targetLevel + levelColumnAt) + (start << 3)
  const sold: f64 = soldRate()
  const met: f64 = metRate()
  const paid: f64 = 1 + slippageRate
  const slips: boolean = slippageRate !== 0
  let stop: f64 = readDouble(details + stopAt)
  let target: f64 = readDouble(details + targetAt)
  if (target === 0) target = Infinity
  // Candles are counted from the beginning of the tile, those before it are -1.
  let decision: i32 = readWord(account + decisionAt) - start
  if (decision < 0) decision = 0
  resumeLong(account)
  let entry: i32 = lastEntry()
  let isHeld: boolean = isHolding()

  for (;;) {
    if (!isHeld) {
      entry = nextBit(entries, decision, length)
      if (entry >= length) break
      decision = entry + 1
      const price: f64 = readDouble(closes + (entry << 3))
      const bid: f64 = price * paid
      if (stopKind !== noLevel) {
        stop = levelBy(stopKind, stopValue, stopColumn, entry, price, -1)
        if (!(stop < price)) continue
        if (slips) stop = levelBy(stopKind, stopValue, stopColumn, entry, bid, -1)
      }
      if (targetKind !== noLevel) {
        target = levelBy(targetKind, targetValue, targetColumn, entry, bid, 1)
        if (!(target > 0)) target = Infinity
      }
      enterLong(entry)
    }
    const exit: i32 = nextBitSoon(exits, decision, length)
    const after: i32 = exit < length ? exit + 1 : length
    const touched: i32 = firstBeyondHere(lows, highs, blocks, entry + 1, after, stop, target)
    // Which of three ways out it is, is a matter of chance: prices are chosen, and no branches.
    const isTouched: boolean = touched < after
    const leaving: i32 = isTouched ? touched : exit
    if (leaving >= length) break
    const isStop: boolean = isStoppedFirst(leaving, stop, target)
    const touchedBrings: f64 = levelBrings(isStop, leaving, stop, target, sold, met)
    const ruleBrings: f64 = closeBrings(leaving, sold)
    leaveLong(leaving, chosen(isTouched, touchedBrings, ruleBrings))
    isHeld = false
    decision = leaving + (isTouched ? cooldown : afterRule)
    // What is read here keeps it a branch: else the next entry would wait for which level it was.
    if (waitsAfterStop && isStop) {
      decision = leaving + readWord(details + cooldownAfterStopAt)
    }
  }

  saveLong(account)
  writeWord(account + decisionAt, start + decision)
  writeDouble(details + stopAt, stop)
  writeDouble(details + targetAt, target === Infinity ? 0 : target)
}
