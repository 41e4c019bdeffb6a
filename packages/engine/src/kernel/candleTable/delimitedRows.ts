/**
 * Rows of text whose cells are set apart by commas, semicolons, tabs or `|`.
 *
 * @since 0.1.0
 */
import { rowMaxLength, type RowSplitter, type TableRow } from "./TableRow.ts"

const delimiters = [",", ";", "\t", "|"] as const

/** The separator of a row's cells. @category models @since 0.1.0 */
export type Delimiter = (typeof delimiters)[number]

const linesLooked = 20

/**
 * The delimiter that the first lines have most of.
 *
 * **Details**
 *
 * Lines before the header have none, so that a line with the most cells is the one that counts.
 *
 * @category models
 * @since 0.1.0
 */
export const delimiterOf = (head: string): Delimiter => {
  const lines = head.split("\n", linesLooked)
  let best: Delimiter = ","
  let most = 0
  for (const delimiter of delimiters) {
    const count = Math.max(...lines.map((line) => line.split(delimiter).length - 1))
    // A comma may be within numbers that semicolons and tabs set apart.
    if (count > most || (count >= 4 && most > 0 && best === ",")) {
      best = delimiter
      most = count
    }
  }
  return best
}

/** The cells of a line that has quotes; null where one is not closed. */
const splitQuoted = (line: string, delimiter: Delimiter): TableRow | null => {
  const cells: Array<string> = []
  let cell = ""
  let isQuoted = false
  for (let index = 0; index < line.length; index++) {
    const letter = line[index]!
    if (isQuoted && letter === '"' && line[index + 1] === '"') {
      cell += letter
      index++
    } else if (letter === '"') {
      isQuoted = !isQuoted
    } else if (!isQuoted && letter === delimiter) {
      cells.push(cell)
      cell = ""
    } else {
      cell += letter
    }
  }
  if (isQuoted) return null
  cells.push(cell)
  return cells
}

// Blank lines pack a thousandfold: a small file of them would be read for minutes.
const blankMaxLength = 1_048_576

/**
 * Splits delimited text into rows; empty lines are none, and too many in succession are a fault.
 *
 * @category models
 * @since 0.1.0
 */
export const splitDelimited = (
  delimiter: Delimiter,
  take: (row: TableRow) => void
): RowSplitter => {
  let rest = ""
  let lineCount = 0
  let blankLength = 0
  const tooLong = () => `Line ${lineCount + 1} has more than ${rowMaxLength} characters`

  const takeLine = (line: string): string | null => {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line
    if (text.length > rowMaxLength) return tooLong()
    lineCount++
    if (text.trim() === "") {
      blankLength += line.length + 1
      return blankLength > blankMaxLength
        ? `The table has more than ${blankMaxLength} blank characters up to line ${lineCount}`
        : null
    }
    blankLength = 0
    const cells = text.includes('"') ? splitQuoted(text, delimiter) : text.split(delimiter)
    if (cells === null) return `Line ${lineCount} opens a quote and does not close it`
    take(cells)
    return null
  }

  return {
    add: (text) => {
      const all = rest + text
      let from = 0
      for (let to = all.indexOf("\n"); to >= 0; to = all.indexOf("\n", from)) {
        const failure = takeLine(all.slice(from, to))
        if (failure !== null) return failure
        from = to + 1
      }
      rest = all.slice(from)
      return rest.length > rowMaxLength ? tooLong() : null
    },
    end: () => takeLine(rest)
  }
}
