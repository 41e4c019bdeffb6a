/**
 * Amounts as exchanges count them.
 *
 * They are decimal text outside, and exact decimals inside. A number
 * becomes the decimal with the digits that it is written with.
 *
 * @since 0.1.0
 */
import { BigDecimal, Option } from "effect"

const plain = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/

/** The decimal of a text, none where the text is not one. @category decimals @since 0.1.0 */
export const decimalOf = (text: string): Option.Option<BigDecimal.BigDecimal> =>
  plain.test(text) ? BigDecimal.fromString(text) : Option.none()

/**
 * The decimal of a text.
 *
 * @throws RangeError where the text is not one.
 * @category decimals
 * @since 0.1.0
 */
export const decimalOfUnsafe = (text: string): BigDecimal.BigDecimal =>
  Option.getOrThrowWith(decimalOf(text), () => new RangeError(`"${text}" is not a decimal`))

/**
 * The text of a decimal, without zeros that say nothing. Effect's own format has exponents where
 * there are many digits, which no exchange takes.
 *
 * @category decimals
 * @since 0.1.0
 */
export const decimalText = (amount: BigDecimal.BigDecimal): string => {
  const { scale, value } = BigDecimal.normalize(amount)
  if (scale <= 0) return `${value * 10n ** BigInt(-scale)}`
  const sign = value < 0n ? "-" : ""
  const digits = `${value < 0n ? -value : value}`.padStart(scale + 1, "0")
  const point = digits.length - scale
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** The largest whole number of steps within an amount. @category decimals @since 0.1.0 */
export const floorDecimalToStep = (
  amount: BigDecimal.BigDecimal,
  step: BigDecimal.BigDecimal
): BigDecimal.BigDecimal => {
  if (BigDecimal.isZero(step)) return amount
  const rest = BigDecimal.remainderUnsafe(amount, step)
  const below = BigDecimal.isNegative(rest) ? BigDecimal.sum(rest, step) : rest
  return BigDecimal.subtract(amount, below)
}

/** Whether an amount is a whole number of steps. @category decimals @since 0.1.0 */
export const isWholeSteps = (amount: BigDecimal.BigDecimal, step: BigDecimal.BigDecimal): boolean =>
  BigDecimal.isZero(step) || BigDecimal.isZero(BigDecimal.remainderUnsafe(amount, step))

/**
 * The decimal with the digits that a finite number is written with.
 *
 * @category decimals
 * @since 0.1.0
 */
export const decimalOfNumber = (value: number): BigDecimal.BigDecimal =>
  BigDecimal.fromNumberUnsafe(value)

/** The number that is nearest to a decimal. @category decimals @since 0.1.0 */
export const numberOf = (amount: BigDecimal.BigDecimal): number => Number(decimalText(amount))
