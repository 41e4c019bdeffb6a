/**
 * Whether the amounts of an order keep to the terms of its market.
 *
 * A venue refuses other terms. A sender of orders looks first, so that a refusal is new to it.
 *
 * @since 0.1.0
 */
import { BigDecimal, Option } from "effect"
import { decimalOf, decimalOfUnsafe, isWholeSteps } from "./decimals.ts"

/** The terms of a market that bound its orders, as decimal text. */
export interface OrderTerms {
  readonly quantityStep: string
  readonly priceStep: string
  readonly minQuantity: string
  readonly minNotional: string
}

/** The terms of an order, as decimal text. */
export interface OrderTexts {
  readonly type: "market" | "limit" | "stop" | "stop_limit"
  readonly quantity: string
  readonly limitPrice: string | null
  readonly stopPrice: string | null
}

/** The amounts of an order. */
export interface OrderAmounts {
  readonly quantity: BigDecimal.BigDecimal
  readonly limitPrice: BigDecimal.BigDecimal | null
  readonly stopPrice: BigDecimal.BigDecimal | null
}

const positive = (text: string): Option.Option<BigDecimal.BigDecimal> =>
  Option.filter(decimalOf(text), BigDecimal.isPositive)

/** The amounts of an order, none where a text is no amount or its type asks for other prices. */
export const orderAmountsOf = ({
  limitPrice,
  quantity,
  stopPrice,
  type
}: OrderTexts): Option.Option<OrderAmounts> => {
  const hasLimit = type === "limit" || type === "stop_limit"
  const hasStop = type === "stop" || type === "stop_limit"
  if (hasLimit !== (limitPrice !== null) || hasStop !== (stopPrice !== null)) return Option.none()
  const none: Option.Option<BigDecimal.BigDecimal | null> = Option.some(null)
  return Option.all({
    quantity: positive(quantity),
    limitPrice: limitPrice === null ? none : positive(limitPrice),
    stopPrice: stopPrice === null ? none : positive(stopPrice)
  })
}

/**
 * The fault of an order's amounts, as a sentence for people, or null.
 *
 * @param price What a unit is worth: the order's limit or stop, else the last price.
 */
export const faultOfAmounts = (
  { minNotional, minQuantity, priceStep, quantityStep }: OrderTerms,
  { limitPrice, quantity, stopPrice }: OrderAmounts,
  price: BigDecimal.BigDecimal
): string | null => {
  if (!isWholeSteps(quantity, decimalOfUnsafe(quantityStep))) {
    return `the quantity is no multiple of ${quantityStep}`
  }
  if (BigDecimal.isLessThan(quantity, decimalOfUnsafe(minQuantity))) {
    return `the quantity is below ${minQuantity}`
  }
  const step = decimalOfUnsafe(priceStep)
  for (const level of [limitPrice, stopPrice]) {
    if (level !== null && !isWholeSteps(level, step)) {
      return `a price is no multiple of ${priceStep}`
    }
  }
  return BigDecimal.isLessThan(BigDecimal.multiply(quantity, price), decimalOfUnsafe(minNotional))
    ? `the notional is below ${minNotional}`
    : null
}
