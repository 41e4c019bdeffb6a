/**
 * The embedded database in its thread: what becomes of statements when the disk or the thread
 * fails, and afterwards.
 */
import { BotStore, Transactor } from "@candlewick/core"
import { botRecord, BotStoreSuite } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Schedule } from "effect"
import { cpSync, existsSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Reactivity } from "effect/reactivity"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Pglite, PostgresStore } from "../../src/index.ts"
import { openDatabaseThread } from "../../src/internal/DatabaseThread.ts"
import { type Fault, faultyWorker, makeFaults } from "./faults.ts"
import { databaseDirectory, temporaryDirectory } from "./temporaryDirectory.ts"

const withFaults = Effect.fnUntraced(function* () {
  const turn = makeFaults()
  const directory = yield* databaseDirectory
  const stores = PostgresStore.layerAlone.pipe(
    Layer.provideMerge(Pglite.layer({ directory, script: faultyWorker }))
  )
  const context = yield* Layer.build(stores)
  return { turn, context, directory }
})

const isKept = (bot: ReturnType<typeof botRecord>) =>
  Effect.flatMap(BotStore, ({ get }) => get(bot.account_id, bot.id)).pipe(Effect.map(Option.isSome))

/** Asks until the store answers, as probes and bots do. */
const untilUp = Effect.flatMap(BotStore, ({ listActive }) => listActive).pipe(
  Effect.retry(Schedule.spaced("100 millis")),
  Effect.timeout("30 seconds")
)

const stored = Layer.unwrap(
  Effect.map(databaseDirectory, (directory) =>
    PostgresStore.layerAlone.pipe(Layer.provideMerge(Pglite.layer({ directory })))
  )
).pipe(Layer.orDie)

BotStoreSuite.suite("BotStore in a thread", stored)

