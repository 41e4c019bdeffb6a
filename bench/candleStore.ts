/**
 * Candles in SQL: chunks of columns against one row a candle.
 *
 * Both ways are given the same candles and must give them back to the last bit before anything is
 * measured. The rows are written as quickly as SQL takes them, in arrays of a column each, and read
 * back into columns. Runs on PGlite in its thread and on PostgreSQL 18 (or the server that
 * `DATABASE_URL` names), both of which wait for the disk. Run it with
 *
 *   npm run bench:candles -- [candles] [rounds]
 */
import { CandleStore } from "../packages/core/src/index.ts"
import {
  type CandleColumns,
  columnNames,
  makeColumns
} from "../packages/engine/src/kernel/index.ts"
import { randomWalk } from "../packages/engine/src/testing/randomCandles.ts"
import { seriesRecord } from "../packages/core/src/testing/records.ts"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Pglite, PostgresStore } from "../packages/store-postgres/src/index.ts"
import * as Postgres from "../packages/store-postgres/src/Postgres.ts"
import { startPostgres } from "../packages/store-postgres/test/databases/startPostgres.ts"

const candleCount = Number(process.argv[2] ?? 1_000_000)
const rounds = Number(process.argv[3] ?? 3)
const rowsPerStatement = 10_000
const stepMs = 60_000

type Row = Readonly<Record<(typeof columnNames)[number], number>>

/** One way to keep candles. */
interface Way {
  readonly name: string
  readonly write: (columns: CandleColumns) => Effect.Effect<unknown, unknown>
  readonly read: Effect.Effect<CandleColumns, unknown>
}

const chunks: Effect.Effect<Way, never, CandleStore> = Effect.map(CandleStore, (store) => {
  const series = seriesRecord({ symbol: "CHUNKS/USD", timeframe: "1m" })
  return {
    name: "chunks of columns",
    write: (columns) => store.put(series, columns),
    read: Effect.map(store.load(series), Option.getOrThrow)
  }
})

const rows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table candle_rows (
    symbol text not null, timeframe text not null, time bigint not null,
    open float8 not null, high float8 not null, low float8 not null,
    close float8 not null, volume float8 not null,
    primary key (symbol, timeframe, time))`
  const insert = (columns: CandleColumns, from: number) => {
    const part = (name: (typeof columnNames)[number]) => [
      ...columns[name].subarray(from, from + rowsPerStatement)
    ]
    return sql`insert into candle_rows
      select 'ROWS/USD', '1m', * from unnest(${part("time")}::float8[], ${part("open")}::float8[],
        ${part("high")}::float8[], ${part("low")}::float8[], ${part("close")}::float8[],
        ${part("volume")}::float8[])`
  }
  const way: Way = {
    name: "one row a candle",
    write: (columns) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`delete from candle_rows`
          for (let from = 0; from < columns.length; from += rowsPerStatement) {
            yield* insert(columns, from)
          }
        })
      ),
    read: Effect.map(
      sql<Row>`select time::float8, open, high, low, close, volume from candle_rows
        where symbol = 'ROWS/USD' and timeframe = '1m' order by time`,
      (found) => {
        const columns = makeColumns(found.length)
        found.forEach((row, index) => {
          for (const name of columnNames) columns[name][index] = row[name]
        })
        return columns
      }
    )
  }
  return way
})

const isSame = (one: CandleColumns, other: CandleColumns): boolean =>
  one.length === other.length &&
  columnNames.every((name) => one[name].every((value, index) => value === other[name][index]))

const seconds = <E>(effect: Effect.Effect<unknown, E>) =>
  Effect.gen(function* () {
    const startedMs = performance.now()
    yield* effect
    return (performance.now() - startedMs) / 1_000
  })

/** The quickest of some rounds, because whatever else the machine does only adds. */
const best = <E>(effect: Effect.Effect<unknown, E>) =>
  Effect.map(Effect.replicateEffect(seconds(effect), rounds), (all) => Math.min(...all))

const perSecond = (count: number, took: number): string =>
  `${Math.round(count / took)
    .toLocaleString("en")
    .padStart(12)} candles/s`

const measure = Effect.fnUntraced(function* (database: string) {
  const columns = randomWalk(1, { count: candleCount + 1, stepMs })
  const { length } = columns
  const before = makeColumns(length - 1)
  for (const name of columnNames) before[name].set(columns[name].subarray(0, length - 1))
  const ways = [yield* chunks, yield* rows]
  for (const { name, read, write } of ways) {
    yield* write(before)
    if (!isSame(yield* read, before)) throw new Error(`${name} gave back other candles`)
  }
  console.log(`${database}, ${candleCount.toLocaleString("en")} candles, best of ${rounds}`)
  for (const { name, read, write } of ways) {
    // Chunks that are there already would not be written.
    const imported = yield* best(Effect.andThen(write(makeColumns(0)), write(before)))
    const loaded = yield* best(read)
    console.log(
      `  ${name.padEnd(18)} import ${perSecond(candleCount, imported)}  load ${perSecond(candleCount, loaded)}`
    )
  }
  const [chunked] = ways
  const appended = yield* best(Effect.andThen(chunked!.write(columns), chunked!.write(before)))
  console.log(
    `  one candle more, and one less, of that many: ${(appended * 500).toFixed(1)} ms each`
  )
})

const on = <E>(name: string, client: Layer.Layer<SqlClient.SqlClient, E>): Promise<void> =>
  Effect.runPromise(
    measure(name).pipe(Effect.provide(PostgresStore.layerAlone.pipe(Layer.provideMerge(client))))
  )

const folder = await mkdtemp(join(tmpdir(), "candlewick-candles-"))
try {
  await on("PGlite", Pglite.layer({ directory: join(folder, "data") }))
} finally {
  await rm(folder, { recursive: true, force: true })
}
const { DATABASE_URL: url } = process.env
if (url === undefined) {
  const server = await startPostgres(18, { isDurable: true })
  await on("PostgreSQL 18", Postgres.layer({ url: server.url })).finally(server.stop)
} else {
  await on("PostgreSQL at DATABASE_URL", Postgres.layer({ url }))
}
