/** Candles in and out: CSV, JSON lines and candle files. */
import { marketRecord } from "@candlewick/core/testing"
import { request } from "node:http"
import { Limits, readCandleTable } from "@candlewick/core"
import {
  type CandleColumns,
  type CandleFileAbout,
  columnNames,
  makeColumns,
  readCandleFile,
  writeCandleFile
} from "@candlewick/core/kernel"
import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { readCandleFileOf } from "../../src/server/candleFileImport.ts"
import { fullKey } from "../fakes.ts"
import { startServer } from "../server.ts"

const path = "/v1/candles?symbol=BTC%2FUSDT&timeframe=hourly&source=test"
const csv = { "content-type": "text/csv; charset=utf-8" }
const ndjson = { "content-type": "application/x-ndjson" }
const candleFile = { "content-type": "application/vnd.candlewick.candles" }
const key = { symbol: "BTC/USDT", timeframe: "1h" } as const
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

it.live("exports no candle of a range that ends before it begins, as lists have no row there", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const csv = { "content-type": "text/csv" }
    const rows = "0,1,2,0.5,1.5,1\n3600000,1,2,0.5,1.5,1\n"
    yield* call("POST", "/v1/candles?symbol=A%2FB&timeframe=1h", `${header}\n${rows}`, csv)
    const ranged = Effect.fnUntraced(function* (from: string, to: string) {
      const range = `&from=1970-01-01T0${from}:00:00Z&to=1970-01-01T0${to}:00:00Z`
      const answer = yield* call("GET", `/v1/candles/export?symbol=A%2FB&timeframe=1h${range}`)
      assert.strictEqual(answer.status, 200, answer.text)
      return answer.text
    })
    assert.strictEqual(yield* ranged("0", "2"), `${header}\n${rows}`)
    assert.strictEqual(yield* ranged("1", "0"), `${header}\n`)
    assert.strictEqual(yield* ranged("1", "1"), `${header}\n`)
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
      ['{"time":0,"open":1,"high":1,"low":1,"volume":1,"more":1}\n', ndjson]
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

it.effect("reads decimal numbers alone, with an exponent where they have one", () =>
  Effect.gen(function* () {
    const read = (text: string) =>
      readCandleTable(Stream.succeed(new TextEncoder().encode(text)), key)
    const row = "0, 1.5e1 ,+2E+1,.5,7.,1e-3"
    const { columns } = yield* read(`${header}\n${row}\n`)
    assert.deepStrictEqual(
      [columns.open[0], columns.high[0], columns.low[0], columns.close[0], columns.volume[0]],
      [15, 20, 0.5, 7, 0.001]
    )
    for (const text of [
      "0x1",
      "0b1",
      "0o7",
      "1_000",
      "Infinity",
      "1e999",
      "1,23,4",
      "e1",
      ".",
      "٣"
    ]) {
      const csvText = `${header}\n0,1,1,1,1,1\n3600000,1,1,1,1,"${text}"\n`
      const line = { time: 0, open: 1, high: 1, low: 1, close: 1, volume: text }
      const inCsv = yield* read(csvText)
      const inLine = yield* read(JSON.stringify(line))
      const message = `Expected a finite decimal number, found "${text}"`
      const fault = { code: "not_valid", message }
      assert.deepStrictEqual(inCsv.faults, [{ ...fault, pointer: "#/rows/1/volume" }], text)
      assert.deepStrictEqual(inLine.faults, [{ ...fault, pointer: "#/rows/0/volume" }], text)
    }
  })
)

it.effect("reads a row that is cut anywhere between chunks", () =>
  Effect.gen(function* () {
    const rows = Array.from({ length: 300 }, (_, index) => `${index * 60_000},1,2,0.5,1.5,${index}`)
    const bytes = new TextEncoder().encode(`\uFEFF${header}\n${rows.join("\n")}`)
    for (const size of [1, 7, 64, 4096]) {
      const chunks: Array<Uint8Array> = []
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
      const { columns } = yield* readCandleTable(Stream.fromIterable(chunks), key)
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
    const refusal = yield* Effect.flip(readCandleTable(endless, key, 10 * line.length))
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

const about: CandleFileAbout = {
  symbol: "BTC/USDT",
  timeframeMs: 3_600_000,
  tick: 0.5,
  isSynthetic: false,
  source: "an exchange"
}

const hours = (length: number): CandleColumns => {
  const columns = makeColumns(length)
  for (let row = 0; row < length; row++) {
    columnNames.forEach((name) => (columns[name][row] = 1 / (row + 3)))
    columns.time[row] = row * 3_600_000
  }
  return columns
}

it.live("imports a candle file and exports the same bytes", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    // Longer than a piece of the answer.
    const file = writeCandleFile(hours(6000), about)
    const plain = "/v1/candles?symbol=BTC%2FUSDT&timeframe=1h"
    const imported = yield* call("POST", plain, file, candleFile)
    assert.strictEqual(imported.status, 200, imported.text)
    assert.strictEqual(imported.json.source, "an exchange")
    assert.deepStrictEqual(control.importedAs, { synthetic: false, market: { tick: 0.5 } })
    for (const name of columnNames) {
      assert.deepStrictEqual([...control.imported![name]], [...hours(6000)[name]])
    }

    control.markets = [
      marketRecord({ symbol: "ETH/USDT", tick: 2 }),
      marketRecord({ symbol: "BTC/USDT", tick: 0.5 })
    ]
    const query = "?symbol=BTC%2FUSDT&timeframe=1h"
    const exported = yield* call("GET", `/v1/candles/export${query}`, undefined, {
      accept: "application/vnd.candlewick.candles"
    })
    assert.strictEqual(exported.status, 200)
    assert.strictEqual(exported.headers.get("content-type"), "application/vnd.candlewick.candles")
    assert.deepStrictEqual(exported.bytes, file)
  })
)

it.live("keeps what the address and the market say, and the file's word that it is synthetic", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    control.markets = [marketRecord({ symbol: "BTC/USDT", tick: 0.25 })]
    const file = writeCandleFile(hours(2), { ...about, isSynthetic: true })
    const imported = yield* call("POST", path, file, candleFile)
    assert.strictEqual(imported.json.source, "test")
    assert.deepStrictEqual(control.importedAs, { synthetic: true, market: undefined })
    const { bytes } = yield* call(
      "GET",
      "/v1/candles/export?symbol=BTC%2FUSDT&timeframe=1h",
      undefined,
      { accept: "application/vnd.candlewick.candles" }
    )
    const read = readCandleFile(bytes)
    assert.strictEqual(read.type, "candles")
    assert.deepStrictEqual(read.type === "candles" && read.about, {
      ...about,
      tick: 0.25,
      isSynthetic: true,
      source: "test"
    })
    yield* call("POST", path, writeCandleFile(hours(2), { ...about, tick: 0 }), candleFile)
    assert.deepStrictEqual(control.importedAs, { synthetic: false, market: undefined })
  })
)

it.live("refuses a candle file that is not sound or not of this series, with a pointer", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    const file = writeCandleFile(hours(3), about)
    const changed = (at: number, byte: number): Uint8Array => {
      const bytes = file.slice()
      bytes[at]! ^= byte
      return bytes
    }
    const backwards = hours(3)
    backwards.time[2] = 0
    const other = { ...about, symbol: "ETH/USDT", timeframeMs: 60_000 }
    const cases: ReadonlyArray<readonly [Uint8Array | string, ReadonlyArray<string>]> = [
      [`${header}\n0,1,1,1,1,1\n`, ["#/header/magic not_a_candle_file"]],
      [changed(8, 2), ["#/header/version newer_version"]],
      [file.subarray(0, file.length - 1), ["# truncated"]],
      [file.subarray(0, 20), ["# truncated"]],
      [new Uint8Array(0), ["# truncated"]],
      [changed(40, 1), ["#/header checksum_mismatch"]],
      [changed(file.length - 1, 1), ["#/columns checksum_mismatch"]],
      [Uint8Array.of(...file, 0), ["#/header malformed"]],
      [writeCandleFile(backwards, about), ["#/rows/2 out_of_order"]],
      [
        writeCandleFile(hours(3), other),
        ["#/header/symbol not_valid", "#/header/timeframe_ms not_valid"]
      ],
      [
        writeCandleFile(hours(3), { ...about, source: "x".repeat(101) }),
        ["#/header/source not_valid"]
      ]
    ]
    for (const [body, expected] of cases) {
      const answer = yield* call("POST", path, body, candleFile)
      assert.strictEqual(answer.status, 400, answer.text)
      assert.strictEqual(answer.json.code, "validation_failed")
      assert.deepStrictEqual(
        answer.json.errors.map(
          ({ code, pointer }: { readonly code: string; readonly pointer: string }) =>
            `${pointer} ${code}`
        ),
        expected
      )
    }
    assert.strictEqual((yield* call("POST", path, file, csv)).status, 400)
    assert.isUndefined(control.imported)
  })
)

