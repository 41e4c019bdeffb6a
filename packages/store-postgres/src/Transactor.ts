/**
 * Transactions over the SQL stores.
 *
 * @since 0.1.0
 */
import { Transactor } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { toStoreError, transactionOf } from "./internal/toStoreError.ts"

/**
 * The `Transactor` of the SQL stores; one inside another is a savepoint.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.effect(
  Transactor,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Transactor.of({
      transact: transactionOf(sql),
      // An embedded database has one session.
      isSerial: sql.driver === "pglite",
      lock: (name) =>
        toStoreError(
          Effect.asVoid(
            sql`select pg_advisory_xact_lock(hashtextextended(${`candlewick ${name}`}, 0))`
          )
        )
    })
  )
)
