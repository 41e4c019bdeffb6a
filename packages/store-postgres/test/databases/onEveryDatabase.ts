/**
 * Registers a suite once for each database of the SQL stores: PGlite, and PostgreSQL in its oldest
 * and newest supported version. `TEST_DATABASE_URL` names another server instead.
 *
 * A run takes PGlite alone by itself. `CANDLEWICK_TEST_DATABASES` asks for the servers (`postgres`)
 * or for all of them (`every`), and `TEST_DATABASE_URL` for the server that it names. A suite that
 * takes long leaves PGlite out of `npm test` (`short`) to the run that has the servers (`rest`).
 *
 * Every layer that is given out is a database of its own, empty when it is built.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { Pglite, PostgresStore } from "../../src/index.ts"
import { StoreTime } from "../../src/internal/StoreTime.ts"
import { lendPglite } from "./lendPglite.ts"
import type { SharedDatabase } from "./shareDatabases.ts"
import { mayLeaveOut, postgresPackages } from "./startPostgres.ts"

/** The client of an empty database. */
export type DatabaseLayer = Layer.Layer<PgClient.PgClient | SqlClient.SqlClient>

interface TestDatabase {
  readonly name: string
  readonly shared: SharedDatabase
  readonly layerAt: (at: string) => DatabaseLayer
}

const ask = async (name: string): Promise<SharedDatabase> =>
  (await fetch(`${inject("sharedDatabases")}/${name}`)).json() as Promise<SharedDatabase>

const layerPglite = (template: string): DatabaseLayer =>
  Pglite.layerOver(() => lendPglite(template)).pipe(Layer.orDie)

let made = 0

/** A schema of its own, so that suites share a server and not their tables. */
const layerPostgres = (at: string): DatabaseLayer => {
  const url = Redacted.make(at)
  return PgClient.layerFrom(
    Effect.gen(function* () {
      const schema = `candlewick_${process.pid}_${crypto.randomUUID().slice(0, 8)}_${++made}`
      const run = (statement: string) =>
        Effect.scoped(Effect.flatMap(PgClient.makeClient({ url }), (sql) => sql.unsafe(statement)))
      yield* Effect.acquireRelease(run(`create schema ${schema}`), () =>
        Effect.orDie(run(`drop schema ${schema} cascade`))
      )
      return yield* PgClient.make({
        url,
        maxConnections: 10,
        startupParameters: { search_path: schema }
      })
      // The pool looks after its connections now and then: suites pass years, one look at a time.
    }).pipe(Effect.provideService(Clock.Clock, Clock.Clock.defaultValue()))
  ).pipe(Layer.orDie)
}

const url = process.env["TEST_DATABASE_URL"] ?? ""
const wanted = process.env["CANDLEWICK_TEST_DATABASES"] ?? ""
const known = ["pglite", "short", "postgres", "rest", "every"]
if (!["", ...known].includes(wanted)) {
  throw new Error(`CANDLEWICK_TEST_DATABASES is one of ${known.join(", ")}, not "${wanted}"`)
}

/** Whether a run takes the memory store and PGlite, and not only servers. */
export const takesMemory = wanted !== "postgres" && wanted !== "rest"

type Known = Omit<TestDatabase, "shared"> & { readonly at?: string }

const embedded = "PGlite"

const pglite: ReadonlyArray<Known> =
  wanted === "postgres" ? [] : [{ name: embedded, layerAt: layerPglite }]

const postgres = (): ReadonlyArray<Known> => {
  if (url !== "")
    return [{ name: "PostgreSQL at TEST_DATABASE_URL", layerAt: layerPostgres, at: url }]
  if (["", "pglite", "short"].includes(wanted)) return []
  return Object.keys(postgresPackages).map((version) => ({
    name: `PostgreSQL ${version}`,
    layerAt: layerPostgres
  }))
}

/** The databases of this run, asked for as soon as a file needs any. */
const databases: ReadonlyArray<TestDatabase> = await Promise.all(
  [...pglite, ...postgres()].map(async (one) => ({
    name: one.name,
    layerAt: one.layerAt,
    shared:
      one.at === undefined ? await ask(one.name.split(" ").at(-1)!.toLowerCase()) : { at: one.at }
  }))
)

interface SuiteChoices {
  /** Whether it takes long on PGlite. */
  readonly isLong?: boolean | undefined
}

/**
 * Registers the tests of `register`, under a name that says which database it is on. Where the
 * machine can't run one, a skipped test says why, or in CI a failed one.
 */
export const onEveryDatabase = (
  name: string,
  register: (name: string, database: DatabaseLayer) => void,
  { isLong = false }: SuiteChoices = {}
): void => {
  for (const { layerAt, name: databaseName, shared } of databases) {
    const fullName = `${name} on ${databaseName}`
    // Each suite is on PGlite in one of the two runs.
    const isElsewhere = wanted === (isLong ? "short" : "rest") && databaseName === embedded
    if (isElsewhere && !isLong) continue
    if (isElsewhere) describe(fullName, () => it.skip("runs (skipped: npm run test:all has it)"))
    else if ("at" in shared) register(fullName, layerAt(shared.at))
    else if (mayLeaveOut) describe(fullName, () => it.skip(`runs (skipped: ${shared.reason})`))
    else describe(fullName, () => it("runs", () => assert.fail(shared.reason)))
  }
}

/** The stores that a suite is about, over an empty database. */
export type StoreLayer = ReturnType<typeof storesOver>

/** The time of Effect's `Clock` as that of the store, because tests can't turn a database's clock. */
const clockTime = Layer.succeed(StoreTime, (sql) =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => sql`${nowMs}::float8`)
)

const storesOver = (database: DatabaseLayer) =>
  PostgresStore.layerAlone.pipe(Layer.provide(clockTime), Layer.provideMerge(database), Layer.orDie)

/** Registers a suite once for each database, on the stores over it. */
export const onEveryStore = (
  name: string,
  register: (name: string, stores: StoreLayer) => void,
  choices: SuiteChoices = {}
): void =>
  onEveryDatabase(name, (fullName, database) => register(fullName, storesOver(database)), choices)
