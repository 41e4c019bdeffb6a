/**
 * Records as the rows of a statement.
 *
 * @since 0.1.0
 */
import type { SqlClient, Statement } from "effect/sql"

/** How a record is written in each of its columns. @category models @since 0.1.0 */
export type ColumnTexts<A> = Readonly<Record<string, (record: A) => string>>

/**
 * Records as a table `new`, with a column of texts for each name and their place as `place`. A
 * client takes the type of any other array from its first member.
 *
 * @category conversions
 * @since 0.1.0
 */
export const recordRows = <A>(
  sql: SqlClient.SqlClient,
  records: ReadonlyArray<A>,
  columns: ColumnTexts<A>
): Statement.Fragment => {
  const texts = Object.values(columns).map(
    (textOf) => sql`${records.map((record) => textOf(record))}::text[]`
  )
  const names = [...Object.keys(columns), "place"].join(", ")
  return sql`unnest(${sql.csv(texts)}) with ordinality as new (${sql.literal(names)})`
}

/** A row that a statement has written. @category models @since 0.1.0 */
export interface IdRow {
  readonly id: string
}

/**
 * The record that a statement has not written; undefined where it has written all of them.
 *
 * @category predicates
 * @since 0.1.0
 */
export const leftOut = <A>(
  records: ReadonlyArray<A>,
  written: ReadonlyArray<IdRow>,
  idOf: (record: A) => string
): A | undefined => {
  if (written.length === records.length) return undefined
  const ids = new Set(written.map(({ id }) => id))
  // Of two records with one id, the first is written.
  return records.find((record) => !ids.delete(idOf(record)))
}
