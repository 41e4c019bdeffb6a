/**
 * The schema's history, on every database.
 */
import {
  BacktestStore,
  CandleStore,
  copyColumns,
  EndpointStore,
  makeRevision,
  marketOf,
  MarketStore,
  OrderStore,
  sharedOwner
} from "@candlewick/core"
import {
  backtestRecord,
  endpointRecord,
  marketRecord,
  randomWalk,
  seriesRecord,
  testId,
  testSymbol,
  tradeRecord
} from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Struct } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { chunksOf } from "../src/internal/candleChunks.ts"
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
        const chat = { format: "candlewick", chat_id: null, sealed_url: null } as const
        const { payload: _added, ...whole } = endpointRecord(chat)
        const old = Struct.omit(whole, ["format", "chat_id", "sealed_url"])
        const record = JSON.stringify(old)
        yield* sql`insert into webhooks (id, account_id, version, max_concurrency, health, record)
          values (${old.id}, ${old.account_id}, 1, 4, '{}', ${record})`
        yield* sql`insert into webhook_sequences (webhook_id, last) values (${old.id}, 0)`
        const store = Layer.provide(
          PostgresStore.layerAlone,
          Layer.succeed(SqlClient.SqlClient, sql)
        )
        const found = yield* Effect.flatMap(EndpointStore, ({ getMany }) => getMany([old.id])).pipe(
          Effect.provide(store)
        )
        assert.deepStrictEqual(found, [{ ...old, ...chat, payload: "plain" }])
      }).pipe(Effect.provide(database))
    )

    it.live("give candles and markets that were kept before to everybody, as they were", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const before = Object.entries(migrations).filter(([step]) => step < "0034")
        yield* Migrator.make({})({
          loader: Migrator.fromRecord(Object.fromEntries(before)),
          table: "candlewick_migrations"
        })
        const columns = randomWalk(3, { count: 300 })
        // U+0000 is in no text of SQL, and in a record it may be.
        const { owner: _owner, ...series } = seriesRecord({ source: "a\u0000b" })
        const { symbol, timeframe } = series
        const other = testSymbol()
        yield* sql`insert into candle_series
          ${sql.insert({ symbol, timeframe, record: JSON.stringify(series) })}`
        for (const chunk of chunksOf(timeframe, columns)) {
          yield* sql`insert into candle_chunks ${sql.insert({ symbol, timeframe, ...chunk })}`
        }
        for (const market of [marketOf(symbol, { tick: 0.5 }), marketOf(other)]) {
          const { fee_per_fill: _added, ...old } = market
          yield* sql`insert into markets
            ${sql.insert({ symbol: market.symbol, record: JSON.stringify(old) })}`
        }
        const [given, inferred, kept, loaded] = yield* Effect.gen(function* () {
          const candles = yield* CandleStore
          const markets = yield* MarketStore
          const key = { owner: sharedOwner, symbol, timeframe }
          return yield* Effect.all([
            markets.newest(sharedOwner, symbol),
            markets.newest(sharedOwner, other),
            candles.describe(key),
            candles.load(key)
          ])
        }).pipe(
          Effect.provide(
            Layer.provide(PostgresStore.layerAlone, Layer.succeed(SqlClient.SqlClient, sql))
          )
        )
        const terms = marketOf(symbol, { tick: 0.5 })
        assert.deepInclude(Option.getOrThrow(given), { ...terms, source: "given", revision: 1 })
        assert.deepInclude(Option.getOrThrow(inferred), {
          ...marketOf(other),
          source: "inferred",
          revision: 1
        })
        assert.deepStrictEqual(kept, Option.some({ ...series, owner: sharedOwner }))
        assert.deepStrictEqual(Option.map(loaded, copyColumns), Option.some(columns))
      }).pipe(Effect.provide(database))
    )

    it.live("narrow the lists of what was kept before as those of what comes", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const before = Object.entries(migrations).filter(([step]) => step < "0040")
        yield* Migrator.make({})({
          loader: Migrator.fromRecord(Object.fromEntries(before)),
          table: "candlewick_migrations"
        })
        const account = { account_id: testId("account") }
        const trade = tradeRecord({ ...account, symbol: "OLD/USD" })
        const record = JSON.stringify(trade)
        yield* sql`insert into trades
          ${sql.insert({ id: trade.id, ...account, bot_id: trade.bot_id, record })}`
        // U+0000 is in no text of SQL, and in a record it may be.
        const runs = ["no \u0000", "failed"].map((message) =>
          backtestRecord({ ...account, status: "failed", error: { code: "x", message } })
        )
        for (const run of runs) {
          const row = { id: run.id, ...account, is_unfinished: false, is_queued: false, version: 1 }
          yield* sql`insert into backtests
            ${sql.insert({ ...row, record: JSON.stringify(run) })}`
        }
        yield* migrate
        const [trades, failed, others] = yield* Effect.gen(function* () {
          const { listTrades } = yield* OrderStore
          const { list } = yield* BacktestStore
          const { account_id: accountId } = account
          const from = trade.executed_at
          return yield* Effect.all([
            listTrades(accountId, null, { limit: 9, symbol: "OLD/USD", from }),
            list(accountId, { limit: 9, status: "failed" }),
            list(accountId, { limit: 9, strategy_id: runs[0]!.strategy_id })
          ])
        }).pipe(
          Effect.provide(
            Layer.provide(PostgresStore.layerAlone, Layer.succeed(SqlClient.SqlClient, sql))
          )
        )
        assert.deepStrictEqual(trades.items, [trade])
        assert.deepStrictEqual(failed.items, runs.toReversed())
        assert.deepStrictEqual(others.items, [runs[0]!])
      }).pipe(Effect.provide(database))
    )

    it.live("hash the terms of markets anew, and leave the rest of a revision as it was", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const before = Object.entries(migrations).filter(([step]) => step < "0035")
        yield* Migrator.make({})({
          loader: Migrator.fromRecord(Object.fromEntries(before)),
          table: "candlewick_migrations"
        })
        const market = marketRecord()
        const { owner, revision, symbol } = market
        const record = JSON.stringify(market)
        yield* sql`insert into market_revisions ${sql.insert({ owner, symbol, revision, record })}`
        const store = Layer.provide(
          PostgresStore.layerAlone,
          Layer.succeed(SqlClient.SqlClient, sql)
        )
        const kept = yield* Effect.flatMap(MarketStore, ({ newest }) => newest(owner, symbol)).pipe(
          Effect.provide(store)
        )
        const { source, updated_at: at } = market
        const { hash } = yield* makeRevision({ owner, terms: market, source, before: null, at })
        assert.notStrictEqual(hash, market.hash)
        assert.deepStrictEqual(kept, Option.some({ ...market, hash }))
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
