/**
 * The price of a fill, its costs, and the quantity that can be paid.
 *
 * Each rule stands here once. The simulator, the paper broker and the loops of the fast path all
 * call it, and none of them writes it again.
 *
 * It is TypeScript that AssemblyScript compiles too: where the kernels are built for WebAssembly,
 * each function becomes part of the loop that calls it. A side is 1 for a buy and -1 for a
 * sell. Prices are raw until `slip` and `roundToStep` have moved them. NaN is the price of an order
 * that does not fill.
 *
 * @since 0.1.0
 */
import { greater, lesser, magnitude, roundDown, roundHalfUp } from "./arithmetic.ts"
import { partAway } from "./levelRules.ts"
import type { f64 } from "./number.ts"

/**
 * The price of a market order: the candle's open.
 *
 * @inline
 */
export function fillMarket(open: f64): f64 {
  return open
}

/**
 * Whether a price is at a limit or better for the order.
 *
 * @inline
 */
export function passesLimit(side: f64, limit: f64, price: f64): boolean {
  return side === 1 ? price <= limit : price >= limit
}

/**
 * Whether a price is at a stop or worse for the order.
 *
 * @inline
 */
export function passesStop(side: f64, stop: f64, price: f64): boolean {
  return side === 1 ? price >= stop : price <= stop
}

/**
 * The price of a limit order that the candle reaches.
 *
 * A limit that the open has passed fills at the open, better than asked. A limit that is touched
 * inside the candle fills at its own price, never better.
 *
 * @inline
 */
export function limitPrice(side: f64, limit: f64, open: f64): f64 {
  return side === 1 ? lesser(limit, open) : greater(limit, open)
}

/**
 * The price of a stop order that the candle triggers.
 *
 * A stop that the open has passed fills at the open, worse than asked: the market was never at the
 * stop.
 *
 * @inline
 */
export function stopPrice(side: f64, stop: f64, open: f64): f64 {
  return side === 1 ? greater(stop, open) : lesser(stop, open)
}

/**
 * The price of a limit order, or NaN where the candle does not reach it.
 *
 * @inline
 */
export function fillLimit(side: f64, limit: f64, open: f64, high: f64, low: f64): f64 {
  const isReached: boolean =
    passesLimit(side, limit, open) || passesLimit(side, limit, side === 1 ? low : high)
  return isReached ? limitPrice(side, limit, open) : NaN
}

/**
 * The price of a stop order, or NaN where the candle does not trigger it.
 *
 * @inline
 */
export function fillStop(side: f64, stop: f64, open: f64, high: f64, low: f64): f64 {
  const isTriggered: boolean =
    passesStop(side, stop, open) || passesStop(side, stop, side === 1 ? high : low)
  return isTriggered ? stopPrice(side, stop, open) : NaN
}

/**
 * Whether the limit of a stop-limit order lies beyond its stop. One that does not may have been
 * touched before the trigger.
 *
 * @inline
 */
export function isLimitBeyond(side: f64, stop: f64, limit: f64): boolean {
  return (limit - stop) * side > 0
}

/**
 * The price of a stop-limit order on the candle that triggers it, or NaN where it does not fill
 * there. `trigger` is the price that `fillStop` gives its stop.
 *
 * It fills on that candle only where the limit lies beyond the stop.
 *
 * @inline
 */
export function fillStopLimit(
  side: f64,
  stop: f64,
  limit: f64,
  trigger: f64,
  high: f64,
  low: f64
): f64 {
  return isLimitBeyond(side, stop, limit) ? fillLimit(side, limit, trigger, high, low) : NaN
}

/**
 * Whether the stop of a position closes it on a candle that touches its stop or its target. `side`
 * closes the position, and `reached` is the candle's worst price for it.
 *
 * A target that the open has passed comes first. Else the stop counts where both are touched.
 *
 * @inline
 */
export function isStopFirst(side: f64, stop: f64, target: f64, open: f64, reached: f64): boolean {
  return !passesLimit(side, target, open) && passesStop(side, stop, reached)
}

/**
 * A price moved against the order by a fraction; it may leave the candle.
 *
 * @inline
 */
export function slip(side: f64, price: f64, rate: f64): f64 {
  return rate === 0 ? price : partAway(price, side, rate)
}

/** One divided by a step where that is a whole number, else 0. */
export function inverseOf(step: f64): f64 {
  if (step === 0) return 0
  const inverse: f64 = roundHalfUp(1 / step)
  return inverse >= 1 && magnitude(inverse * step - 1) < 1e-12 ? inverse : 0
}

