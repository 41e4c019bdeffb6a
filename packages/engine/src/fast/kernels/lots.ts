/**
 * Quantities on whole lots: what can be ordered and what can be paid, as `kernel/sizing.ts` has it.
 *
 * @since 0.1.0
 */
import { tooSmallAt } from "./layout.ts"
import {
  hasSteps,
  lot,
  lotInverse,
  lotsPerUnit,
  minNotional,
  orderedShare,
  slippageRate,
  takerRate,
  toStep
} from "./market.ts"
import { lesser, readWord, roundDown, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"

/**
 * How many lots are in a quantity, but for rounding, as `kernel/fill.ts` has it with one way of
 * rounding instead of two.
 *
 * @inline
 */
function lotsIn(amount: f64): f64 {
  let count: f64 = amount * lotsPerUnit
  let below: f64 = roundDown(count)
  let missing: f64 = below + 1 - count
  let isWhole: boolean = false
  // A quotient may round otherwise than the product, but only here does that make another lot.
  if (missing <= count * 2e-12) {
    count = amount / lot
    below = roundDown(count)
    missing = below + 1 - count
    isWhole = missing <= lesser(count * 1e-12, 0.5)
  }
  return isWhole ? below + 1 : below
}

/**
 * The largest multiple of the lot that is not above the quantity, but for rounding.
 *
 * @inline
 */
export function onLot(amount: f64): f64 {
  return lot === 0 ? amount : toStep(lotsIn(amount), lot, lotInverse)
}

/** What is ordered of a wanted quantity with this equity, or 0 where it is too little. */
export function orderable(wanted: f64, equity: f64, price: f64): f64 {
  const most: f64 = equity / (price * (1 + (takerRate + slippageRate)))
  return enough(most < wanted ? most : wanted, price)
}

/** What is ordered of all the equity where nobody is paid for it, or 0 where it is too little. */
function orderableAll(equity: f64, price: f64): f64 {
  return enough(equity / (price * (1 + (takerRate + slippageRate))), price)
}

function enough(amount: f64, price: f64): f64 {
  if (!(amount > 0)) return 0
  const ordered: f64 = onLot(amount)
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
 * What is filled of an order on whole lots with this cash, or 0 where it is too little.
 *
 * @inline
 */
export function payable(ordered: f64, price: f64, cash: f64): f64 {
  const most: f64 = cash / (price * (1 + takerRate))
  let amount: f64 = ordered
  if (lot !== 0) {
    // Which is the smaller one is a matter of chance.
    amount = lesser(onLot(most), ordered)
    if (amount * price * (1 + takerRate) > cash) amount = onLot(amount - lot)
  } else if (!(ordered * price * (1 + takerRate) <= cash)) amount = most
  return amount > 0 && amount * price >= minNotional ? amount : 0
}

/**
 * What is ordered of all the equity, on lots or not.
 *
 * @inline
 */
export function orderAll(equity: f64, price: f64): f64 {
  if (hasSteps === 1) return orderableAll(equity, price)
  return equity * orderedShare * (1 / price)
}

/**
 * What is filled of an order of all the equity with this cash, on lots or not.
 *
 * @inline
 */
export function fillAll(ordered: f64, price: f64, cash: f64): f64 {
  if (hasSteps === 1) return payable(ordered, price, cash)
  return lesser(ordered, cash * (1 / (price * (1 + takerRate))))
}

/**
 * What is filled, with this cash, of an order of all the equity at the close at which it is
 * decided: `fillAll` of `orderAll`, with less where there are lots. Which of the two is the smaller
 * one is a matter of chance.
 *
 * @inline
 */
export function turnAll(equity: f64, decided: f64, price: f64, cash: f64): f64 {
  if (lot !== 0) {
    const ordered: f64 = lotsIn(equity / (decided * (1 + (takerRate + slippageRate))))
    // Where that may be too little, nothing is saved.
    if (ordered * lot * decided > minNotional * (1 + 1e-9)) {
      const perUnit: f64 = price * (1 + takerRate)
      const paid: f64 = lotsIn(cash / perUnit)
      let amount: f64 = toStep(lesser(paid, ordered), lot, lotInverse)
      if (amount * price * (1 + takerRate) > cash) amount = onLot(amount - lot)
      return amount > 0 && amount * price >= minNotional ? amount : 0
    }
  }
  return fillAll(orderAll(equity, decided), price, cash)
}
