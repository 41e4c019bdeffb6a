/**
 * The end of a position: its stop, its target, its rules, its time.
 *
 * The exit that a candle gives, stop or target, and its price are those of `match/fillRules.ts`.
 *
 * @since 0.1.0
 */
import { chosen, greater, lesser } from "../../match/arithmetic.ts"
import { isStopFirst, limitPrice, passesLimit, passesStop } from "../../match/fillRules.ts"
import { slip, stopPrice } from "../../match/fillRules.ts"
import type { f64, i32 } from "../../match/number.ts"
import { closePosition, entryIndex } from "./account.ts"
import { firstBeyond } from "./beyond.ts"
import { hasBit, nextBitSoon } from "./bits.ts"
import {
  closedByLiquidation,
  closedByRule,
  closedByStop,
  closedByTarget,
  closedByTimeLimit,
  cooldownAfterStopAt,
  cooldownAt,
  positionStopAt,
  positionTargetAt
} from "./layout.ts"
import { levelFor } from "./levels.ts"
import {
  blocks,
  high,
  low,
  makerRate,
  open,
  slippageRate,
  takerRate,
  tileEnd,
  tileStart
} from "./market.ts"
import { readDouble, readWord, writeDouble } from "./memory.ts"

// Of the run whose turn it is: the prices of its position's stop and target, or 0.
export let positionStop: f64 = 0
export let positionTarget: f64 = 0

/** Takes them out of memory. */
export function loadLevels(details: i32): void {
  positionStop = readDouble(details + positionStopAt)
  positionTarget = readDouble(details + positionTargetAt)
}

/** Puts them back. */
export function saveLevels(details: i32): void {
  writeDouble(details + positionStopAt, positionStop)
  writeDouble(details + positionTargetAt, positionTarget)
}

/** Sets those of a position that was decided at `index` and opened at a price. */
export function setLevels(
  stopLevel: i32,
  targetLevel: i32,
  index: i32,
  price: f64,
  side: f64
): void {
  positionStop = levelFor(stopLevel, index, price, -side)
  positionTarget = levelFor(targetLevel, index, price, side)
}

/** Moves the stop. */
export function moveStop(to: f64): void {
  positionStop = to
}

/**
 * A level, or one that no price reaches where it is none: above all prices where `away` is 1, below
 * them where it is -1.
 *
 * @inline
 */
export function reachableLevel(level: f64, away: f64): f64 {
  return level > 0 ? level : away * Infinity
}

/** The level that prices reach first, of two levels against a position; 0 is none. */
export function nearer(isLong: i32, one: f64, other: f64): f64 {
  if (one === 0 || other === 0) return one + other
  return isLong === 1 ? greater(one, other) : lesser(one, other)
}

/**
 * The first candle from `from` to `last` that touches the stop, the target, or the price at which
 * equity is used up. That price is 0 where there is none. The candle after `last` is the answer
 * where none of them touches.
 *
 * @inline
 */
export function firstTouched(
  from: i32,
  last: i32,
  isLong: i32,
  hasLevels: i32,
  liquidation: f64
): i32 {
  let floor: f64 = -Infinity
  let ceiling: f64 = Infinity
  if (isLong === 1) {
    floor = reachableLevel(positionStop, -1)
    ceiling = reachableLevel(positionTarget, 1)
    if (liquidation > 0 && liquidation > floor) floor = liquidation
  } else {
    if (hasLevels === 1) {
      floor = reachableLevel(positionTarget, -1)
      ceiling = reachableLevel(positionStop, 1)
    }
    if (liquidation > 0 && liquidation < ceiling) ceiling = liquidation
  }
  const lowAt: i32 = low + (tileStart << 3)
  const highAt: i32 = high + (tileStart << 3)
  const after: i32 = last + 1 - tileStart
  return tileStart + firstBeyond(lowAt, highAt, blocks, from - tileStart, after, floor, ceiling)
}

/**
 * Whether the equity of a short is used up in a candle, at the price where that is so.
 *
 * @inline
 */
export function isLiquidatedIn(index: i32, isLong: i32, liquidation: f64): boolean {
  return isLong === 0 && passesStop(1, liquidation, readDouble(high + (index << 3)))
}

/**
 * Whether a candle that touches a level liquidates the position, in the order of
 * `match/readExits.ts`. A level that its open has passed comes first, the target before all others.
 */
