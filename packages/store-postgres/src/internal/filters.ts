/**
 * The filters of a list, as conditions on the columns beside the records.
 *
 * @since 0.1.0
 */
import { askedOf, foldCase, fromTimestamp, type PageRequest } from "@candlewick/core"
import type { SqlClient, Statement } from "effect/sql"

/** Symbols as one text, in which one of them is found. @category models @since 0.1.0 */
export const symbolsText = (symbols: ReadonlyArray<string>): string => JSON.stringify(symbols)

/** A text as a column keeps it: SQL knows no NUL character. @category models @since 0.1.0 */
export const columnText = (text: string): string => text.replaceAll("\0", " ")

const conditionOf = (
  sql: SqlClient.SqlClient,
  name: string,
  value: string | boolean,
  hasSymbols: boolean
): Statement.Fragment => {
  // No column holds such a text.
  if (typeof value === "string" && value.includes("\0")) return sql`false`
  switch (name) {
    case "name":
      return sql`strpos(lower(name), ${foldCase(String(value))}) > 0`
    case "from":
      return sql`at_ms >= ${fromTimestamp(String(value))}`
    case "to":
      return sql`at_ms < ${fromTimestamp(String(value))}`
    case "symbol":
      if (hasSymbols) return sql`strpos(symbols, ${JSON.stringify(value)}) > 0`
  }
  return sql`${sql(name)} = ${value}`
}

/**
 * The condition of a filter. A table has a column of the name of each field. It also has `at_ms`
 * where a filter asks for a range, and `symbols` where a record has several.
 *
 * @category models
 * @since 0.1.0
 */
export const filteredBy = (
  sql: SqlClient.SqlClient,
  page: PageRequest,
  { hasSymbols = false }: { readonly hasSymbols?: boolean } = {}
): Statement.Fragment =>
  sql.and([
    sql`true`,
    ...askedOf(page).map(([name, value]) => conditionOf(sql, name, value, hasSymbols))
  ])
