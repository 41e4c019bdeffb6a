/**
 * Quantities on whole lots: what can be ordered and what can be paid, as `kernel/sizing.ts` has it.
 *
 * @since 0.1.0
 */
import { lot, lotInverse, minNotional, slippageRate, takerRate, toStep } from "./market.ts"
import { roundDown } from "./memory.ts"
import type { f64 } from "./number.ts"

/**
 * The largest multiple of the lot that is not above the quantity, but for rounding: as
 * `kernel/fill.ts` has it, with one way of rounding instead of two.
 */
export function onLot(amount: f64): f64 {
  if (lot === 0) return amount
  const count: f64 = amount / lot
  const below: f64 = roundDown(count)
  const missing: f64 = below + 1 - count
  const isWhole: boolean = missing <= 0.5 && missing <= count * 1e-12
  return toStep(isWhole ? below + 1 : below, lot, lotInverse)
}

/** What is ordered of a wanted quantity with this equity, or 0 where it is too little. */
export function orderable(wanted: f64, equity: f64, price: f64): f64 {
  const most: f64 = equity / (price * (1 + (takerRate + slippageRate)))
  return enough(most < wanted ? most : wanted, price)
}

/** What is ordered of all the equity where nobody is paid for it, or 0 where it is too little. */
export function orderableAll(equity: f64, price: f64): f64 {
  return enough(equity / (price * (1 + (takerRate + slippageRate))), price)
}

function enough(amount: f64, price: f64): f64 {
  const ordered: f64 = amount > 0 ? onLot(amount) : 0
  return ordered > 0 && ordered * price >= minNotional ? ordered : 0
}

/** What is filled of an order on whole lots with this cash, or 0 where it is too little. */
export function payable(ordered: f64, price: f64, cash: f64): f64 {
  let amount: f64 = ordered
  if (!(ordered * price * (1 + takerRate) <= cash)) {
    amount = onLot(cash / (price * (1 + takerRate)))
    if (amount * price * (1 + takerRate) > cash) amount = onLot(amount - lot)
  }
  return amount > 0 && amount * price >= minNotional ? amount : 0
}