it.effect("reads a candle file that is cut anywhere, and no further than it must", () =>
  Effect.gen(function* () {
    const file = writeCandleFile(hours(3000), about)
    for (const size of [1000, 4096, 100_000, file.length]) {
      const chunks: Array<Uint8Array> = []
      for (let at = 0; at < file.length; at += size) chunks.push(file.subarray(at, at + size))
      const { columns } = yield* readCandleFileOf(Stream.fromIterable(chunks), key)
      assert.deepStrictEqual(columns.close, hours(3000).close)
    }
    let pulled = 0
    const endless = (chunk: Uint8Array) => {
      pulled = 0
      return Stream.fromEffectRepeat(
        Effect.sync(() => {
          pulled += 1
          return chunk
        })
      )
    }
    const rows = new TextEncoder().encode(header)
    const other = yield* Effect.flip(readCandleFileOf(endless(rows), key))
    assert.deepStrictEqual([other.code, pulled], ["validation_failed", 2])
    const part = file.subarray(0, 100)
    const large = yield* Effect.flip(readCandleFileOf(endless(part), key, 1000))
    assert.deepStrictEqual([large.code, pulled], ["payload_too_large", 11])
  })
)

it.live("refuses a candle file that announces more than an import may have, unread", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* startServer()
    const { hostname, port } = new URL(baseUrl)
    const status = yield* Effect.callback<number | undefined>((resume) => {
      const sent = request(
        {
          hostname,
          port,
          path,
          method: "POST",
          headers: {
            ...candleFile,
            authorization: `Bearer ${fullKey}`,
            "content-length": Limits.candleImportMaxBytes + 1
          }
        },
        (answer) => {
          resume(Effect.succeed(answer.statusCode))
          sent.destroy()
        }
      )
      sent.on("error", () => undefined)
      sent.flushHeaders()
    })
    assert.strictEqual(status, 413)
  })
)
