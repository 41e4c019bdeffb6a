/**
 * At what price one order fills against one candle, if it does.
 *
 * The simulator and the paper broker both come here. Prices are raw; slippage and rounding to the
 * tick are applied by the functions at the end.
 *
 * The fast path repeats what it needs of these rules in `engine/kernels/`: market orders, stops and
 * targets in `allIn.ts`, in `positions.ts` with `account.ts`, and in `tradesAtClose.ts` with
 * `longAtClose.ts`; market orders alone in `turns.ts` and `turnsBothWays.ts`; lots in `lots.ts`,
 * ticks in `market.ts`. `test/engine/runMany.test.ts` holds its trades and figures to those of the
 * simulator.
 *
 * @since 0.1.0
 */

/** Which way an order goes: 1 buys, -1 sells. @category models @since 0.1.0 */
export type SideSign = 1 | -1

/**
 * The price of a market order: the candle's open.
 *
 * @category models
 * @since 0.1.0
 */
export const fillMarket = (open: number): number => open

/**
 * The price of a limit order, or NaN where the candle does not reach it.
 *
 * **Details**
 *
 * A limit that the open has passed fills at the open, better than asked; one that is touched inside
 * the candle fills at its own price, never better.
 *
 * @category models
 * @since 0.1.0
 */
export const fillLimit = (
  side: SideSign,
  limit: number,
  open: number,
  high: number,
  low: number
): number => {
  if (side === 1) return open <= limit ? open : low <= limit ? limit : Number.NaN
  return open >= limit ? open : high >= limit ? limit : Number.NaN
}

/**
 * The price of a stop order, or NaN where the candle does not trigger it.
 *
 * **Details**
 *
 * A stop that the open has passed fills at the open, worse than asked: the market was never at the
 * stop.
 *
 * @category models
 * @since 0.1.0
 */
export const fillStop = (
  side: SideSign,
  stop: number,
  open: number,
  high: number,
  low: number
): number => {
  if (side === 1) return open >= stop ? open : high >= stop ? stop : Number.NaN
  return open <= stop ? open : low <= stop ? stop : Number.NaN
}

/**
 * A price moved against the order by a fraction; it may leave the candle.
 *
 * @category models
 * @since 0.1.0
 */
export const slip = (side: SideSign, price: number, rate: number): number =>
  rate === 0 ? price : price * (1 + side * rate)

/**
 * The nearest multiple of the tick; a tick of 0 leaves the price as it is.
 *
 * @category models
 * @since 0.1.0
 */
export const roundToTick = (price: number, tick: number): number =>
  tick === 0 ? price : toStep(Math.round(price / tick), tick)

/**
 * The largest multiple of the lot that is not above the quantity; a lot of 0 leaves it as it is.
 *
 * **Details**
 *
 * A quantity within one part in 10¹² below a multiple counts as that multiple, so that 0.3 / 0.1 is
 * three lots.
 *
 * @category models
 * @since 0.1.0
 */
export const floorToLot = (quantity: number, lot: number): number => {
  if (lot === 0) return quantity
  const count = quantity / lot
  const nearest = Math.round(count)
  return toStep(nearest - count <= count * 1e-12 ? nearest : Math.floor(count), lot)
}

/**
 * The nearest multiple of the lot; a lot of 0 leaves the quantity as it is.
 *
 * @category models
 * @since 0.1.0
 */
export const roundToLot = (quantity: number, lot: number): number => roundToTick(quantity, lot)

/** A whole number of steps as the nearest double of its decimal form, so that 3 × 0.1 is 0.3. */
const toStep = (count: number, step: number): number => {
  const inverse = Math.round(1 / step)
  return inverse >= 1 && Math.abs(inverse * step - 1) < 1e-12 ? count / inverse : count * step
}

/**
 * The tick of a series: the coarsest power of ten, from 1 to 1e-8, on which all of its prices lie.
 *
 * **Details**
 *
 * Every price is looked at: one of them may be the only one that is so fine. What is off a step by
 * more than sums of doubles are counts as finer, for a step that is too fine does no harm.
 *
 * @category models
 * @since 0.1.0
 */
export const inferTick = (prices: ReadonlyArray<Float64Array>): number => {
  let digits = 0
  let scale = 1
  for (const column of prices) {
    for (const price of column) {
      while (digits < 8) {
        const scaled = price * scale
        if (Math.abs(scaled - Math.round(scaled)) <= 1e-12 * Math.max(1, Math.abs(scaled))) break
        digits++
        scale *= 10
      }
      if (digits === 8) return 1e-8
    }
  }
  return 10 ** -digits
}
