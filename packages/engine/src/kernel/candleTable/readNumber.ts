/**
 * The number of a cell.
 *
 * @since 0.1.0
 */

// JavaScript reads 0x1, 0b1 and 0o7 as numbers too, which nobody means as a price.
const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const decimalComma = /^[+-]?\d+,\d+$/

/**
 * The number of a cell, from a number or from text; not finite where it is none.
 *
 * @category conversions
 * @since 0.1.0
 */
export const readNumber = (cell: unknown, hasDecimalComma = false): number => {
  if (typeof cell === "number") return cell
  const text = typeof cell === "string" ? cell.trim() : ""
  if (decimal.test(text)) return Number(text)
  return hasDecimalComma && decimalComma.test(text) ? Number(text.replace(",", ".")) : Number.NaN
}
