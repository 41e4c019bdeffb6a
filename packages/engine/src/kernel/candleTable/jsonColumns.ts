/**
 * Rows of JSON that has a list for each field, as charts of Yahoo and TradingView answer.
 *
 * @since 0.1.0
 */
import type { JsonRow } from "./jsonRows.ts"
import { isFieldName } from "./tableLayout.ts"
import { quoted, type RowSplitter } from "./TableRow.ts"

/** The longest such JSON: it is read as a whole. @category limits @since 0.1.0 */
export const columnsMaxLength = 2_097_152

const depthMax = 16
const listOfValues = /"([^"\\]{1,20})"\s*:\s*\[\s*["\d.n-]/g

/** Whether JSON has a list of values under the name of a field. @category models @since 0.1.0 */
export const hasColumns = (head: string): boolean =>
  [...head.matchAll(listOfValues)].some(([, name = ""]) => isFieldName(name))

type Columns = Map<string, ReadonlyArray<unknown>>

/** Collects the lists under the names of fields, the first of each name. */
const collect = (value: unknown, into: Columns, depth = 0): void => {
  if (typeof value !== "object" || value === null || depth > depthMax) return
  for (const [name, inner] of Object.entries(value)) {
    const isList = Array.isArray(inner) && inner.every((one) => one === null || Object(one) !== one)
    if (isList && isFieldName(name)) {
      if (!into.has(name)) into.set(name, inner)
    } else {
      collect(inner, into, depth + 1)
    }
  }
}

/** Takes a row for each value of the lists; gives their fault. */
const takeRows = (columns: Columns, take: (row: JsonRow) => void): string | null => {
  const [first, ...others] = columns
  if (first === undefined) return null
  const [firstName, { length }] = first
  const other = others.find(([, list]) => list.length !== length)
  if (other !== undefined) {
    return `The lists ${quoted(firstName)} and ${quoted(other[0])} have ${length} and ${other[1].length} values`
  }
  for (let at = 0; at < length; at++) {
    take(Object.fromEntries(Array.from(columns, ([name, list]) => [name, list[at]])))
  }
  return null
}

/** Splits JSON whose fields are lists into rows. @category models @since 0.1.0 */
export const splitColumns = (take: (row: JsonRow) => void): RowSplitter => {
  let text = ""
  return {
    add: (more) => {
      text += more
      return text.length > columnsMaxLength
        ? `JSON with a list for each field may have ${columnsMaxLength} characters`
        : null
    },
    end: () => {
      let value: unknown
      try {
        value = JSON.parse(text)
      } catch {
        return "The text is not JSON"
      }
      const columns: Columns = new Map()
      collect(value, columns)
      return takeRows(columns, take)
    }
  }
}
