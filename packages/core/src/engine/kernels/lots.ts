/**
 * Quantities on whole lots: what can be ordered and what can be paid, as `kernel/sizing.ts` has it.
 *
 * @since 0.1.0
 */
import { lot, lotInverse, minNotional, slippageRate, takerRate, toStep } from "./market.ts"
import { roundDown, roundHalfUp } from "./memory.ts"
import type { f64 } from "./number.ts"

/** The largest multiple of the lot that is not above the quantity, but for rounding. */
export function onLot(amount: f64): f64 {
  if (lot === 0) return amount
  const count: f64 = amount / lot
  const nearest: f64 = roundHalfUp(count)
  return toStep(nearest - count <= count * 1e-12 ? nearest : roundDown(count), lot, lotInverse)
}

/** What is ordered of a wanted quantity with this equity, or 0 where it is too little. */
export function orderable(wanted: f64, equity: f64, price: f64): f64 {
  const most: f64 = equity / (price * (1 + (takerRate + slippageRate)))
  const amount: f64 = most < wanted ? most : wanted
  const ordered: f64 = amount > 0 ? onLot(amount) : 0
  return ordered > 0 && ordered * price >= minNotional ? ordered : 0
}

/** What is filled of an ordered quantity with this cash, or 0 where it is too little. */
export function payable(ordered: f64, price: f64, cash: f64): f64 {
  let amount: f64 = 0
  if (ordered * price * (1 + takerRate) <= cash) amount = onLot(ordered)
  else {
    amount = onLot(cash / (price * (1 + takerRate)))
    if (amount * price * (1 + takerRate) > cash) amount = onLot(amount - lot)
  }
  return amount > 0 && amount * price >= minNotional ? amount : 0
}
