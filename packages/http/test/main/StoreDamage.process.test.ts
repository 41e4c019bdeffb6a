/**
 * The whole server on an embedded store, a page or a file of which is damaged on the disk.
 */
import {
  Accounts,
  BotJournal,
  Bots,
  Candles,
  makeKnownDamage,
  operatorAccountId,
  StoreDamage,
  StoreHealth,
  Strategies,
  type StrategyDefinition
} from "@candlewick/core"
import { randomWalk } from "@candlewick/core/testing"
import { serve } from "@candlewick/http"
import { Pglite } from "@candlewick/store-postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { readFileSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { databaseDirectory } from "../../../store-postgres/test/embedded/temporaryDirectory.ts"
import { servicesOf } from "../../src/main/services.ts"
import { readSettings } from "../../src/main/settings.ts"
import { eventually } from "./servedBots.ts"

const apiKey = "a-key-of-the-tests-of-damage-0123456789"
const goneId = "bot_01J00000000000000000000000"
const pageBytes = 8192
const symbol = "DMG/USD"

const definition: StrategyDefinition = {
  format: 1,
  symbols: [symbol],
  timeframe: "1h",
  parameters: {},
  long: {
    enter: {
      type: "above",
      left: { type: "price", field: "close" },
      right: { type: "constant", value: 100 }
    }
  },
  sizing: { type: "fixed_quantity", quantity: 1 }
}

const servicesIn = (directory: string) => {
  const settings = readSettings({ CANDLEWICK_WORKERS: "1" })
  return servicesOf({ ...settings, store: { type: "embedded", directory } })
}

/** Keeps the equity of a bot that is no more. */
const fillEquity = (directory: string) =>
  Effect.gen(function* () {
    const journal = yield* BotJournal
    for (let day = 1; day <= 28; day++) {
      const time = new Date(Date.UTC(2026, 0, day)).toISOString()
      yield* journal.appendEquity(goneId, { time, equity: 1_000 + day })
    }
  }).pipe(Effect.provide(servicesIn(directory)))

/** Keeps a bot, with its first state. */
const fillBots = (directory: string) =>
  Effect.gen(function* () {
    yield* Effect.flatMap(Accounts, (accounts) => accounts.ensureAdmin(apiKey))
    yield* Effect.flatMap(Candles, (candles) =>
      candles.import(operatorAccountId, {
        key: { symbol, timeframe: "1h" },
        columns: randomWalk(1, { count: 50 })
      })
    )
    const strategy = yield* Effect.flatMap(Strategies, (strategies) =>
      strategies.write(operatorAccountId, { name: "damaged", definition })
    )
    const request = { name: "damaged", strategy_id: strategy.id, capital_allocation: 1_000 }
    return yield* Effect.flatMap(Bots, (bots) => bots.create(operatorAccountId, request))
  }).pipe(Effect.provide(servicesIn(directory)))

/** The file of a table, all of it written out. */
const fileOf = (table: string, directory: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // A table that is known to be small is read as a whole, and not by an index that misses pages.
    yield* sql`analyze`
    yield* sql`checkpoint`
    const [found] = yield* sql<{ path: string }>`select pg_relation_filepath(${table}) as path`
    return join(directory, "pg", found!.path)
  }).pipe(Effect.provide(Pglite.layer({ directory })))

/** Overwrites rows of each page of a file, as a failing disk does. */
const damage = (file: string): void => {
  const bytes = readFileSync(file)
  for (let end = pageBytes; end <= bytes.length; end += pageBytes) {
    bytes.fill(0xaa, end - pageBytes / 2, end)
  }
  writeFileSync(file, bytes)
}

const startServer = Effect.fnUntraced(function* (directory: string) {
  // A process remembers damage for good, and each server of this file begins without any.
  const damage = Layer.succeed(StoreDamage, makeKnownDamage())
  const services = yield* Layer.build(Layer.provideMerge(servicesIn(directory), damage))
  const { check, hindrance } = yield* Effect.provide(StoreHealth, services)
  const served = serve({
    host: "127.0.0.1",
    port: 0,
    checks: { store: check },
    accessLog: { write: () => undefined }
  }).pipe(Layer.provide(Layer.succeedContext(services)))
  const { address } = yield* Effect.provide(HttpServer.HttpServer, yield* Layer.build(served))
  const baseUrl = `http://127.0.0.1:${"port" in address ? address.port : 0}`
  const get = (path: string) =>
    Effect.promise(async () => {
      const headers = { authorization: `Bearer ${apiKey}` }
      const response = await fetch(baseUrl + path, { headers })
      return { status: response.status, text: await response.text() }
    })
  return { get, hindrance, services }
})

describe("a server whose database is damaged", () => {
  it.live(
    "is not ready from the moment at which it meets a bot without its state, whose file is empty",
    () =>
      Effect.gen(function* () {
        const directory = yield* databaseDirectory
        const { id } = yield* fillBots(directory)
        truncateSync(yield* fileOf("bot_states", directory), 0)
        const { get } = yield* startServer(directory)
        assert.strictEqual((yield* get(`/v1/bots/${id}`)).status, 200)
        for (const part of ["status", "performance", "expected"]) {
          const { status, text } = yield* get(`/v1/bots/${id}/${part}`)
          assert.strictEqual(status, 503, text)
          assert.include(text, '"unavailable"')
        }
        yield* Effect.sleep("1100 millis")
        const ready = yield* get("/readyz")
        assert.strictEqual(ready.status, 503)
        assert.include(ready.text, "store (a part of its data is damaged)")
        assert.match((yield* get("/metrics")).text, /candlewick_store_damages_total\S* [1-9]/)
      }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None")),
    240_000
  )

  it.live(
    "is not ready from the moment at which it meets a damaged page, and says why",
    () =>
      Effect.gen(function* () {
        const directory = yield* databaseDirectory
        const { id } = yield* fillBots(directory)
        yield* fillEquity(directory)
        damage(yield* fileOf("bot_equity", directory))
        const { get, hindrance, services } = yield* startServer(directory)
        assert.strictEqual((yield* get("/readyz")).status, 200)
        const journal = yield* Effect.provide(BotJournal, services)
        const error = yield* Effect.flip(journal.listEquity(goneId, { limit: 9 })).pipe(
          Effect.provide(services)
        )
        assert.strictEqual(error.reason._tag, "StoreDamaged")
        assert.isFalse(error.isRetryable)
        yield* Effect.sleep("1100 millis")
        const ready = yield* get("/readyz")
        assert.strictEqual(ready.status, 503)
        assert.include(ready.text, "store (a part of its data is damaged)")
        assert.strictEqual((yield* get("/healthz")).status, 200)
        assert.match((yield* get("/metrics")).text, /candlewick_store_damages_total\S* [1-9]/)
        // Paths outside the page are served on. A bot that starts waits at its first candle.
        yield* eventually(hindrance, (found) => found !== null)
        const bots = yield* Effect.provide(Bots, services)
        yield* bots.command(operatorAccountId, id, "start")
        const { text } = yield* eventually(get(`/v1/bots/${id}/status`), (answer) =>
          answer.text.includes('"status":"running"')
        )
        assert.include(text, '"kind":"damaged_store"')
        const shown = 'candlewick_bots_hindered{kind="damaged_store"} 1'
        yield* eventually(get("/metrics"), (metrics) => metrics.text.includes(shown))
      }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None")),
    240_000
  )
})
