/**
 * The unit of a series, derived from the units of its parts.
 *
 * A combination that has no meaning (an RSI plus a price) has no unit; a plain number goes with
 * anything.
 *
 * @since 0.1.0
 */
import type { Unit } from "./IndicatorRow.ts"
import type { PriceField } from "./Rule.ts"

/**
 * The unit of a price field.
 *
 * @category units
 * @since 0.1.0
 */
export const unitOfField = (field: PriceField): Unit => (field === "volume" ? "volume" : "price")

/**
 * The unit of the difference between two values of a unit.
 *
 * @category units
 * @since 0.1.0
 */
export const unitOfDifference = (unit: Unit): Unit => (unit === "price" ? "price_difference" : unit)

/**
 * The unit that two values can be compared in, or null where they can't be.
 *
 * @category units
 * @since 0.1.0
 */
export const unitOfComparison = (left: Unit, right: Unit): Unit | null =>
  left === right || right === "number" ? left : left === "number" ? right : null

const unitOfSum = (left: Unit, right: Unit): Unit | null => {
  const pair = `${left} ${right}`
  return pair === "price price_difference" || pair === "price_difference price"
    ? "price"
    : unitOfComparison(left, right)
}

const unitOfSubtraction = (left: Unit, right: Unit): Unit | null => {
  if (left === "price" && right === "price_difference") return "price"
  return left === right ? unitOfDifference(left) : unitOfComparison(left, right)
}

const isPriceLike = (unit: Unit): boolean => unit === "price" || unit === "price_difference"

const unitOfProduct = (left: Unit, right: Unit): Unit | null => {
  if (left === "number" || left === "ratio") return right === "number" ? left : right
  if (right === "number" || right === "ratio") return left
  const isNotional =
    (isPriceLike(left) && right === "volume") || (left === "volume" && isPriceLike(right))
  return isNotional ? "notional" : null
}

const unitOfQuotient = (left: Unit, right: Unit): Unit | null => {
  if (right === "number" || right === "ratio") return left
  if (left === "number") return "number"
  if (left === right || (isPriceLike(left) && isPriceLike(right))) return "ratio"
  if (left !== "notional") return null
  return right === "volume" ? "price" : isPriceLike(right) ? "volume" : null
}

/**
 * The unit of an arithmetic combination, or null where it has no meaning.
 *
 * @category units
 * @since 0.1.0
 */
export const unitOfArithmetic = (
  type: "add" | "sub" | "mul" | "div" | "min" | "max",
  left: Unit,
  right: Unit
): Unit | null => {
  switch (type) {
    case "add":
      return unitOfSum(left, right)
    case "sub":
      return unitOfSubtraction(left, right)
    case "mul":
      return unitOfProduct(left, right)
    case "div":
      return unitOfQuotient(left, right)
    default:
      return unitOfComparison(left, right)
  }
}

/**
 * The unit of one output of an indicator, given the unit of its source.
 *
 * @category units
 * @since 0.1.0
 */
export const unitOfOutput = (output: Unit | "source" | "source_difference", source: Unit): Unit =>
  output === "source" ? source : output === "source_difference" ? unitOfDifference(source) : output