/**
 * A whole number of steps as the nearest double of its decimal form, so that 3 × 0.1 is 0.3.
 * `inverse` is the step's `inverseOf`, here and below: it is asked for once and used often.
 *
 * @inline
 */
export function toStep(count: f64, step: f64, inverse: f64): f64 {
  return inverse > 0 ? count / inverse : count * step
}

/**
 * The nearest multiple of a tick or of a lot; a step of 0 leaves the value as it is.
 *
 * @inline
 */
export function roundToStep(value: f64, step: f64, inverse: f64): f64 {
  return step === 0 ? value : toStep(roundHalfUp(value / step), step, inverse)
}

/**
 * The number of lots in a quantity: as many as are not above it.
 *
 * A quantity within one part in 10¹² below a multiple counts as that multiple, so that 0.3 / 0.1 is
 * three lots.
 *
 * @inline
 */
export function lotsIn(quantity: f64, lot: f64, inverse: f64): f64 {
  let count: f64 = quantity * (inverse > 0 ? inverse : 1 / lot)
  let below: f64 = roundDown(count)
  let missing: f64 = below + 1 - count
  let isWhole: boolean = false
  // A quotient may round otherwise than the product, but only here does that make another lot.
  if (missing <= count * 2e-12) {
    count = quantity / lot
    below = roundDown(count)
    missing = below + 1 - count
    isWhole = missing <= lesser(count * 1e-12, 0.5)
  }
  return isWhole ? below + 1 : below
}

/**
 * The largest multiple of the lot that is not above the quantity; a lot of 0 leaves it as it is.
 *
 * @inline
 */
export function floorToStep(quantity: f64, lot: f64, inverse: f64): f64 {
  return lot === 0 ? quantity : toStep(lotsIn(quantity, lot, inverse), lot, inverse)
}

/**
 * The fee of a fill: a part of its notional, and an amount for each fill.
 *
 * @inline
 */
export function feeOf(notional: f64, rate: f64, perFill: f64): f64 {
  return notional * rate + perFill
}

/**
 * The cash after a fill: a buy pays its value, a sell is paid, and both pay the fee. `value` is
 * price times quantity, negative for a sell.
 *
 * @inline
 */
export function cashAfter(cash: f64, value: f64, fee: f64): f64 {
  return cash - value - fee
}

/**
 * The cost of a unit with its fee.
 *
 * @inline
 */
export function unitCost(price: f64, rate: f64): f64 {
  return price * (1 + rate)
}

/**
 * The proceeds of a unit that is sold, less its fee.
 *
 * @inline
 */
export function unitProceeds(price: f64, rate: f64): f64 {
  return price * (1 - rate)
}

/**
 * A quantity on lots, less one lot where rounding had left one more than can be paid.
 *
 * @inline
 */
function withinPower(
  quantity: f64,
  price: f64,
  rate: f64,
  power: f64,
  lot: f64,
  inverse: f64
): f64 {
  const isTooMuch: boolean = quantity * price * (1 + rate) > power
  return isTooMuch ? floorToStep(quantity - lot, lot, inverse) : quantity
}

/** More than the part of a sum that paying it may be off by: 2⁻⁵¹. */
const roundingShare: f64 = 4.440892098500626e-16

/**
 * The quantity of an order, itself on whole lots, that can be paid: cash never goes below zero.
 * `power` is the notional that may be opened, fees included.
 *
 * @inline
 */
export function payableOf(
  ordered: f64,
  price: f64,
  rate: f64,
  power: f64,
  lot: f64,
  inverse: f64
): f64 {
  if (lot === 0) {
    if (ordered * price * (1 + rate) <= power) return ordered
    // Where no lot leaves more, the amount that rounding may need stays in the cash.
    return (power / unitCost(price, rate)) * (1 - roundingShare)
  }
  const most: f64 = floorToStep(power / unitCost(price, rate), lot, inverse)
  // The smaller one is a matter of chance.
  return withinPower(lesser(most, ordered), price, rate, power, lot, inverse)
}

/**
 * The `payableOf` of an order that is counted in lots.
 *
 * @inline
 */
export function payableLots(
  ordered: f64,
  price: f64,
  rate: f64,
  power: f64,
  lot: f64,
  inverse: f64
): f64 {
  const most: f64 = lotsIn(power / unitCost(price, rate), lot, inverse)
  const quantity: f64 = toStep(lesser(most, ordered), lot, inverse)
  return withinPower(quantity, price, rate, power, lot, inverse)
}
