/** Candles of a server over real services: looked at before, replaced, looked through, removed. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually, startBot, startServer, stores, symbol } from "./servedBots.ts"

const start = Date.UTC(2024, 0, 1)
const hourMs = 3_600_000
const query = `symbol=${symbol}&timeframe=1h`

/** Lists as ccxt writes them. */
const lists = (closes: ReadonlyArray<number>, from = 0) =>
  closes.map((close, at) => [start + (from + at) * hourMs, close, close, close, close, 1])

it.live("previews, replaces and inspects candles, and removes what no bot follows", () =>
  Effect.gen(function* () {
    const server = yield* startServer(stores.memory, "one")
    const { call } = server
    const { path } = yield* startBot(server, [100, 101, 102], 1_000)

    const rows = lists([102.5, 103, 104, 500, 105], 2)
    const preview = yield* call("POST", `/v1/candles/preview?symbol=${symbol}`, rows)
    assert.strictEqual(preview.status, 200, JSON.stringify(preview.body))
    assert.deepInclude(preview.body, { timeframe: "1h", candle_count: 5, would: null })
    assert.deepInclude(preview.body.reading, { format: "json", layout: "plain", time_unit: "ms" })
    assert.deepInclude(preview.body.errors[0], { code: "contradicts_kept", pointer: "#/rows/0" })

    const refused = yield* call("POST", `/v1/candles?${query}`, rows)
    assert.strictEqual(refused.status, 400)
    assert.strictEqual(refused.body.errors[0].pointer, "#/rows/0")
    const replaced = yield* call("POST", `/v1/candles?${query}&on_conflict=replace`, rows)
    assert.strictEqual(replaced.status, 200, JSON.stringify(replaced.body))
    assert.deepInclude(replaced.body, { revision: 2, candle_count: 7 })
    assert.deepInclude(replaced.body.imported, { added_count: 4, replaced_count: 1 })

    const found = yield* call("GET", `/v1/candles/findings?${query}`)
    assert.strictEqual(found.status, 200, JSON.stringify(found.body))
    assert.strictEqual(found.body.series.hash, replaced.body.hash)
    assert.deepStrictEqual(
      found.body.outliers.map((one: { readonly close: number }) => one.close),
      [500, 105]
    )

    const followed = yield* call("DELETE", `/v1/candles?${query}`)
    assert.deepStrictEqual([followed.status, followed.body.code], [409, "in_use"])
    assert.strictEqual((yield* call("POST", `${path}/stop`)).status, 200)
    yield* eventually(call("GET", path), ({ body }) => body.status === "stopped")
    assert.strictEqual((yield* call("DELETE", `/v1/candles?${query}`)).status, 204)
    assert.strictEqual((yield* call("DELETE", `/v1/candles?${query}`)).status, 404)
    assert.strictEqual((yield* call("GET", `/v1/candles/findings?${query}`)).status, 404)
  })
)

it.live("names the option that an import asks for, also where a preview finds it out", () =>
  Effect.gen(function* () {
    const server = yield* startServer(stores.memory, "one")
    const { call } = server
    yield* startBot(server, [100], 1_000)
    const rows = [{ date: "03/04/2024", open: 1, high: 2, low: 0.5, close: 1.5, volume: 1 }]
    const daily = `symbol=AAPL&currency=USD&timeframe=1d`
    const preview = yield* call("POST", `/v1/candles/preview?${daily}`, rows)
    assert.deepInclude(preview.body.errors[0], {
      code: "ambiguous",
      pointer: "#/query/date_order"
    })
    assert.strictEqual(preview.body.reading.ambiguities[0].settle, "date_order=month_first")
    const refused = yield* call("POST", `/v1/candles?${daily}`, rows)
    assert.deepStrictEqual(
      [refused.status, refused.body.errors[0].pointer],
      [400, "#/query/date_order"]
    )
    const kept = yield* call("POST", `/v1/candles?${daily}&date_order=day_first`, rows)
    assert.deepInclude(kept.body, { symbol: "AAPL/USD", first_at: "2024-04-03T00:00:00.000Z" })
  })
)
