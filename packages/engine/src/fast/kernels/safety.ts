/**
 * Safety orders: limits that average a position which loses. They are placed at the close of the
 * candle of its first entry, and gone when the position ends. The rules are those of
 * `kernel/ladder/ladderAdditions.ts`.
 *
 * An order that is cut to the cash, or that is too small, ends the run here: the plain path repeats
 * the run.
 *
 * @since 0.1.0
 */
import { magnitude } from "../../match/arithmetic.ts"
import { floorToStep, limitPrice, passesLimit, payableOf, unitCost } from "../../match/fillRules.ts"
import { isFarther, partAway } from "../../match/levelRules.ts"
import type { f64, i32 } from "../../match/number.ts"
import { addingPower, addToPosition, cash, quantity } from "./account.ts"
import {
  safetyCountAt,
  safetyDistanceAt,
  safetyDistanceFactorAt,
  safetyFilledAt,
  safetyFromAt,
  safetyListAt,
  safetyNotionalAt,
  safetySizeFactorAt
} from "./layout.ts"
import { isLevel, levelFor, stopDistance } from "./levels.ts"
import {
  closeAtIndex,
  exposureMax,
  high,
  leverage,
  lot,
  lotInverse,
  low,
  makerRate,
  minNotional,
  onTick,
  open,
  riskMax,
  slippageRate,
  takerRate
} from "./market.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"

// The run whose turn it is, and how many of its orders are filled.
let details: i32 = 0
let count: i32 = 0
let filled: i32 = 0
let list: i32 = 0

/** The candle at whose close the orders were placed. */
export let safetyFrom: i32 = 0

/** Takes the orders of a run out of memory. */
export function loadSafety(ofRun: i32): void {
  details = ofRun
  count = readWord(ofRun + safetyCountAt)
  filled = readWord(ofRun + safetyFilledAt)
  list = readWord(ofRun + safetyListAt)
  safetyFrom = readWord(ofRun + safetyFromAt)
}

/** Puts the orders back. */
export function saveSafety(): void {
  writeWord(details + safetyFilledAt, filled)
  writeWord(details + safetyFromAt, safetyFrom)
}

/** The price of the next order that rests, or 0 where none does. */
export function nextSafety(): f64 {
  return filled < count ? readDouble(list + (filled << 4)) : 0
}

/** Notional of the orders that rest. */
function restingNotional(): f64 {
  let sum: f64 = 0
  for (let at: i32 = list + (filled << 4); at < list + (count << 4); at += 16) {
    sum += readDouble(at) * readDouble(at + 8)
  }
  return sum
}

/**
 * Whether an entry is ordered whole beside the position and the orders at rest: `spoken` in all.
 */
export function fits(amount: f64, price: f64, equity: f64, spoken: f64, distance: f64): boolean {
  const power: f64 = equity * leverage - spoken
  if (!(amount * price >= minNotional) || !(amount * price > 0)) return false
  if (amount * unitCost(price, takerRate + slippageRate) > power) return false
  if (amount * price > equity * exposureMax - spoken) return false
  return !(distance > 0 && amount * distance > equity * riskMax)
}

/**
 * Places the orders at the close of the candle in which the position was opened. False where one of
 * these orders would not be as large as it is meant to be.
 */
export function placeSafety(
  index: i32,
  side: f64,
  price: f64,
  stopLevel: i32,
  targetLevel: i32
): boolean {
  filled = 0
  safetyFrom = index
  // Without safety orders no level is derived anew, whether or not it is known here.
  if (count === 0) return true
  const isStopped: boolean = isLevel(stopLevel)
  // A level that is not known here leaves the level of the first entry in force.
  if (isStopped && !(levelFor(stopLevel, index, price, -side) > 0)) return false
  if (isLevel(targetLevel) && !(levelFor(targetLevel, index, price, side) > 0)) return false
  const equity: f64 = cash + quantity * closeAtIndex(index)
  let spoken: f64 = magnitude(quantity) * closeAtIndex(index)
  let away: f64 = 0
  let step: f64 = readDouble(details + safetyDistanceAt)
  let notional: f64 = readDouble(details + safetyNotionalAt)
  if (notional === 0) notional = magnitude(quantity) * price
  for (let at: i32 = list; at < list + (count << 4); at += 16) {
    away += step
    const level: f64 = onTick(partAway(price, -side, away))
    if (!(level > 0)) return false
    const amount: f64 = floorToStep(notional / level, lot, lotInverse)
    const distance: f64 = isStopped ? stopDistance(stopLevel, index, level, side) : 0
    if (isStopped && !(distance > 0)) return false
    if (!fits(amount, level, equity, spoken, distance)) return false
    writeDouble(at, level)
    writeDouble(at + 8, amount)
    spoken += amount * level
    step *= readDouble(details + safetyDistanceFactorAt)
    notional *= readDouble(details + safetySizeFactorAt)
  }
  return true
}

/** Whether an entry that is ordered as the position is left fits beside the orders that rest. */
export function fitsBeside(index: i32, ordered: f64, price: f64): boolean {
  if (filled >= count) return true
  const equity: f64 = cash + quantity * closeAtIndex(index)
  return fits(ordered, price, equity, restingNotional(), 0)
}

/**
 * Fills the orders that a candle reaches before a stop inside it, or all that it reaches where
 * `stop` is 0. For the open alone, it fills the orders that the open has passed. False where one of
 * them can't be paid.
 */
export function fillSafety(index: i32, stop: f64, isOpenAlone: boolean): boolean {
  const side: f64 = quantity > 0 ? 1 : -1
  const first: f64 = readDouble(open + (index << 3))
  const reached: f64 = readDouble((side > 0 ? low : high) + (index << 3))
  while (filled < count) {
    const at: i32 = list + (filled << 4)
    const level: f64 = readDouble(at)
    if (!passesLimit(side, level, reached)) return true
    const price: f64 = limitPrice(side, level, first)
    if (isOpenAlone && price !== first) return true
    if (stop > 0 && !isFarther(price, stop, side)) return true
    const ordered: f64 = readDouble(at + 8)
    const power: f64 = addingPower(index)
    if (payableOf(ordered, price, makerRate, power, lot, lotInverse) < ordered) return false
    if (ordered * price < minNotional) return false
    addToPosition(side, price, ordered, makerRate)
    filled++
  }
  return true
}
