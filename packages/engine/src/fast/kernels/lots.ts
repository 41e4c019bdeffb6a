/**
 * Quantities on whole lots that can be ordered and paid, as `kernel/sizing.ts` has it.
 *
 * @since 0.1.0
 */
import { tooSmallAt } from "./layout.ts"
import {
  hasSteps,
  lot,
  lotInverse,
  minNotional,
  orderedShare,
  slippageRate,
  takerRate
} from "./market.ts"
import { lesser } from "../../match/arithmetic.ts"
import { floorToStep, lotsIn, payableLots, payableOf, unitCost } from "../../match/fillRules.ts"
import { readWord, writeWord } from "./memory.ts"
import type { f64, i32 } from "../../match/number.ts"

/** The quantity to order of a wanted one, or 0 where it is too little; `power` may be opened. */
export function orderable(wanted: f64, power: f64, price: f64): f64 {
  const most: f64 = power / unitCost(price, takerRate + slippageRate)
  return enough(most < wanted ? most : wanted, price)
}

/**
 * Returns the order for all of the equity without a maker's rebate, or 0 where it is too little.
 */
function orderableAll(equity: f64, price: f64): f64 {
  return enough(equity / unitCost(price, takerRate + slippageRate), price)
}

function enough(amount: f64, price: f64): f64 {
  if (!(amount > 0)) return 0
  const ordered: f64 = floorToStep(amount, lot, lotInverse)
  if (ordered > 0 && ordered * price >= minNotional) return ordered
  tooSmall++
  return 0
}

// Entries of the run whose turn it is that were not ordered, as too little was left of them.
let tooSmall: i32 = 0

/** Goes on counting the entries of which too little is left. */
export function countTooSmall(account: i32): void {
  tooSmall = readWord(account + tooSmallAt)
}

/** Puts that count back. */
export function saveTooSmall(account: i32): void {
  writeWord(account + tooSmallAt, tooSmall)
}

/**
 * The quantity to fill of an order on whole lots for a fee of this rate, or 0 where it is too
 * little.
 *
 * @inline
 */
export function payable(ordered: f64, price: f64, rate: f64, power: f64): f64 {
  const amount: f64 = payableOf(ordered, price, rate, power, lot, lotInverse)
  return amount > 0 && amount * price >= minNotional ? amount : 0
}

/**
 * Returns the order for all of the equity, on lots or not.
 *
 * @inline
 */
export function orderAll(equity: f64, price: f64): f64 {
  if (hasSteps === 1) return orderableAll(equity, price)
  return equity * orderedShare * (1 / price)
}

/**
 * Returns the fill of an order for all of the equity with this cash, on lots or not.
 *
 * @inline
 */
export function fillAll(ordered: f64, price: f64, cash: f64): f64 {
  if (hasSteps === 1) return payable(ordered, price, takerRate, cash)
  return lesser(ordered, cash * (1 / unitCost(price, takerRate)))
}

/**
 * Returns the fill, with this cash, of an order for all of the equity at the close of its decision.
 * It is `fillAll` of `orderAll`, with less where there are lots. The smaller one of the two is a
 * matter of chance.
 *
 * @inline
 */
export function fillAllAtClose(equity: f64, decided: f64, price: f64, cash: f64): f64 {
  if (lot !== 0) {
    const wanted: f64 = equity / unitCost(decided, takerRate + slippageRate)
    const ordered: f64 = lotsIn(wanted, lot, lotInverse)
    // Where that may be too little, nothing is saved.
    if (ordered * lot * decided > minNotional * (1 + 1e-9)) {
      const amount: f64 = payableLots(ordered, price, takerRate, cash, lot, lotInverse)
      return amount > 0 && amount * price >= minNotional ? amount : 0
    }
  }
  return fillAll(orderAll(equity, decided), price, cash)
}
