/** Files of candles as they are sent: packed, cut into pieces, damaged, and too large. */
import { columnNames } from "@candlewick/engine/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { strToU8, zipSync } from "fflate"
import { gzipSync } from "node:zlib"
import type { ReadOptions } from "../../src/domain/operations/candleOperations.ts"
import { readCandleTable } from "../../src/services/candles/files/readCandleTable.ts"

const start = Date.UTC(2024, 0, 1)
const hourMs = 3_600_000
const rows = Array.from(
  { length: 3_000 },
  (_, index) => `${start + index * hourMs},1,2,0.5,1.5,${index}`
)
const text = `time,open,high,low,close,volume\n${rows.join("\n")}\n`
const asked: ReadOptions = { symbol: "BTC/USDT" }

const read = (
  bytes: Uint8Array,
  options: Partial<ReadOptions> = {},
  size = 1_000,
  max?: number
) => {
  const chunks: Array<Uint8Array> = []
  for (let from = 0; from < bytes.length; from += size) chunks.push(bytes.slice(from, from + size))
  return readCandleTable(Stream.fromIterable(chunks), { ...asked, ...options }, max)
}

const refusal = (bytes: Uint8Array, options: Partial<ReadOptions> = {}, max?: number) =>
  Effect.map(Effect.flip(read(bytes, options, 1_000, max)), ({ code, errors = [] }) =>
    [code, ...errors.map(({ message, pointer }) => `${pointer} ${message}`)].join("; ")
  )

const zipOf = (files: Readonly<Record<string, string>>, level: 0 | 6 = 6) =>
  zipSync(
    Object.fromEntries(Object.entries(files).map(([name, content]) => [name, strToU8(content)])),
    { level }
  )

describe("files of candles", () => {
  it.effect("note rows that lie further apart than the candles that were asked for", () =>
    Effect.gen(function* () {
      const { reading } = yield* read(strToU8(text), { timeframe: "15m" })
      assert.include(
        reading.notes,
        "Rows are usually 1h apart, and are read as candles of 15m: timeframe=1h may be meant."
      )
      assert.isFalse(
        (yield* read(strToU8(text))).reading.notes.some((note) => note.includes("apart"))
      )
    })
  )

  it.effect("are the same as they are, as gzip and in a zip archive, however they are cut", () =>
    Effect.gen(function* () {
      const plain = yield* read(strToU8(text))
      assert.deepInclude(plain, { key: { symbol: "BTC/USDT", timeframe: "1h" }, faults: [] })
      assert.strictEqual(plain.reading.row_count, 3_000)
      const packed = {
        gzip: [
          gzipSync(text),
          Buffer.concat([gzipSync(text.slice(0, 99)), gzipSync(text.slice(99))])
        ],
        zip: [zipOf({ "a.csv": text }), zipOf({ "a.csv": text }, 0)]
      }
      for (const [packing, files] of Object.entries(packed)) {
        for (const file of files) {
          for (const size of [3, 1_000, file.length]) {
            const found = yield* read(file, {}, size)
            assert.strictEqual(found.reading.packing, packing)
            for (const name of columnNames) {
              assert.deepStrictEqual(found.columns[name], plain.columns[name])
            }
          }
        }
      }
    })
  )

  it.effect("say how many rows lack prices, and how many a volume", () =>
    Effect.gen(function* () {
      const holiday = `${start + 3_000 * hourMs},null,null,null,null,null\n`
      const quiet = `${start + 3_001 * hourMs},1,2,0.5,1.5,\n`
      const { columns, faults, reading } = yield* read(strToU8(`${text}${holiday}${quiet}`))
      assert.deepStrictEqual([columns.length, faults], [3_001, []])
      assert.deepInclude(reading, { row_count: 3_001, empty_row_count: 1 })
      assert.deepStrictEqual(reading.notes, ["The volume is missing in 1 rows, and 0 there."])
    })
  )

  it.effect("in an archive with several are chosen by name, and hidden ones passed over", () =>
    Effect.gen(function* () {
      const one = zipOf({ "__MACOSX/._a.csv": "x", ".DS_Store": "x", "data/a.csv": text })
      assert.strictEqual((yield* read(one)).columns.length, 3_000)
      const several = zipOf({ "XBTUSD_1.csv": "not,this\n", "XBTUSD_60.csv": text })
      assert.strictEqual((yield* read(several, { file: "XBTUSD_60.csv" })).columns.length, 3_000)
      assert.include(
        yield* refusal(several),
        "name one with file=XBTUSD_1.csv or file=XBTUSD_60.csv"
      )
      const none = yield* refusal(several, { file: "b.csv" })
      assert.include(none, "has no file b.csv; it has XBTUSD_1.csv, XBTUSD_60.csv")
    })
  )

  it.effect("are refused where they are damaged or cut off", () =>
    Effect.gen(function* () {
      const gzip = gzipSync(text)
      const stored = zipOf({ "a.csv": text }, 0)
      const changed = (bytes: Uint8Array, at: number) => {
        const other = Uint8Array.from(bytes)
        other[at]! ^= 1
        return other
      }
      const digit = stored.indexOf("5".charCodeAt(0), 200)
      for (const [bytes, message] of [
        [gzip.subarray(0, gzip.length - 20), "gzip file is damaged or cut off"],
        [changed(gzip, gzip.length - 6), "gzip file is damaged or cut off"],
        [changed(stored, digit), "checksum of a.csv does not match"],
        [stored.subarray(0, stored.length - 30), "ends before its table of contents"],
        [zipOf({ "a.csv": text }).subarray(0, 5_000), "cut off"],
        [zipOf({}), "The file is not text"]
      ] as const) {
        assert.include(yield* refusal(bytes), message)
      }
    })
  )

  it.effect("are refused where they become too large, without unpacking the rest", () =>
    Effect.gen(function* () {
      const large = text.repeat(50)
      for (const packed of [gzipSync(large), zipOf({ "a.csv": large })]) {
        assert.include(yield* refusal(packed, {}, 100_000), "payload_too_large")
      }
      const zeros = zipOf({ "a.csv": "0".repeat(5_000_000) })
      assert.include(yield* refusal(zeros), "Line 1 has more than 4096 characters")
    })
  )

  it.effect("are refused where nothing but blank lines comes, without unpacking the rest", () =>
    Effect.gen(function* () {
      const blank = "\n".repeat(20_000_000)
      for (const packed of [gzipSync(blank), gzipSync(text + blank), zipOf({ "a.csv": blank })]) {
        // The limit on what is unpacked lies before the end of the file.
        const found = yield* refusal(packed, {}, 15_000_000)
        assert.include(found, "more than 1048576 blank characters")
      }
      const spaced = gzipSync(text + "\r\n".repeat(100_000))
      assert.strictEqual((yield* read(spaced)).columns.length, 3_000)
    })
  )

  it.effect("let other work come between their parts", () =>
    Effect.gen(function* () {
      let turns = 0
      let isOver = false
      const count = (): void => {
        turns++
        if (!isOver) setImmediate(count)
      }
      setImmediate(count)
      const long = gzipSync(text.slice(0, 32) + `${rows.join("\n")}\n`.repeat(20))
      yield* read(long, { timeframe: "1h" }, long.length)
      isOver = true
      assert.isAtLeast(turns, 60)
    })
  )

  it.effect("in UTF-16, as spreadsheets save them, are read too", () =>
    Effect.gen(function* () {
      const tabs = Buffer.from(`\uFEFF${text.replaceAll(",", "\t")}`, "utf16le")
      assert.strictEqual((yield* read(tabs)).columns.length, 3_000)
    })
  )
})