export function isRuinFirst(index: i32, isLong: i32, ruin: f64): boolean {
  const side: f64 = isLong === 1 ? -1 : 1
  const first: f64 = readDouble(open + (index << 3))
  const reached: f64 = readDouble((isLong === 1 ? low : high) + (index << 3))
  if (!(ruin > 0) || !passesStop(side, ruin, reached)) return false
  if (passesLimit(side, reachableLevel(positionTarget, -side), first)) return false
  return (
    passesStop(side, ruin, first) || !passesStop(side, reachableLevel(positionStop, side), first)
  )
}

// The effects of a candle that touches a level or an order beside a position.
/** The candle ends the position, before it reaches any order. */
export const exitsFirst: i32 = 0

/** The position's stop ends it after the orders between the open and the stop. */
export const exitsAfter: i32 = 1

/** The position's target ends it after the orders that the open has passed. */
export const exitsAfterOpen: i32 = 2

/** The candle only reaches orders. */
export const onlyAdds: i32 = 3

/** The candle touches the price at which equity is used up. */
export const touchesRuin: i32 = 4

/** The effect of a candle on a position with orders beside it. */
export function touchOf(index: i32, isLong: i32, ruin: f64): i32 {
  const side: f64 = isLong === 1 ? -1 : 1
  const first: f64 = readDouble(open + (index << 3))
  const reached: f64 = readDouble((isLong === 1 ? low : high) + (index << 3))
  const farthest: f64 = readDouble((isLong === 1 ? high : low) + (index << 3))
  const stopLevel: f64 = reachableLevel(positionStop, side)
  const targetLevel: f64 = reachableLevel(positionTarget, -side)
  if (ruin > 0 && passesStop(side, ruin, reached)) return touchesRuin
  if (isStopFirst(side, stopLevel, targetLevel, first, reached)) {
    return passesStop(side, stopLevel, first) ? exitsFirst : exitsAfter
  }
  if (!passesLimit(side, targetLevel, farthest)) return onlyAdds
  return passesLimit(side, targetLevel, first) ? exitsFirst : exitsAfterOpen
}

/** Exits where the equity is used up. */
export function exitAtRuin(index: i32, isLong: i32, ruin: f64): void {
  const side: f64 = isLong === 1 ? -1 : 1
  const raw: f64 = stopPrice(side, ruin, readDouble(open + (index << 3)))
  closePosition(index, slip(side, raw, slippageRate), takerRate, closedByLiquidation)
}

/**
 * Exits at the stop or the target that a candle touches; true where it is the stop.
 *
 * @inline
 */
export function exitAtLevel(index: i32, isLong: i32): boolean {
  const side: f64 = isLong === 1 ? -1 : 1
  const stopLevel: f64 = reachableLevel(positionStop, side)
  const targetLevel: f64 = reachableLevel(positionTarget, -side)
  const first: f64 = readDouble(open + (index << 3))
  const reached: f64 = readDouble((isLong === 1 ? low : high) + (index << 3))
  // The touched level is a matter of chance.
  const isStop: boolean = isStopFirst(side, stopLevel, targetLevel, first, reached)
  const atStop: f64 = slip(side, stopPrice(side, stopLevel, first), slippageRate)
  const price: f64 = chosen(isStop, atStop, limitPrice(side, targetLevel, first))
  closePosition(
    index,
    price,
    chosen(isStop, takerRate, makerRate),
    isStop ? closedByStop : closedByTarget
  )
  return isStop
}

/**
 * Exits by a market order that this candle fills.
 *
 * @inline
 */
export function exitAtMarket(index: i32, raw: f64, isLong: i32, reason: i32): void {
  closePosition(index, slip(isLong === 1 ? -1 : 1, raw, slippageRate), takerRate, reason)
}

/**
 * The first candle from `from` on at whose close the position is to be left, or the tile's end.
 *
 * @inline
 */
export function firstExit(exits: i32, from: i32, timeLimit: i32): i32 {
  const index: i32 = tileStart + nextBitSoon(exits, from - tileStart, tileEnd - tileStart)
  if (timeLimit < 0) return index
  const over: i32 = entryIndex + timeLimit
  const limit: i32 = over > from ? over : from
  return limit < index ? limit : index
}

/**
 * Why a position is left at the close of a candle.
 *
 * @inline
 */
export function reasonAt(exits: i32, index: i32): i32 {
  return hasBit(exits, index - tileStart) === 1 ? closedByRule : closedByTimeLimit
}

/**
 * The number of candles after a touched level until the next entry may be decided.
 *
 * @inline
 */
export function waitAfterLevel(details: i32, isStop: boolean): i32 {
  const cooldown: i32 = readWord(details + cooldownAt)
  const cooldownAfterStop: i32 = readWord(details + cooldownAfterStopAt)
  return isStop && cooldownAfterStop > cooldown ? cooldownAfterStop : cooldown
}
