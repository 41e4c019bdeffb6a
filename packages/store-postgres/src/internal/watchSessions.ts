/**
 * The sessions of the database server that Candlewick has, as `/metrics` shows them.
 *
 * @since 0.1.0
 */
import { Effect, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"

const lookEveryMs = 15_000

const sessions = Metric.gauge("candlewick_database_sessions", {
  description: "Sessions that servers have at the database, by state"
})

/** States of `pg_stat_activity`; a session of another one counts as busy. */
const states = ["active", "idle", "in_transaction"] as const
const gauges = new Map(
  states.map((state) => [state, Metric.withAttributes(sessions, { state })] as const)
)

interface Row {
  readonly state: (typeof states)[number]
  readonly count: number
}

/** Looks at the sessions for ever. @category layers */
export const watchSessions: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const look = Effect.gen(function* () {
      const rows = yield* sql<Row>`select case state when 'idle' then 'idle'
          when 'idle in transaction' then 'in_transaction' else 'active' end as state,
        count(*)::int as count
        from pg_stat_activity
        where datname = current_database() and application_name like 'candlewick%'
        group by 1`
      const counts = new Map(rows.map(({ count, state }) => [state, count]))
      for (const [state, gauge] of gauges) yield* Metric.update(gauge, counts.get(state) ?? 0)
    }).pipe(
      Effect.catchCause((cause) => Effect.logDebug("sessions of the database were not seen", cause))
    )
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep(lookEveryMs))))
  })
)
