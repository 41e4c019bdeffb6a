/** Candles in and out: CSV and JSON lines. */
import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { readCandles } from "../../src/server/candleImport.ts"
import { startServer } from "../server.ts"

const path = "/v1/candles?symbol=BTC%2FUSDT&timeframe=hourly&source=test"
const csv = { "content-type": "text/csv; charset=utf-8" }
const ndjson = { "content-type": "application/x-ndjson" }
const header = "time,open,high,low,close,volume"

it.live("imports CSV and JSON lines and exports both", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    const rows = `${header}\n0,1,2,0.5,1.5,10\n1970-01-01T01:00:00Z,1.5,2,1,1,0\r\n1970-01-01 02:00,1,1,1,1,1e3\n`
    const imported = yield* call("POST", path, rows, csv)
    assert.strictEqual(imported.status, 200, imported.text)
    assert.strictEqual(imported.json.timeframe, "1h")
    assert.strictEqual(imported.json.source, "test")
    assert.deepStrictEqual([...control.imported!.time], [0, 3_600_000, 7_200_000])
    assert.deepStrictEqual([...control.imported!.volume], [10, 0, 1000])

    const query = "?symbol=BTC%2FUSDT&timeframe=1h"
    const text = yield* call("GET", `/api/v1/candles/export${query}`)
    assert.strictEqual(text.headers.get("content-type"), "text/csv; charset=utf-8")
    assert.isTrue(text.text.startsWith(`${header}\n0,1,2,0.5,1.5,10\n`))
    const accept = { accept: "application/x-ndjson" }
    const lines = yield* call("GET", `/v1/candles/export${query}`, undefined, accept)
    assert.strictEqual(lines.text.trim().split("\n").length, 3)

    control.imported = undefined
    assert.strictEqual((yield* call("GET", `/v1/candles/export${query}`)).status, 404)
    assert.strictEqual((yield* call("POST", path, lines.text, ndjson)).status, 200)
    assert.strictEqual(control.imported!.length, 3)
  })
)

it.live("refuses rows that are none, with a pointer for each, and keeps nothing", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    const bad = yield* call("POST", path, `${header}\n0,1,2,0.5,1.5,10\nsoon,1,x,1,,1\n`, csv)
    assert.strictEqual(bad.status, 400)
    assert.strictEqual(bad.json.code, "validation_failed")
    assert.deepStrictEqual(
      bad.json.errors.map((fault: { pointer: string }) => fault.pointer),
      ["#/rows/1/time", "#/rows/1/high", "#/rows/1/close"]
    )
    const further = `${header}\nsoon,1,2,0.5,1.5,1\n3600000,1,2,0.5,1.5,1\n7200000,1,0.1,0.5,1.5,1\n`
    const both = yield* call("POST", path, further, csv)
    assert.deepStrictEqual(
      both.json.errors.map((fault: { pointer: string }) => fault.pointer),
      ["#/rows/0/time", "#/rows/2"]
    )
    const backwards = "&from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z"
    const range = yield* call("GET", `/v1/candles/export?symbol=A%2FB&timeframe=1h${backwards}`)
    assert.strictEqual(range.json.errors[0].pointer, "#/query/to")
    const noDay = yield* call(
      "GET",
      "/v1/candles/export?symbol=A%2FB&timeframe=1h&from=2026-02-30T00:00:00Z"
    )
    assert.deepStrictEqual([noDay.status, noDay.json.errors[0].pointer], [400, "#/query/from"])
    for (const [body, headers] of [
      ["open,high\n1,2\n", csv],
      [`${header}\n1,2\n`, csv],
      [`${header}\n"1,2`, csv],
      ["{}\n", ndjson],
      ["nonsense\n", ndjson],
      ['{"time":0,"open":1,"high":1,"low":1,"close":1,"volume":1,"more":1}\n', ndjson]
    ] as const) {
      const answer = yield* call("POST", path, body, headers)
      assert.strictEqual(answer.status, 400, body)
    }
    const many = `${header}\n${"x,1,1,1,1,1\n".repeat(5000)}`
    assert.strictEqual((yield* call("POST", path, many, csv)).json.errors.length, 100)
    assert.strictEqual((yield* call("POST", "/v1/candles?symbol=btc", header, csv)).status, 400)
    assert.isUndefined(control.imported)
  })
)

it.effect("reads a row that is cut anywhere between chunks", () =>
  Effect.gen(function* () {
    const rows = Array.from({ length: 300 }, (_, index) => `${index * 60_000},1,2,0.5,1.5,${index}`)
    const bytes = new TextEncoder().encode(`\uFEFF${header}\n${rows.join("\n")}`)
    for (const size of [1, 7, 64, 4096]) {
      const chunks: Array<Uint8Array> = []
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
      const columns = yield* readCandles(Stream.fromIterable(chunks), "csv", "1h")
      assert.strictEqual(columns.length, 300)
      assert.strictEqual(columns.volume[299], 299)
    }
  })
)

it.effect("stops at the limit of bytes without reading on", () =>
  Effect.gen(function* () {
    let pulled = 0
    const line = '{"time":0,"open":1,"high":1,"low":1,"close":1,"volume":1}\n'
    const endless = Stream.fromEffectRepeat(
      Effect.sync(() => {
        pulled += 1
        return new TextEncoder().encode(line)
      })
    )
    const refusal = yield* Effect.flip(readCandles(endless, "ndjson", "1h", 10 * line.length))
    assert.strictEqual(refusal.code, "payload_too_large")
    assert.strictEqual(pulled, 11)
  })
)

it.live("takes imports above the limit of other bodies", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    const rows = Array.from({ length: 60_000 }, (_, index) => `${index * 60_000},1,2,0.5,1.5,10`)
    const answer = yield* call("POST", path, `${header}\n${rows.join("\n")}\n`, csv)
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(control.imported!.length, 60_000)
  })
)
