/**
 * The size of an entry, decided at the close of a candle with that close (or the order's price) as
 * reference.
 *
 * @since 0.1.0
 */
import { floorToLot, unitCost } from "./fill.ts"

/** The rule of an entry's size; fractions are of equity. @category models @since 0.1.0 */
export type SizingRule =
  | { readonly type: "risk_per_trade"; readonly fraction: number }
  | { readonly type: "equity_fraction"; readonly fraction: number }
  | { readonly type: "fixed_notional"; readonly notional: number }
  | { readonly type: "fixed_quantity"; readonly quantity: number }
  | { readonly type: "volatility_target"; readonly target: number }

/** The inputs of a size. @category models @since 0.1.0 */
export interface SizingInput {
  readonly sizing: SizingRule
  readonly equity: number
  /** Notional that may still be opened, fees included. */
  readonly buyingPower: number
  /** Notional of the positions that are open or ordered. */
  readonly committedNotional: number
  /** Price at which the entry is expected. */
  readonly price: number
  /** Distance from that price to the stop, or NaN where there is none. */
  readonly stopDistance: number
  /** Volatility a year as a fraction, or NaN where it is unknown. */
  readonly volatility: number
  /** Largest notional of all positions as a fraction of equity, or Infinity. */
  readonly exposureMax: number
  /** Largest part of equity that the stop may cost, or Infinity. */
  readonly riskMax: number
  /** Fees and slippage of an entry, as a fraction of notional. */
  readonly costRate: number
  readonly lot: number
}

const wanted = ({ sizing, equity, price, stopDistance, volatility }: SizingInput): number => {
  switch (sizing.type) {
    case "risk_per_trade":
      return (equity * sizing.fraction) / stopDistance
    case "equity_fraction":
      return (equity * sizing.fraction) / price
    case "fixed_notional":
      return sizing.notional / price
    case "fixed_quantity":
      return sizing.quantity
    case "volatility_target":
      return (equity * sizing.target) / volatility / price
  }
}

/**
 * The quantity of an entry, a multiple of the lot; 0 where nothing can or may be bought.
 *
 * **Details**
 *
 * The size of the rule is cut to the exposure cap, and to the risk cap where a stop is known. It is
 * cut to the affordable size with fees and slippage, too. A size that depends on something
 * undefined is 0.
 *
 * @category models
 * @since 0.1.0
 */
export const sizeEntry = (input: SizingInput): number => {
  const { equity, price, stopDistance, buyingPower, committedNotional } = input
  if (!(equity > 0) || !(price > 0)) return 0
  let quantity = wanted(input)
  if (!Number.isFinite(quantity) || quantity <= 0) return 0
  if (input.exposureMax !== Infinity) {
    quantity = Math.min(quantity, (equity * input.exposureMax - committedNotional) / price)
  }
  if (input.riskMax !== Infinity && stopDistance > 0) {
    quantity = Math.min(quantity, (equity * input.riskMax) / stopDistance)
  }
  quantity = Math.min(quantity, buyingPower / unitCost(price, input.costRate))
  return quantity > 0 ? floorToLot(quantity, input.lot) : 0
}
