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

/** The signs of a style in a table, the surest first; an own delimiter leaves commas free. */
const evidence: ReadonlyArray<readonly [RegExp, NumberStyle, isSure: boolean]> = [
  [/^\d{1,3}(?:,\d{3})+\.\d+$/, { decimal: ".", group: "," }, true],
  [/^\d{1,3}(?:\.\d{3})+,\d+$/, { decimal: ",", group: "." }, true],
  [/^\d+,(?:\d{1,2}|\d{4,})$/, { decimal: ",", group: "" }, true],
  [/^\d{1,3}(?:,\d{3}){2,}$/, { decimal: ".", group: "," }, true],
  [/^\d+,\d+$/, { decimal: ",", group: "" }, false]
]

/**
 * The style of a table's numbers, by its first rows. Three digits after a comma alone may be
 * thousands or a fraction: where commas set cells apart, points elsewhere decide.
 *
 * @category models
 * @since 0.1.0
 */
export const findNumberStyle = (
  rows: ReadonlyArray<ReadonlyArray<unknown>>,
  delimiter: string
): NumberStyle => {
  const texts = rows.flatMap((row) =>
    row.flatMap((cell) => {
      const [, , body] = typeof cell === "string" ? (written.exec(cell.trim()) ?? []) : []
      return body === undefined ? [] : [body]
    })
  )
  const isThere = (pattern: RegExp) => texts.some((text) => pattern.test(text))
  const found = evidence.find(
    ([pattern, , isSure]) => (isSure || delimiter !== ",") && isThere(pattern)
  )
  if (found !== undefined) return found[1]
  return isThere(/^\d{1,3},\d{3}$/) && isThere(/^\d+\.\d+$/)
    ? { decimal: ".", group: "," }
    : plainNumbers
}
