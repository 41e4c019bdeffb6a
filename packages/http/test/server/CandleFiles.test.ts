/** Files of candles over HTTP: by whatever type they come, and with what the query says of them. */
import { writeCandleFile, makeColumns } from "@candlewick/core/kernel"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { gzipSync } from "node:zlib"
import { startServer } from "../server.ts"

const start = Date.UTC(2024, 0, 1)
const hourMs = 3_600_000
const klines = [0, 1]
  .map((hour) => {
    const open = start + hour * hourMs
    return `${open},1,2,0.5,1.5,10,${open + hourMs - 1},15,3,1,1,0\n`
  })
  .join("")
const path = "/v1/candles?symbol=BTC%2FUSDT"

it.live("takes a file by any type that tools send, and by what its first bytes are", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    const lists = `[[${start},1,2,0.5,1.5,10],[${start + hourMs},1,2,0.5,1.5,10]]`
    const columns = makeColumns(1)
    for (const name of ["open", "high", "low", "close"] as const) columns[name][0] = 1
    const about = {
      symbol: "BTC/USDT",
      timeframeMs: hourMs,
      tick: 0,
      isSynthetic: false,
      source: ""
    }
    const file = writeCandleFile(columns, about)
    for (const [type, body, format] of [
      ["application/x-www-form-urlencoded", klines, "delimited none"],
      ["text/csv", klines, "delimited none"],
      ["text/csv", gzipSync(klines), "delimited gzip"],
      ["application/gzip", gzipSync(klines), "delimited gzip"],
      ["application/octet-stream", gzipSync(lists), "json gzip"],
      ["application/json", lists, "json none"],
      ["application/octet-stream", file, "candle_file none"]
    ] as const) {
      control.imported = undefined
      const answer = yield* call("POST", `${path}&timeframe=1h`, body, { "content-type": type })
      assert.strictEqual(answer.status, 200, answer.text)
      const { format: found, packing } = answer.json.reading
      assert.strictEqual(`${found} ${packing}`, format)
      assert.isDefined(control.imported)
    }
    const encoded = { "content-type": "text/csv", "content-encoding": "gzip" }
    assert.strictEqual((yield* call("POST", path, gzipSync(klines), encoded)).status, 200)
    const brotli = { ...encoded, "content-encoding": "br" }
    assert.strictEqual((yield* call("POST", path, klines, brotli)).status, 415)
  })
)

it.live("tells how a file was read, and asks for what it can't know", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    const csv = { "content-type": "text/csv" }
    const read = yield* call("POST", path, klines, csv)
    assert.strictEqual(read.json.timeframe, "1h")
    assert.deepInclude(read.json.reading, {
      layout: "binance",
      has_header: false,
      time_unit: "ms",
      timeframe: "1h",
      is_timeframe_found: true,
      row_order: "oldest_first",
      ignored_columns: ["7", "8", "9", "10", "11", "12"]
    })
    control.imported = undefined
    const dates = "date,open,high,low,close\n03/04/2024,1,2,0.5,1.5\n"
    for (const [query, body, pointer] of [
      ["symbol=AAPL", klines, "#/query/currency"],
      ["symbol=BTC/USD&zone=Mars", klines, "#/query/zone"],
      ["symbol=BTC/USD", `${klines.split("\n")[0]}\n`, "#/query/timeframe"],
      ["symbol=BTC/USD&columns=time:12,open:99", klines, "#/rows"],
      ["symbol=BTC/USD&columns=price:2", klines, "#/query/columns"],
      ["symbol=BTC/USD&columns=open:2,open:3", klines, "#/query/columns"],
      ["symbol=BTC/USD&columns=open:3", klines, "#/rows"],
      ["symbol=BTC/USD&columns=time:6,volume:1", klines, "#/rows/0/time"],
      ["symbol=BTC/USD&timeframe=1h&columns=time:6,volume:1", klines, "#/rows/0/time"],
      ["symbol=BTC/USD", "\u0089PNG\r\n\u001A\n\0\0\0\rIHDR", "#"],
      ["symbol=BTC/USD&on_conflict=merge", klines, "#/query/on_conflict"],
      ["symbol=BTC/USD&timeframe=1d", `${dates.split("\n")[0]}\nsoon,1,2,0.5,1\n`, "#/rows/0/time"]
    ] as const) {
      const refused = yield* call("POST", `/v1/candles?${query}`, body, csv)
      assert.strictEqual(refused.status, 400, refused.text)
      assert.strictEqual(refused.json.errors[0].pointer, pointer)
      if (!query.includes("columns")) continue
      const preview = yield* call("POST", `/v1/candles/preview?${query}`, body, csv)
      assert.deepStrictEqual(
        [preview.status, preview.json.errors],
        [400, refused.json.errors],
        query
      )
    }
    const twice = yield* call("POST", "/v1/candles?symbol=A/B&columns=low:2,low:3", klines, csv)
    assert.include(twice.json.errors[0].message, "each field once")
    const unfit = yield* call("POST", "/v1/candles?symbol=A/B&columns=time:6,volume:1", klines, csv)
    assert.match(unfit.json.errors[0].message, /^The column "6" is read as times, .* 10 first/)
    assert.isUndefined(control.imported)
    const apple = yield* call("POST", "/v1/candles?symbol=AAPL&currency=USD", klines, csv)
    assert.strictEqual(apple.json.symbol, "AAPL/USD")
  })
)

it.live("says which option of curl keeps lines where they are gone", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const form = { "content-type": "application/x-www-form-urlencoded" }
    const joined = `time,open,high,low,close,volume${klines.replaceAll("\n", "")}`
    const refused = yield* call("POST", path, joined, form)
    assert.include(refused.json.detail, "--data-binary keeps its lines")
  })
)
