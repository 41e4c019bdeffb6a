/**
 * How much an order from a signal trades.
 *
 * @since 0.1.0
 */
import { cashAfter, feeOf, floorToLot, unitCost } from "../fill.ts"
import type { SignalIntent } from "./decideSignal.ts"
import type { SignalOptions } from "./signalOptions.ts"

/** What the quantity depends on. @category models @since 0.1.0 */
export interface SignalSizeInput {
  readonly intent: SignalIntent
  readonly size: number
  /** Price that a notional size is divided by. */
  readonly valuePrice: number
  /** Price of the fill, slippage included. */
  readonly price: number
  /** Quantity that is held; negative for a short. */
  readonly held: number
  /** Average entry price of what is held. */
  readonly entryPrice: number
  readonly cash: number
}

type Rules = Pick<
  SignalOptions,
  "sizeType" | "quantityMin" | "quantityMax" | "lot" | "canFillPartly" | "feeRate" | "feePerFill"
>

/**
 * The quantity of an order, or 0 where there is none.
 *
 * **Details**
 *
 * Buys are cut to what cash pays, fees included. Sales of what is held need no cash; a short of a
 * fixed quantity or notional needs none either, one of a fraction takes it of the cash that is left
 * when twice the proceeds of open shorts are put aside.
 *
 * @category kernels
 * @since 0.1.0
 */
export const sizeSignal = (input: SignalSizeInput, rules: Rules): number => {
  const { intent, price } = input
  if (!(price >= 0) || (price === 0 && intent.side === 1)) return 0
  const asked = quantityAsked(input, rules)
  const limit = intent.side === 1 ? affordable(input.cash, price, rules) : Infinity
  const allowed = Math.min(limit, rules.quantityMax)
  // A cut of rounding only is none.
  if (!rules.canFillPartly && asked > allowed * (1 + 1e-12)) return 0
  const cut = Math.min(asked, allowed)
  // What is held is closed to the last bit of it.
  const isWhole = intent.effect === "close" && cut === asked
  const quantity = isWhole || !(cut > 0) ? cut : floorToLot(cut, rules.lot)
  return quantity > 0 && quantity >= rules.quantityMin && quantity < Infinity ? quantity : 0
}

/** The most that cash buys. */
const affordable = (cash: number, price: number, { feeRate, feePerFill }: Rules): number =>
  (cash - feePerFill) / unitCost(price, feeRate)

const quantityAsked = (input: SignalSizeInput, rules: Rules): number => {
  const { effect } = input.intent
  const open = Math.abs(input.held)
  switch (effect) {
    case "close":
      return open
    case "reduce":
      return Math.min(open, quantityAgainst(input, rules, open))
    case "turn":
      return quantityAgainst(input, rules, open)
    case "increase":
      return quantityOpened(input, rules)
    case "reverse":
      return open + quantityOpened(closed(input, rules), { ...rules, feePerFill: 0 })
  }
}

/** What an order against the position trades; everything is the position. */
const quantityAgainst = (input: SignalSizeInput, rules: Rules, open: number): number => {
  const fraction = fractionOf(input.size, rules)
  return fraction === null ? fixedQuantity(input, rules) : fraction * open
}

const quantityOpened = (input: SignalSizeInput, rules: Rules): number => {
  const fraction = fractionOf(input.size, rules)
  if (fraction === null) return fixedQuantity(input, rules)
  const { cash, held, entryPrice, intent, price } = input
  if (intent.side === 1) return affordable(cash * fraction, price, rules)
  const free = held < 0 ? cash + 2 * held * entryPrice : cash
  return (fraction * free) / unitCost(price, rules.feeRate)
}

/** The fraction that a size is, all of it for Infinity, or null for a fixed one. */
const fractionOf = (size: number, { sizeType }: Rules): number | null =>
  size === Infinity ? 1 : sizeType === "percent" ? size : null

const fixedQuantity = ({ size, valuePrice }: SignalSizeInput, { sizeType }: Rules): number =>
  sizeType === "notional" ? size / valuePrice : size

/** The same once the position was closed at this price. */
const closed = (input: SignalSizeInput, rules: Rules): SignalSizeInput => {
  const { cash, held, price } = input
  const fee = feeOf(Math.abs(held) * price, rules.feeRate, rules.feePerFill)
  return { ...input, held: 0, cash: cashAfter(cash, -held * price, fee) }
}
