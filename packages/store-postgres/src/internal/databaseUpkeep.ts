/**
 * The work of a PostgreSQL server's background processes, for an embedded database.
 *
 * @since 0.1.0
 */
import type { PGlite } from "@electric-sql/pglite"
import type { OpenDatabase } from "./openDatabase.ts"

/** Rows changed or deleted in a table after which it is cleared. */
const deadRowsMin = 1_000

/**
 * Writes data files. By itself only the end of a lone session does, which a server never comes to.
 *
 * @category upkeep
 * @since 0.1.0
 */
export const checkpoint = async ({ files, pg }: OpenDatabase): Promise<void> => {
  files.logBytes = 0
  await pg.exec("checkpoint")
}

/** Clears the tables in which much was changed or deleted. @category upkeep @since 0.1.0 */
export const clearTables = async (pg: PGlite): Promise<void> => {
  const { rows } = await pg.query<{ readonly name: string }>(
    `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
     where n_dead_tup > $1 + n_live_tup / 5`,
    [deadRowsMin]
  )
  for (const { name } of rows) await pg.exec(`vacuum (analyze) ${name}`)
}
