/**
 * The worth of the matcher, how many units an entry asks for, and how many of them can be paid.
 *
 * @since 0.1.0
 */
import { greater, lesser, magnitude } from "./arithmetic.ts"
import {
  feesOfFill,
  hasLimit,
  hasQuantity,
  isDropped,
  valuedAtClose,
  valuedAtLastClose
} from "./matcherCodes.ts"
import {
  cashAt,
  closeAt,
  entryPriceAt,
  feePerFillAt,
  feeReserveAt,
  firstLotAt,
  flagsAt,
  fractionAt,
  heldAt,
  leverageAt,
  lotInverseAt,
  lotStepAt,
  makerRateAt,
  marketBytes,
  nextLotAt,
  none,
  quantityAt,
  shortfallAt,
  sizingPriceAt,
  takerRateAt
} from "./matcherLayout.ts"
import { lotsStart, marketAt, marketsEnd, matcher } from "./matcherRecords.ts"
import { floorToStep, payableOf, roundToStep, unitCost } from "./fillRules.ts"
import { readDouble, readWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { showsCandle } from "./passage.ts"
import { hasVolumeShareAt, lastCloseAt, volumeAt, volumeMaxAt } from "./stageLayout.ts"

/** The price at which a lot of a market is valued: its last close, or else that of its entry. */
export function markOf(market: i32, lot: i32): f64 {
  const close: f64 = readDouble(market + lastCloseAt)
  // NaN differs from itself.
  return close === close ? close : readDouble(lot + entryPriceAt)
}

/** Cash and the lots of all markets but one, at their last closes; `none` leaves none out. */
export function worthBeside(left: i32): f64 {
  let worth: f64 = readDouble(matcher + cashAt)
  const end: i32 = marketsEnd()
  for (let market: i32 = marketAt(0); market < end; market += marketBytes) {
    if (market === left) continue
    for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
      const lot: i32 = lotsStart + slot
      slot = readWord(lot + nextLotAt)
      worth += readDouble(lot + heldAt) * markOf(market, lot)
    }
  }
  return worth
}

/**
 * The price at which lots of a market are valued when an entry there is sized, by the rule of the
 * matcher. NaN stands for their last close.
 */
function sizingMark(market: i32, raw: f64): f64 {
  const rule: i32 = readWord(matcher + sizingPriceAt)
  if (rule === valuedAtLastClose) return NaN
  return rule === valuedAtClose && showsCandle ? readDouble(market + closeAt) : raw
}

/**
 * The notional that a market may still open, with its lots at `mark`, or for NaN at their last
 * close. Lots of other markets are valued at their last closes.
 */
function powerAt(market: i32, mark: f64): f64 {
  const leverage: f64 = readDouble(market + leverageAt)
  let power: f64 = readDouble(matcher + cashAt) * leverage
  const end: i32 = marketsEnd()
  for (let one: i32 = marketAt(0); one < end; one += marketBytes) {
    // NaN differs from itself.
    const isMarked: boolean = one === market && mark === mark
    for (let slot: i32 = readWord(one + firstLotAt); slot !== none;) {
      const lot: i32 = lotsStart + slot
      slot = readWord(lot + nextLotAt)
      const held: f64 = readDouble(lot + heldAt)
      const price: f64 = isMarked ? mark : markOf(one, lot)
      power += held * price * leverage - magnitude(held) * price
    }
  }
  return power
}

function rateOf(market: i32, order: i32): f64 {
  const isMaker: boolean = (readWord(order + flagsAt) & hasLimit) !== 0
  return readDouble(market + (isMaker ? makerRateAt : takerRateAt))
}

/** The cost of a unit at this price, `raw` before the spread. */
function costOfUnit(market: i32, order: i32, price: f64, raw: f64): f64 {
  const rate: f64 = rateOf(market, order)
  if (readWord(matcher + feeReserveAt) === feesOfFill) return unitCost(price, rate)
  const hasUnits: boolean = (readWord(order + flagsAt) & hasQuantity) !== 0
  const size: f64 = readDouble(order + (hasUnits ? quantityAt : fractionAt))
  return price + readDouble(market + feePerFillAt) / size + rate * raw
}

/** The costs of the order besides. */
function fixedCost(market: i32): f64 {
  return readWord(matcher + feeReserveAt) === feesOfFill ? readDouble(market + feePerFillAt) : 0
}

/** So many units on the lots of a market, never more. */
export function onLots(market: i32, quantity: f64): f64 {
  return floorToStep(quantity, readDouble(market + lotStepAt), readDouble(market + lotInverseAt))
}

/** So many units on the nearest lots of a market. */
export function nearestLots(market: i32, quantity: f64): f64 {
  return roundToStep(quantity, readDouble(market + lotStepAt), readDouble(market + lotInverseAt))
}

/** The largest quantity that an order gets in the candle that is shown. */
export function availableIn(market: i32): f64 {
  const volume: f64 = readDouble(market + volumeAt)
  // An unknown volume is NaN.
  if (readWord(market + hasVolumeShareAt) === 0 || volume !== volume) return Infinity
  return onLots(market, volume * readDouble(market + volumeMaxAt))
}

/** More than the part of a sum by which rounding may make a fraction of 1 more than all. */
const roundingShare: f64 = 1e-12

/**
 * The units that an entry asks for, lots on the other side included. They are its quantity, or its
 * fraction of the affordable notional.
 */
export function askedUnits(market: i32, order: i32, price: f64, raw: f64): f64 {
  if ((readWord(order + flagsAt) & hasQuantity) !== 0) return readDouble(order + quantityAt)
  const unit: f64 = costOfUnit(market, order, price, raw)
  const power: f64 = powerAt(market, sizingMark(market, raw))
  // Where all is spent, rounding may have left a rest, which opens nothing.
  if (power <= roundingShare * magnitude(worthBeside(none))) return 0
  const share: f64 = power * readDouble(order + fractionAt)
  return greater(0, onLots(market, (share - fixedCost(market)) / unit))
}

/**
 * Of so many units those that can be paid, on the lots of the market. Sized at the last close, they
 * leave the amount in cash that rounding may need. Else an order is paid that rounding alone
 * forbids.
 */
export function paidUnits(market: i32, order: i32, wanted: f64, price: f64, raw: f64): f64 {
  const power: f64 = powerAt(market, sizingMark(market, raw)) - fixedCost(market)
  const units: f64 = onLots(market, wanted)
  const isDropping: boolean = readWord(matcher + shortfallAt) === isDropped
  const isAtFill: boolean = readWord(matcher + feeReserveAt) === feesOfFill
  if (isAtFill && !isDropping && readWord(matcher + sizingPriceAt) === valuedAtLastClose) {
    // The loops of the fast path do the same, to the bit.
    const step: f64 = readDouble(market + lotStepAt)
    const inverse: f64 = readDouble(market + lotInverseAt)
    return payableOf(units, price, rateOf(market, order), power, step, inverse)
  }
  const unit: f64 = costOfUnit(market, order, price, raw)
  if (units * unit <= power * (1 + roundingShare)) return units
  return isDropping ? 0 : lesser(units, onLots(market, power / unit))
}