describe("the embedded database", { timeout: 180_000 }, () => {
  const faults: ReadonlyArray<Fault> = ["noWrites", "noSync", "crash"]
  for (const fault of faults) {
    it.live(`acknowledges nothing it can't keep, and recovers (${fault})`, () =>
      Effect.gen(function* () {
        const { context, turn } = yield* withFaults()
        yield* Effect.gen(function* () {
          const { insert } = yield* BotStore
          const { transact } = yield* Transactor
          const [before, during, within, after] = [
            botRecord(),
            botRecord(),
            botRecord(),
            botRecord()
          ]
          yield* insert(before)
          turn(fault)
          const error = yield* Effect.flip(insert(during))
          assert.strictEqual(error.reason._tag, "StoreUnavailable")
          const other = yield* Effect.flip(transact(insert(within)))
          assert.strictEqual(other.reason._tag, "StoreUnavailable")
          assert.isTrue(other.isRetryable)
          turn("none")
          yield* untilUp
          yield* insert(after)
          assert.isTrue(yield* isKept(before))
          assert.isTrue(yield* isKept(after))
          assert.isFalse(yield* isKept(within))
        }).pipe(Effect.provide(context))
      }).pipe(Effect.scoped)
    )
  }

  it.effect(
    "leaves nobody waiting behind a disk that hangs, and is as before once it goes on",
    () =>
      Effect.gen(function* () {
        const { context, turn } = yield* withFaults()
        yield* Effect.gen(function* () {
          const { insert } = yield* BotStore
          const { transact } = yield* Transactor
          const [before, during, within, after] = [
            botRecord(),
            botRecord(),
            botRecord(),
            botRecord()
          ]
          yield* insert(before)
          turn("slow")
          const fibers = yield* Effect.forEach(
            [insert(during), transact(insert(within)), Effect.asVoid(transact(isKept(before)))],
            (work) => Effect.forkChild(Effect.flip(work), { startImmediately: true })
          )
          // More than any of them is given: none of what they do comes to its end before.
          yield* TestClock.adjust("2 minutes")
          for (const { reason } of yield* Effect.forEach(fibers, Fiber.join)) {
            assert.strictEqual(reason._tag, "StoreUnavailable")
          }
          turn("none")
          yield* TestClock.withLive(untilUp)
          yield* insert(after)
          assert.isTrue(yield* isKept(before))
          assert.isTrue(yield* isKept(after))
        }).pipe(Effect.provide(context))
      }).pipe(Effect.scoped)
  )

  it.live("refuses what needs more room on a full disk, and goes on with the rest", () =>
    Effect.gen(function* () {
      const { context, turn } = yield* withFaults()
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table big (x text)`
        turn("noSpace")
        const fill = sql`insert into big select repeat('x', 1000) from generate_series(1, 20000)`
        yield* Effect.flip(fill)
        assert.deepStrictEqual(yield* sql`select count(*)::int as rows from big`, [{ rows: 0 }])
        turn("none")
        yield* fill
        assert.deepStrictEqual(yield* sql`select count(*)::int as rows from big`, [{ rows: 20000 }])
      }).pipe(Effect.provide(context))
    }).pipe(Effect.scoped)
  )

  it.live("begins again where its making was cut off", () =>
    Effect.gen(function* () {
      const directory = join(yield* temporaryDirectory, "data")
      const open = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1 as one`).pipe(
        Effect.provide(Pglite.layer({ directory }))
      )
      yield* open
      assert.isFalse(existsSync(join(directory, "pg.unfinished")))
      writeFileSync(join(directory, "pg.unfinished"), "")
      writeFileSync(join(directory, "pg", "global", "pg_control"), "half")
      assert.deepStrictEqual(yield* open, [{ one: 1 }])
      assert.strictEqual(statSync(directory).mode & 0o777, 0o700)
    }).pipe(Effect.scoped)
  )

  it.live("is whole in a copy of its directory that was made while nobody used it", () =>
    Effect.gen(function* () {
      const directory = yield* databaseDirectory
      const copy = join(yield* temporaryDirectory, "restored")
      const over = (path: string) =>
        PostgresStore.layerAlone.pipe(Layer.provideMerge(Pglite.layer({ directory: path })))
      const bots = [botRecord(), botRecord()]
      const insert = Effect.flatMap(BotStore, (store) => Effect.forEach(bots, store.insert))
      yield* Effect.provide(insert, over(directory))
      cpSync(directory, copy, { recursive: true })
      const kept = yield* Effect.provide(Effect.forEach(bots, isKept), over(copy))
      assert.deepStrictEqual(kept, [true, true])
    }).pipe(Effect.scoped)
  )

  it.live("says why it can't be opened", () =>
    Effect.gen(function* () {
      const directory = yield* databaseDirectory
      const open = Effect.provide(SqlClient.SqlClient, Pglite.layer({ directory }))
      writeFileSync(join(directory, "pg", "PG_VERSION"), "12\n")
      const error = yield* Effect.flip(open)
      assert.include(error.message, `the database in ${directory} could not be opened`)
      assert.include(error.message, "incompatible")
    }).pipe(Effect.scoped)
  )

  it.live("writes data files when its log has grown", () =>
    Effect.gen(function* () {
      const directory = yield* databaseDirectory
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table big (x text)`
        const position = sql<{ readonly at: string }>`
          select redo_lsn::text as at from pg_control_checkpoint()`
        const [before] = yield* position
        yield* sql`insert into big select repeat('x', 1000) from generate_series(1, 3000)`
        yield* sql`select 1`
        const [after] = yield* position
        assert.notStrictEqual(after!.at, before!.at)
      }).pipe(Effect.provide(Pglite.layer({ directory, checkpointMegabytes: 1 })))
    }).pipe(Effect.scoped)
  )

  it.live("clears tables in which much was deleted", () =>
    Effect.gen(function* () {
      const directory = yield* databaseDirectory
      const { connect } = yield* openDatabaseThread({
        directory,
        checkpointBytes: 1e9,
        upkeepMs: 200
      })
      const sql = yield* PgClient.makeClient({
        stream: connect,
        username: "postgres",
        database: "postgres"
      }).pipe(Effect.provide(Reactivity.layer))
      yield* sql`create table big as select g from generate_series(1, 20000) g`
      yield* sql`delete from big where g > 100`
      const clearings = sql<{ readonly clearings: number }>`
        select vacuum_count::int as clearings from pg_stat_user_tables where relname = 'big'`
      yield* clearings.pipe(
        Effect.filterOrFail(([row]) => row!.clearings > 0),
        Effect.retry(Schedule.spaced("200 millis")),
        Effect.timeout("30 seconds")
      )
    }).pipe(Effect.scoped)
  )
})
