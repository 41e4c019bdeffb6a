/**
 * Markets as callers write and read them, over HTTP, with real services and real stores: revisions,
 * faults, and what two accounts see of each other.
 */
import { Accounts } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { type Server, startServer, stores } from "./servedBots.ts"

/** The operator, whose key the server was given, and another account with a key of its own. */
const twoCallers = Effect.fnUntraced(function* (server: Server) {
  const accounts = yield* Effect.provide(Accounts, server.services)
  yield* accounts.ensureAdmin(server.key)
  const { account, secret } = yield* accounts.create("another")
  const asAnother = { authorization: `Bearer ${secret}` }
  const other = (method: string, path: string, body?: unknown) =>
    server.call(method, path, body, asAnother)
  return { accountId: account.id, operator: server.call, other, secret }
})

const csvOf = (closes: ReadonlyArray<number>): string =>
  [
    "time,open,high,low,close,volume",
    ...closes.map((close, index) => {
      const time = new Date(Date.UTC(2024, 0, 1, index)).toISOString()
      return `${time},${close},${close + 1},${close - 1},${close},10`
    })
  ].join("\n")

const importCsv = (server: Server, key: string, symbol: string, closes: ReadonlyArray<number>) =>
  Effect.promise(async () => {
    const query = new URLSearchParams({ symbol, timeframe: "1h" })
    const response = await fetch(`${server.baseUrl}/v1/candles?${query.toString()}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "text/csv" },
      body: csvOf(closes)
    })
    return { status: response.status, body: await response.json() }
  })

const marketsPage = readFileSync(new URL("../../../../docs/markets.md", import.meta.url), "utf8")

const found = (pattern: RegExp): string => {
  const [, text = ""] = pattern.exec(marketsPage) ?? []
  assert.isNotEmpty(text, String(pattern))
  return text
}

describe("POST and PUT /markets", () => {
  for (const [name, store] of Object.entries(stores)) {
    it.live(`make revisions that stay readable (${name})`, () =>
      Effect.gen(function* () {
        const server = yield* startServer(store, "one")
        const { operator: call } = yield* twoCallers(server)
        const made = yield* call("POST", "/v1/markets", {
          symbol: "ETH/USD",
          tick: 0.01,
          lot: 0.001,
          min_notional: 10,
          maker_rate: 0.0002,
          taker_rate: 0.0005,
          fee_per_fill: 0.1,
          spread_rate: 0.0001,
          slippage_rate: 0.0002,
          can_short: true,
          max_leverage: 3,
          funding_rate: 0.0001,
          funding_interval_hours: 8
        })
        assert.strictEqual(made.status, 201, JSON.stringify(made.body))
        const shown = { owner: "shared", source: "given", revision: 1, can_short: true }
        assert.deepInclude(made.body, { ...shown, max_leverage: 3, fee_per_fill: 0.1 })
        assert.strictEqual(made.headers.get("etag"), '"1"')
        const path = `/v1/markets/${made.body.id}`
        assert.strictEqual(made.headers.get("location"), path)

        const again = yield* call("POST", "/v1/markets", { symbol: "ETH/USD" })
        assert.strictEqual(again.status, 409)
        assert.strictEqual(again.body.code, "already_exists")
        assert.strictEqual(again.body.errors[0].pointer, "#/symbol")

        const late = yield* call("PUT", path, { tick: 0.05 }, { "if-match": '"7"' })
        assert.strictEqual(late.status, 412)
        const changed = yield* call("PUT", path, { tick: 0.05 }, { "if-match": '"1"' })
        assert.strictEqual(changed.status, 200, JSON.stringify(changed.body))
        assert.deepInclude(changed.body, { revision: 2, tick: 0.05, max_leverage: 3 })
        assert.strictEqual(changed.headers.get("etag"), '"2"')
        assert.notStrictEqual(changed.body.hash, made.body.hash)
        const same = yield* call("PUT", path, { tick: 0.05 })
        assert.deepStrictEqual(same.body, changed.body)

        for (const one of [path, "/api/v1/markets/ETH%2FUSD"]) {
          assert.deepStrictEqual((yield* call("GET", one)).body, changed.body)
          assert.deepStrictEqual((yield* call("GET", `${one}?revision=1`)).body, made.body)
          assert.strictEqual((yield* call("GET", `${one}?revision=3`)).status, 404)
          assert.strictEqual((yield* call("GET", `${one}?revision=0`)).status, 400)
        }
        const first = yield* call("GET", `${path}/revisions?limit=1`)
        assert.deepStrictEqual(first.body.data, [changed.body])
        const next = String(first.body.next_cursor)
        const second = yield* call("GET", `${path}/revisions?limit=1&cursor=${next}`)
        assert.deepStrictEqual(second.body.data, [made.body])
        assert.isFalse(second.body.has_more)
        const listed = yield* call("GET", "/v1/markets")
        assert.deepStrictEqual(listed.body.data, [changed.body])
        const unknown = yield* call("GET", "/v1/markets/mkt_00000000000000000000000000")
        assert.strictEqual(unknown.status, 404)
      }).pipe(Effect.scoped)
    )

    it.live(`give terms the hashes that the page on markets shows (${name})`, () =>
      Effect.gen(function* () {
        const { operator: call } = yield* twoCallers(yield* startServer(store, "one"))
        const request = JSON.parse(found(/-d '(.*)'/))
        const made = yield* call("POST", "/v1/markets", request)
        assert.deepInclude(made.body, JSON.parse(found(/this:\n\n```json\n([^`]*)```/)))
        // Nothing differs, in whatever order the store gives the terms back.
        const path = `/v1/markets/${made.body.id}`
        assert.deepStrictEqual((yield* call("PUT", path, {})).body, made.body)
        const turned = Object.fromEntries(Object.entries(request).slice(1).toReversed())
        assert.deepStrictEqual((yield* call("PUT", path, turned)).body, made.body)

        const symbol = "GBP/USD"
        yield* call("POST", "/v1/markets", { symbol, tick: 0.00001 })
        const rows = [
          ...marketsPage.matchAll(/^\| (\d) \| `([0-9a-f]{8})` \| (?:none|`(.*?)`) /gmu)
        ]
        assert.lengthOf(rows, 3)
        for (const [, revision, hash, change = "{}"] of rows) {
          const { body } = yield* call("PUT", "/v1/markets/GBP%2FUSD", JSON.parse(change))
          assert.strictEqual(String(body.revision), revision)
          assert.strictEqual(body.hash.slice(0, 8), hash)
        }
      }).pipe(Effect.scoped)
    )

    it.live(`keep the markets and candles of two accounts apart (${name})`, () =>
      Effect.gen(function* () {
        const server = yield* startServer(store, "one")
        const { accountId, operator, other, secret } = yield* twoCallers(server)
        const symbol = "SOL/USD"
        const shared = Array.from({ length: 40 }, (_, index) => 100 + (index % 5))
        const own = shared.map((close) => close * 2)
        assert.strictEqual((yield* importCsv(server, server.key, symbol, shared)).status, 200)
        const [market] = (yield* operator("GET", "/v1/markets")).body.data
        assert.deepInclude(market, { symbol, owner: "shared", source: "inferred", revision: 1 })

        // A shared market can be read by the other account, and not written.
        assert.deepStrictEqual((yield* other("GET", "/v1/markets")).body.data, [market])
        const refused = yield* other("PUT", `/v1/markets/${market.id}`, { can_short: true })
        assert.strictEqual(refused.status, 422, JSON.stringify(refused.body))

        const kept = yield* importCsv(server, secret, symbol, own)
        assert.deepInclude(kept.body, { owner: accountId, candle_count: 40 })
        assert.match(
          kept.body.warnings[0],
          /its own candles, 40 of 1h, and not the shared ones, 40 of/
        )
        const made = yield* other("POST", "/v1/markets", { symbol, can_short: true })
        assert.strictEqual(made.status, 201, JSON.stringify(made.body))
        assert.deepInclude(made.body, { owner: accountId, revision: 1, can_short: true })

        assert.deepStrictEqual((yield* operator("GET", "/v1/markets")).body.data, [market])
        const seen = (yield* other("GET", "/v1/markets")).body.data
        assert.deepStrictEqual(seen, [made.body, market])
        const hidden = yield* operator("GET", `/v1/markets/${made.body.id}`)
        assert.strictEqual(hidden.status, 404)
        const series = (yield* operator("GET", "/v1/candles")).body.data
        assert.deepStrictEqual(
          series.map(({ owner }: { owner: string }) => owner),
          ["shared"]
        )

        const exported = (key: string, more = "") =>
          Effect.promise(async () => {
            const query = `symbol=SOL%2FUSD&timeframe=1h${more}`
            const response = await fetch(`${server.baseUrl}/v1/candles/export?${query}`, {
              headers: { authorization: `Bearer ${key}` }
            })
            return (await response.text()).split("\n")[1]?.split(",")[4]
          })
        assert.strictEqual(yield* exported(server.key), "100")
        assert.strictEqual(yield* exported(secret), "200")
        assert.strictEqual(yield* exported(secret, "&owner=shared"), "100")
      }).pipe(Effect.scoped)
    )
  }

  it.live("name each term that is out of bounds, and unknown ones", () =>
    Effect.gen(function* () {
      const server = yield* startServer(stores.memory, "one")
      const { operator: call } = yield* twoCallers(server)
      const symbol = "BAD/USD"
      for (const [field, value] of [
        ["tick", 0],
        ["tick", -0.01],
        ["lot", 0],
        ["min_notional", -1],
        ["maker_rate", 1],
        ["taker_rate", -0.5],
        ["fee_per_fill", -0.1],
        ["spread_rate", 1],
        ["spread_rate", -0.001],
        ["slippage_rate", -0.001],
        ["can_short", "yes"],
        ["max_leverage", 0.5],
        ["max_leverage", 1e9],
        ["funding_rate", 2],
        ["funding_interval_hours", 0],
        ["funding_interval_hours", 1e-300],
        ["volume_share_max", 2],
        ["source", "inferred"],
        ["leverage", 2],
        ["synthetic", true]
      ] as const) {
        const { body, status } = yield* call("POST", "/v1/markets", { symbol, [field]: value })
        assert.strictEqual(status, 400, `${field} ${value}`)
        assert.strictEqual(body.code, "validation_failed")
        assert.strictEqual(body.errors[0].pointer, `#/${field}`)
      }
      for (const wrong of ["BAD", "bad/usd", ""]) {
        const { body, status } = yield* call("POST", "/v1/markets", { symbol: wrong })
        assert.strictEqual(status, 400)
        assert.strictEqual(body.errors[0].pointer, "#/symbol")
      }
      assert.deepStrictEqual((yield* call("GET", "/v1/markets")).body.data, [])
      yield* call("POST", "/v1/markets", { symbol })
      const renamed = yield* call("PUT", "/v1/markets/BAD%2FUSD", { symbol: "NEW/USD" })
      assert.strictEqual(renamed.status, 400)
    }).pipe(Effect.scoped)
  )

  it.live("ask for the scopes that candles ask for, and carry a repetition out once", () =>
    Effect.gen(function* () {
      const server = yield* startServer(stores.memory, "one")
      const { operator: call } = yield* twoCallers(server)
      const issued = yield* call("POST", "/v1/account/keys", {
        name: "reader",
        scopes: ["market:read"]
      })
      const reader = { authorization: `Bearer ${issued.body.secret}` }
      const request = { symbol: "ONE/USD", tick: 0.1 }
      const refused = yield* call("POST", "/v1/markets", request, reader)
      assert.strictEqual(refused.status, 403)
      assert.deepStrictEqual(refused.body.required_scopes, ["market:write"])
      const once = { "idempotency-key": "one-market" }
      const made = yield* call("POST", "/v1/markets", request, once)
      const repeated = yield* call("POST", "/v1/markets", request, once)
      assert.deepStrictEqual([made.status, repeated.status], [201, 201])
      assert.deepStrictEqual(repeated.body, made.body)
      const read = yield* call("GET", `/v1/markets/${made.body.id}`, undefined, reader)
      assert.deepStrictEqual(read.body, made.body)
    }).pipe(Effect.scoped)
  )
})