describe("times that a file leaves open", () => {
  it.effect("is asked for: the currency, the timeframe, the zone", () =>
    Effect.gen(function* () {
      const bytes = strToU8(text)
      assert.strictEqual(
        (yield* read(bytes, { symbol: "AAPL", currency: "USD" })).key.symbol,
        "AAPL/USD"
      )
      for (const [options, message] of [
        [
          { symbol: "AAPL" },
          "/currency AAPL does not say in which currency it is priced: add currency=USD"
        ],
        [{ symbol: "BTC/USD", currency: "EUR" }, "/currency BTC/USD is priced in USD, not in EUR"],
        [
          { symbol: "BTCUSDT", currency: "USDT" },
          "/symbol BTCUSDT ends with its currency: write BTC/USDT"
        ],
        [
          { zone: "Mars" },
          '/zone The time zone "Mars" is unknown; expected one such as Europe/Berlin'
        ]
      ] as const) {
        assert.include(yield* refusal(bytes, options), message)
      }
      const one = strToU8(text.split("\n").slice(0, 2).join("\n"))
      assert.include(yield* refusal(one), "/timeframe The steps between the rows fit no timeframe")
    })
  )

  it.effect("faults of cells are told with those of whole rows", () =>
    Effect.gen(function* () {
      const bad = strToU8(
        `time,open,high,low,close,volume\n${start},1,x,0.5,1.5,1\n${start + hourMs},1,0.1,0.5,1.5,1\n`
      )
      const { faults } = yield* read(bad, { timeframe: "1h" })
      assert.deepStrictEqual(
        faults.map(({ code, pointer }) => `${pointer} ${code}`),
        ["#/rows/0/high not_valid", "#/rows/1 high_too_low"]
      )
    })
  )
})
