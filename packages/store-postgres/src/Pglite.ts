/**
 * PostgreSQL embedded in this process, behind the same client as a server.
 *
 * @since 0.1.0
 */
import { PGlite } from "@electric-sql/pglite"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { pgliteDuplex } from "./internal/pgliteDuplex.ts"

/** Where an embedded database is kept. @category models @since 0.1.0 */
export interface PgliteOptions {
  /** In memory without one. A directory must be used by one process only. */
  readonly directory?: string | undefined
}

const open = (options: PgliteOptions) =>
  Effect.acquireRelease(
    Effect.promise(() => PGlite.create(options.directory ?? "memory://")),
    (database) => Effect.promise(() => database.close())
  )

/**
 * A `PgClient` over an embedded PostgreSQL.
 *
 * **Gotchas**
 *
 * It has one session, so that transactions follow one another, and it survives the end of the
 * process but not a loss of power: it never waits for the disk.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: PgliteOptions = {}) =>
  PgClient.layerFrom(
    Effect.gen(function* () {
      const database = yield* open(options)
      const client = yield* PgClient.makeClient({
        stream: () => pgliteDuplex(database),
        database: "postgres",
        username: "postgres"
      })
      return Object.assign(client, { driver: "pglite" as const })
    })
  )
