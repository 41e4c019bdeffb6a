/**
 * The worth of the desk, and how many units an entry opens.
 *
 * @since 0.1.0
 */
import { greater, magnitude } from "./arithmetic.ts"
import { desk, lots, marketAt, marketsEnd } from "./desk.ts"
import { feesOfFill, hasLimit, hasQuantity, isDropped } from "./deskCodes.ts"
import {
  cashAt,
  closeAt,
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
  takerRateAt
} from "./deskLayout.ts"
import { floorToStep, unitCost } from "./fillRules.ts"
import { readDouble, readWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"

/** Cash and all lots: those of the market at `mark`, others at their close. */
export function equityAt(market: i32, mark: f64): f64 {
  let equity: f64 = readDouble(desk + cashAt)
  const end: i32 = marketsEnd()
  for (let one: i32 = marketAt(0); one < end; one += marketBytes) {
    const price: f64 = one === market ? mark : readDouble(one + closeAt)
    for (let slot: i32 = readWord(one + firstLotAt); slot !== none;) {
      equity += readDouble(lots + slot + heldAt) * price
      slot = readWord(lots + slot + nextLotAt)
    }
  }
  return equity
}

/** Equity that is bound by lots: their notional over the leverage of their market. */
function marginAt(market: i32, mark: f64): f64 {
  let margin: f64 = 0
  const end: i32 = marketsEnd()
  for (let one: i32 = marketAt(0); one < end; one += marketBytes) {
    const price: f64 = one === market ? mark : readDouble(one + closeAt)
    let used: f64 = 0
    for (let slot: i32 = readWord(one + firstLotAt); slot !== none;) {
      used += magnitude(readDouble(lots + slot + heldAt)) * price
      slot = readWord(lots + slot + nextLotAt)
    }
    margin += used / readDouble(one + leverageAt)
  }
  return margin
}

/** Notional that may still be opened in a market, with its lots valued at `mark`. */
function powerAt(market: i32, mark: f64): f64 {
  const unbound: f64 = equityAt(market, mark) - marginAt(market, mark)
  return greater(0, unbound) * readDouble(market + leverageAt)
}

/** The cost of a unit at this price, `raw` before the spread. */
function costOfUnit(market: i32, order: i32, price: f64, raw: f64): f64 {
  const flags: i32 = readWord(order + flagsAt)
  const rate: f64 = readDouble(market + ((flags & hasLimit) !== 0 ? makerRateAt : takerRateAt))
  if (readWord(desk + feeReserveAt) === feesOfFill) return unitCost(price, rate)
  const size: f64 = readDouble(order + ((flags & hasQuantity) !== 0 ? quantityAt : fractionAt))
  return price + readDouble(market + feePerFillAt) / size + rate * raw
}

/** The costs of the order besides. */
function fixedCost(market: i32): f64 {
  return readWord(desk + feeReserveAt) === feesOfFill ? readDouble(market + feePerFillAt) : 0
}

function onLots(market: i32, quantity: f64): f64 {
  return floorToStep(quantity, readDouble(market + lotStepAt), readDouble(market + lotInverseAt))
}

/**
 * The units that an entry asks for, those of lots the other way included: what it names, or its
 * fraction of what can be opened now.
 */
export function wantedQuantity(market: i32, order: i32, price: f64, raw: f64, mark: f64): f64 {
  if ((readWord(order + flagsAt) & hasQuantity) !== 0) {
    return onLots(market, readDouble(order + quantityAt))
  }
  const unit: f64 = costOfUnit(market, order, price, raw)
  const share: f64 = powerAt(market, mark) * readDouble(order + fractionAt)
  return greater(0, onLots(market, (share - fixedCost(market)) / unit))
}

/** More than the part of a sum by which rounding may make a fraction of 1 more than all. */
const roundingShare: f64 = 1e-12

/** Of so many units those that can be paid. */
export function paidQuantity(
  market: i32,
  order: i32,
  quantity: f64,
  price: f64,
  raw: f64,
  mark: f64
): f64 {
  const unit: f64 = costOfUnit(market, order, price, raw)
  const power: f64 = powerAt(market, mark) - fixedCost(market)
  if (quantity * unit <= power * (1 + roundingShare)) return quantity
  if (readWord(desk + shortfallAt) === isDropped) return 0
  return greater(0, onLots(market, power / unit))
}
