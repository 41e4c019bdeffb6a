/**
 * The schema's history, on every database.
 */
import { EndpointStore } from "@candlewick/core"
import { endpointRecord } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { migrate, migrations, PostgresStore } from "../src/index.ts"
import { onEveryDatabase } from "./databases/onEveryDatabase.ts"

onEveryDatabase("migrations", (name, database) => {
  describe(name, () => {
    it.live("run once, however often and by however many they are started", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* Effect.all([migrate, migrate, migrate], { concurrency: "unbounded" })
        yield* migrate
        const rows = yield* sql`select migration_id, name from candlewick_migrations`
        assert.strictEqual(rows.length, Object.keys(migrations).length)
      }).pipe(Effect.provide(database))
    )

    it.live("refuse a database that a newer version has written", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* migrate
        yield* sql`insert into candlewick_migrations (migration_id, name) values (9999, 'from_the_future')`
        const error = yield* Effect.flip(migrate)
        assert.include(error.message, "use a newer version")
      }).pipe(Effect.provide(database))
    )

    it.live("give an endpoint that was registered before its plain envelope", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* migrate
        const { payload: _added, ...old } = endpointRecord()
        const record = JSON.stringify(old)
        yield* sql`insert into webhooks (id, account_id, version, max_concurrency, health, record)
          values (${old.id}, ${old.account_id}, 1, 4, '{}', ${record})`
        yield* sql`insert into webhook_sequences (webhook_id, last) values (${old.id}, 0)`
        const store = Layer.provide(PostgresStore.layer, Layer.succeed(SqlClient.SqlClient, sql))
        const found = yield* Effect.flatMap(EndpointStore, ({ getMany }) => getMany([old.id])).pipe(
          Effect.provide(store)
        )
        assert.deepStrictEqual(found, [{ ...old, payload: "plain" }])
      }).pipe(Effect.provide(database))
    )

    it.live("allow only the statuses of the state table", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* migrate
        const error = yield* Effect.flip(
          sql`insert into bots (id, account_id, status, version, record) values ('b', 'a', 'asleep', 1, '{}')`
        )
        assert.strictEqual(error.reason._tag, "ConstraintError")
      }).pipe(Effect.provide(database))
    )
  })
})
