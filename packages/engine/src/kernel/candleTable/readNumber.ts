/**
 * The number of a cell, and how the numbers of a table are written.
 *
 * @since 0.1.0
 */

/**
 * The style of a table's numbers: the mark of the fraction, and the mark of thousands.
 *
 * @category models
 * @since 0.1.0
 */
export interface NumberStyle {
  readonly decimal: "." | ","
  readonly group: "" | "." | ","
}

/** Numbers as programs write them. @category tables @since 0.1.0 */
export const plainNumbers: NumberStyle = { decimal: ".", group: "" }

// JavaScript reads 0x1, 0b1 and 0o7 as numbers too. No file writes a price so.
const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
/** A number with its sign, the sign of a currency before it, and a word for thousands after it. */
const written = /^([+-]?)[$€£¥]?([\d.,]+)([KMBT]?)$/i
const commaGroups = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/
const dotGroups = /^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/
const powers: Readonly<Record<string, string>> = { "": "", K: "e3", M: "e6", B: "e9", T: "e12" }

const readWritten = (text: string, { decimal: point, group }: NumberStyle): number => {
  const [, sign, body = "", word = ""] = written.exec(text) ?? []
  if (sign === undefined) return Number.NaN
  const isGrouped =
    (group === "," && commaGroups.test(body)) || (group === "." && dotGroups.test(body))
  const digits = isGrouped ? body.replaceAll(group, "") : body
  const plain = point === "," ? digits.replace(",", ".") : digits
  return decimal.test(plain) ? Number(`${sign}${plain}${powers[word.toUpperCase()]}`) : Number.NaN
}

/**
 * The number of a cell, from a number or from text; not finite where it is none. Without a style,
 * text is read as programs write numbers.
 *
 * @category conversions
 * @since 0.1.0
 */
export const readNumber = (cell: unknown, style?: NumberStyle): number => {
  if (typeof cell === "number") return cell
  const text = typeof cell === "string" ? cell.trim() : ""
  if (decimal.test(text) && !(style?.group === "." && dotGroups.test(text))) return Number(text)
  return style === undefined ? Number.NaN : readWritten(text, style)
}

const blanks: ReadonlySet<string> = new Set(["", "-", "null", "nan", "n/a", "na", "none"])

const digits = { first: 48, last: 57 }

/** Whether a cell says that there is no value. @category models @since 0.1.0 */
export const isBlank = (cell: unknown): boolean => {
  if (typeof cell !== "string") return cell === null
  const code = cell.charCodeAt(0)
  // Nearly every cell is a number, and a million rows are read.
  if ((code >= digits.first && code <= digits.last) || cell.length > 6) return false
  return blanks.has(cell.trim().toLowerCase())
}

/** The mark of the fraction in a table's numbers, as a caller names it. @category models */
export type TableDecimal = "point" | "comma"

/** The styles of numbers whose mark of the fraction a caller names. */
const namedStyles: Readonly<Record<TableDecimal, NumberStyle>> = {
  point: { decimal: ".", group: "," },
  comma: { decimal: ",", group: "." }
}

/** The signs of a style in a table, the surest first. */
const evidence: ReadonlyArray<readonly [RegExp, NumberStyle]> = [
  [/^\d{1,3}(?:,\d{3})+\.\d+$/, { decimal: ".", group: "," }],
  [/^\d{1,3}(?:\.\d{3})+,\d+$/, { decimal: ",", group: "." }],
  [/^(?:\d+,(?:\d{1,2}|\d{4,})|(?:0\d*|\d{4,}),\d+)$/, { decimal: ",", group: "" }],
  [/^\d{1,3}(?:,\d{3}){2,}$/, { decimal: ".", group: "," }]
]

/** Three digits after a comma, which are thousands or a fraction. */
const threeAfterComma = /^\d{1,3},\d{3}$/
const withPoint = /^\d+\.\d+$/

/** The style of a table's numbers, and whether another one would fit as well. */
export interface FoundNumberStyle {
  readonly style: NumberStyle
  readonly isOpen: boolean
}

/**
 * The style of a table's numbers, by its first rows, or as the caller names it. Three digits after
 * each comma may be thousands or a fraction: points elsewhere decide, and without these it is open.
 *
 * @category models
 * @since 0.1.0
 */
export const findNumberStyle = (
  rows: ReadonlyArray<ReadonlyArray<unknown>>,
  named?: TableDecimal
): FoundNumberStyle => {
  if (named !== undefined) return { style: namedStyles[named], isOpen: false }
  const texts = rows.flatMap((row) =>
    row.flatMap((cell) => {
      const [, , body] = typeof cell === "string" ? (written.exec(cell.trim()) ?? []) : []
      return body === undefined ? [] : [body]
    })
  )
  const isThere = (pattern: RegExp) => texts.some((text) => pattern.test(text))
  const found = evidence.find(([pattern]) => isThere(pattern))
  if (found !== undefined) return { style: found[1], isOpen: false }
  if (!isThere(threeAfterComma)) return { style: plainNumbers, isOpen: false }
  if (isThere(withPoint)) return { style: namedStyles.point, isOpen: false }
  return { style: { decimal: ",", group: "" }, isOpen: true }
}
