/**
 * The units that a direct order trades: its size, the position that it meets, and the cash that
 * bounds it.
 *
 * Cash alone bounds the order. A buy is paid in full. A sell needs no cash, also where it
 * opens a short. A fraction of cash leaves out the cash that shorts bind: twice the price of their
 * sale.
 *
 * @since 0.1.0
 */
import { lesser, magnitude } from "./arithmetic.ts"
import { matcher } from "./matcherRecords.ts"
import { isDropped } from "./matcherCodes.ts"
import {
  cashAt,
  entryPriceAt,
  feePerFillAt,
  heldAt,
  lotInverseAt,
  lotStepAt,
  makerRateAt,
  none,
  shortfallAt,
  takerRateAt
} from "./matcherLayout.ts"
import { cashAfter, feeOf, floorToStep, unitCost } from "./fillRules.ts"
import { readDouble, readWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"

// The effect of an order on a position of the other side.
/** The order trades its size against the position, and through zero where its size is larger. */
export const passesThrough: i32 = 0

/** The order trades its size, at most the position. */
export const reducesOnly: i32 = 1

/** The order closes a position of any size. */
export const closesWhole: i32 = 2

/** The order closes the position, and opens its size the other way. */
export const reversesPosition: i32 = 3

/** The part of a quantity by which rounding may make it more than is allowed. */
const roundingShare: f64 = 1e-12

/** Units of a fraction of so much cash. */
function unitsOfCash(side: i32, cash: f64, price: f64, rate: f64, perFill: f64): f64 {
  return (side === 1 ? cash - perFill : cash) / unitCost(price, rate)
}

/** Cash that no short of a lot binds; the slot may be that of no lot. */
function unboundCash(side: i32, lot: i32): f64 {
  const cash: f64 = readDouble(matcher + cashAt)
  if (side === 1 || lot === none) return cash
  const held: f64 = readDouble(lot + heldAt)
  return held < 0 ? cash + 2 * held * readDouble(lot + entryPriceAt) : cash
}

/** Units that an order opens the other way, once its part that closes the lot is booked. */
function unitsBeyond(market: i32, lot: i32, side: i32, fraction: f64, price: f64, rate: f64): f64 {
  const held: f64 = readDouble(lot + heldAt)
  const fee: f64 = feeOf(magnitude(held) * price, rate, readDouble(market + feePerFillAt))
  const cash: f64 = cashAfter(readDouble(matcher + cashAt), -held * price, fee)
  return unitsOfCash(side, cash * fraction, price, rate, 0)
}

/** Units that an order asks for; `size` is a fraction where `isFraction` says so. */
function askedUnits(
  market: i32,
  lot: i32,
  side: i32,
  effect: i32,
  isFraction: boolean,
  size: f64,
  price: f64,
  rate: f64
): f64 {
  const held: f64 = lot === none ? 0 : readDouble(lot + heldAt)
  const open: f64 = magnitude(held)
  if (effect === closesWhole) return open
  if (effect === reversesPosition && open > 0) {
    return open + (isFraction ? unitsBeyond(market, lot, side, size, price, rate) : size)
  }
  if (held * side < 0) {
    const against: f64 = isFraction ? size * open : size
    // The first is kept where one of both is NaN.
    return effect === reducesOnly ? lesser(against, open) : against
  }
  if (effect === reducesOnly) return 0
  if (!isFraction) return size
  const cash: f64 = unboundCash(side, lot) * size
  return unitsOfCash(side, cash, price, rate, readDouble(market + feePerFillAt))
}

/**
 * Units that an order trades at a price that costs have worsened, or 0 where it trades none.
 *
 * An order of more units than cash or `most` allows is cut, or dropped where the matcher drops
 * orders that can't be paid. One of fewer units than `least` is dropped.
 */
export function directUnits(
  market: i32,
  lot: i32,
  side: i32,
  effect: i32,
  isFraction: boolean,
  size: f64,
  price: f64,
  isMaker: boolean,
  least: f64,
  most: f64
): f64 {
  const rate: f64 = readDouble(market + (isMaker ? makerRateAt : takerRateAt))
  const asked: f64 = askedUnits(market, lot, side, effect, isFraction, size, price, rate)
  // NaN differs from itself.
  if (asked !== asked) return 0
  const perFill: f64 = readDouble(market + feePerFillAt)
  const payable: f64 =
    side === 1 ? unitsOfCash(side, readDouble(matcher + cashAt), price, rate, perFill) : Infinity
  const allowed: f64 = lesser(payable, most)
  const isShort: boolean = asked > allowed * (1 + roundingShare)
  if (isShort && readWord(matcher + shortfallAt) === isDropped) return 0
  const cut: f64 = lesser(allowed, asked)
  // A position is closed to the last bit of it.
  const isWhole: boolean = effect === closesWhole && cut === asked
  const step: f64 = readDouble(market + lotStepAt)
  const inverse: f64 = readDouble(market + lotInverseAt)
  const units: f64 = isWhole || !(cut > 0) ? cut : floorToStep(cut, step, inverse)
  return units > 0 && units >= least && units < Infinity ? units : 0
}
