/**
 * The time that an account with many bots waits for its overview, and for 30 days of its equity.
 *
 * Before anything is printed, the equity of the newest day must be the sum of the newest points.
 * Runs on PostgreSQL 18, with four points a day of each bot. Run it with
 *
 *   npm run bench:overview -- [bots]
 */
import { AccountStore, BotStateStore, BotStore, Portfolio } from "../packages/core/src/index.ts"
import { makeSnapshot } from "../packages/core/src/services/bots/botSession.ts"
import { accountRecord, botRecord, botStateRecord } from "../packages/core/src/testing/records.ts"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Postgres, PostgresStore } from "../packages/store-postgres/src/index.ts"
import { startPostgres } from "../packages/store-postgres/test/databases/startPostgres.ts"

const botCount = Number(process.argv[2] ?? 10_000)
const days = 31
const pointsPerDay = 4
const runs = 5
const dayMs = 86_400_000
const newestMs = Date.UTC(2026, 0, 31, 18)
const firstMs = newestMs - (days * pointsPerDay - 1) * (dayMs / pointsPerDay)
const equity = 10_100

const seed = Effect.gen(function* () {
  const account = accountRecord()
  yield* (yield* AccountStore).insert(account)
  const [bots, states] = [yield* BotStore, yield* BotStateStore]
  const snapshot = structuredClone(makeSnapshot(10_000, [], null, 0))
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(
    Array.from({ length: botCount }),
    Effect.fnUntraced(function* () {
      const bot = yield* bots.insert(botRecord({ account_id: account.id }))
      const state = { bot_id: bot.id, cursor: newestMs, snapshot: snapshot as never }
      yield* states.put(botStateRecord(state))
      yield* sql`insert into bot_equity (bot_id, at_ms, time, equity)
        select ${bot.id}, point.at_ms, '2026-01-01T00:00:00.000Z', ${equity}
        from generate_series(${firstMs}::bigint, ${newestMs}::bigint,
          ${dayMs / pointsPerDay}::bigint) as point (at_ms)`
    }),
    { concurrency: 8, discard: true }
  )
  yield* sql`analyze bot_equity`
  return account.id
})

const timed = Effect.fnUntraced(function* <A, E, R>(name: string, work: Effect.Effect<A, E, R>) {
  const took: Array<number> = []
  for (let run = 0; run < runs; run++) {
    const startedMs = performance.now()
    yield* work
    took.push(performance.now() - startedMs)
  }
  const [least, , median, , most] = took.toSorted((one, other) => one - other)
  console.log(
    `${name.padEnd(20)} ${median!.toFixed(0)} ms (${least!.toFixed(0)}–${most!.toFixed(0)})`
  )
})

const measure = Effect.gen(function* () {
  const accountId = yield* seed
  const portfolio = yield* Portfolio
  const [newest] = yield* portfolio.equity(accountId, 30)
  if (newest?.equity !== botCount * equity) throw new Error(`the newest day has ${newest?.equity}`)
  console.log(`${botCount.toLocaleString("en")} bots, ${runs} times each: median (range)`)
  yield* timed("overview", portfolio.overview(accountId))
  yield* timed("performance", portfolio.performance(accountId))
  yield* timed("equity of 30 days", portfolio.equity(accountId, 30))
})

const server = await startPostgres(18)
try {
  const database = Postgres.layer({ url: server.url })
  const stores = PostgresStore.layerAlone.pipe(Layer.provideMerge(database))
  const services = Portfolio.layer.pipe(Layer.provideMerge(stores))
  await Effect.runPromise(Effect.provide(measure, services))
} finally {
  await server.stop()
}
