/**
 * The time by which stores decide: which delivery is due, and which lease has ended.
 *
 * Servers share the database's clock and not their own. A process whose clock runs an hour ahead
 * would otherwise take others' leases. And when it is killed, its own leases would last an hour too
 * long.
 *
 * @since 0.1.0
 */
import { Context, Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"

/** The present time as an expression in SQL, asked for before each statement. */
type PresentMs = Effect.Effect<Statement.Fragment>

// The time of the statement, and not that of its transaction: a lease counts from when it is
// written. It is the same throughout a statement, so that an index can be searched by it.
const statementMs = "floor(extract(epoch from statement_timestamp()) * 1000)::float8"

/**
 * How a store says in SQL which time it is, in epoch milliseconds.
 *
 * **Details**
 *
 * It is the database's by default. Suites give their stores the time of Effect's `Clock`, because a
 * test can't set the clock of a database.
 *
 * @category services
 * @since 0.1.0
 */
export const StoreTime = Context.Reference<(sql: SqlClient.SqlClient) => PresentMs>(
  "@candlewick/store-postgres/StoreTime",
  { defaultValue: () => (sql) => Effect.succeed(sql.literal(statementMs)) }
)

/**
 * Makes a store over the client that is provided, and over the time of its database.
 *
 * @category constructors
 * @since 0.1.0
 */
export const withTime = <A>(
  make: (sql: SqlClient.SqlClient, presentMs: PresentMs) => A
): Effect.Effect<A, never, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const timeOf = yield* StoreTime
    return make(sql, timeOf(sql))
  })
