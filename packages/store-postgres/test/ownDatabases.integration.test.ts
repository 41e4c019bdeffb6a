/**
 * A database that a test is given is its own, and nothing is left in it of a test before.
 */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { onEveryDatabase } from "./databases/onEveryDatabase.ts"

/** Each is left behind in the session or the database by whoever has it. */
const leave = {
  "a table": ["create table kept (id int primary key)", "insert into kept values (1)"],
  "a sequence and a type": ["create sequence kept", "create type kept_state as enum ('a')"],
  "a temporary table": ["create temporary table kept (id int)"],
  "a setting": ["set application_name = 'kept'"],
  "a search path": ["set search_path = pg_catalog"],
  "a lock": ["select pg_advisory_lock(1)"],
  "a channel": ["listen kept"],
  "a prepared statement": ["prepare kept as select 1"],
  "an open transaction": ["begin", "create table kept (id int)"],
  "a failed transaction": ["begin", "select 1 / 0"]
}

const found = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<Readonly<Record<string, unknown>>>`select
    (select count(*)::int from pg_class where relnamespace = current_schema()::regnamespace
      or relpersistence = 't') as relations,
    (select count(*)::int from pg_type where typnamespace = current_schema()::regnamespace) as types,
    (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid())
      as locks,
    (select count(*)::int from pg_prepared_statements where name = 'kept') as statements,
    (select count(*)::int from pg_listening_channels()) as channels,
    current_setting('application_name') = 'kept' as is_named`
  return row
})

const nothing = {
  relations: 0,
  types: 0,
  locks: 0,
  statements: 0,
  channels: 0,
  is_named: false
}

onEveryDatabase("a database of a test's own", (name, database) => {
  describe(name, () => {
    for (const [what, statements] of Object.entries(leave)) {
      it.live(`has nothing of the one before, which left ${what}`, () =>
        Effect.gen(function* () {
          yield* Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            for (const statement of statements) yield* Effect.ignore(sql.unsafe(statement))
          }).pipe(Effect.provide(database))
          assert.deepStrictEqual(yield* Effect.provide(found, database), nothing)
        })
      )
    }

    it.live("has nothing of another that is there at the same time", () =>
      Effect.gen(function* () {
        const build = Layer.build(Layer.fresh(database))
        const [ours, theirs] = [yield* build, yield* build]
        const sql = Context.get(ours, SqlClient.SqlClient)
        yield* sql`create table kept (id int)`
        assert.deepInclude(yield* Effect.provideContext(found, theirs), nothing)
        assert.deepInclude(yield* Effect.provideContext(found, ours), { relations: 1 })
      }).pipe(Effect.scoped)
    )
  })
})
