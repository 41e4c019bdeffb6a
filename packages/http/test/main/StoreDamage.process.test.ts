/**
 * The whole server on an embedded store, a page of which is damaged on the disk.
 */
import { operatorAccountId, Accounts, Bots, BotJournal, StoreHealth } from "@candlewick/core"
import { serve } from "@candlewick/http"
import { Pglite } from "@candlewick/store-postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { databaseDirectory } from "../../../store-postgres/test/embedded/temporaryDirectory.ts"
import { servicesOf } from "../../src/main/services.ts"
import { readSettings } from "../../src/main/settings.ts"

const apiKey = "a-key-of-the-tests-of-damage-0123456789"
const botId = "bot_01J00000000000000000000000"
const pageBytes = 8192

const servicesIn = (directory: string) => {
  const settings = readSettings({ CANDLEWICK_WORKERS: "1" })
  return servicesOf({ ...settings, store: { type: "embedded", directory } })
}

/** Keeps lines of a log. */
const fillLog = (directory: string) =>
  Effect.gen(function* () {
    const journal = yield* BotJournal
    yield* Effect.flatMap(Accounts, (accounts) => accounts.ensureAdmin(apiKey))
    for (let line = 0; line < 50; line++) {
      const timestamp = "2026-01-01T00:00:00.000Z"
      const entry = { bot_id: botId, timestamp, level: "info", event: "line", data: {} } as const
      yield* journal.append({ ...entry, message: `line ${line}` })
    }
  }).pipe(Effect.provide(servicesIn(directory)))

/** The file that holds the lines, all of them written out. */
const fileOfLog = (directory: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`checkpoint`
    const [found] = yield* sql<{ path: string }>`select pg_relation_filepath('bot_logs') as path`
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
  const services = yield* Layer.build(servicesIn(directory))
  const { check } = yield* Effect.provide(StoreHealth, services)
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
  return { get, services }
})

describe("a server whose database has a damaged page", () => {
  it.live(
    "is not ready from the moment at which it meets the page, and says why",
    () =>
      Effect.gen(function* () {
        const directory = yield* databaseDirectory
        yield* fillLog(directory)
        damage(yield* fileOfLog(directory))
        const { get, services } = yield* startServer(directory)
        assert.strictEqual((yield* get("/readyz")).status, 200)
        const journal = yield* Effect.provide(BotJournal, services)
        const error = yield* Effect.flip(journal.list(botId, { limit: 9 }))
        assert.strictEqual(error.reason._tag, "StoreDamaged")
        assert.isFalse(error.isRetryable)
        yield* Effect.sleep("1100 millis")
        const ready = yield* get("/readyz")
        assert.strictEqual(ready.status, 503)
        assert.include(ready.text, "store (a part of its data is damaged)")
        assert.strictEqual((yield* get("/healthz")).status, 200)
        assert.match((yield* get("/metrics")).text, /candlewick_store_damages_total\S* [1-9]/)
        // A path outside the page is served on.
        const bots = yield* Effect.provide(Bots, services)
        assert.deepStrictEqual((yield* bots.list(operatorAccountId, { limit: 9 })).items, [])
      }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None")),
    240_000
  )
})
