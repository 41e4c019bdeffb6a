/** Candles in Parquet: what other tools write, what is wrong with it, and what is left behind. */
import { type Fault, Limits, readCandleTable } from "@candlewick/core"
import { type CandleColumns, columnNames, makeColumns } from "@candlewick/core/kernel"
import { randomWalk, withGap } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Stream } from "effect"
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { writeCandles } from "../../src/server/candleExport.ts"
import { readParquetFile } from "../../src/server/parquetFile.ts"
import { readParquet } from "../../src/server/parquetImport.ts"
import { fullKey } from "../fakes.ts"
import { startServer } from "../server.ts"
import {
  type Column,
  columnsOf,
  type FileOptions,
  fileOf,
  parquetOf,
  type Replaced
} from "./parquetFixtures.ts"

const path = "/v1/candles?symbol=BTC%2FUSDT&timeframe=1h"
const parquet = { "content-type": "application/vnd.apache.parquet" }
const candles = withGap(randomWalk("parquet", { count: 1_500 }), 400, 30)

const key = { symbol: "BTC/USDT", timeframe: "1h" } as const

const plainOf = (columns: CandleColumns) => columnNames.map((name) => [...columns[name]])

const read = (file: Uint8Array) => readParquet(Stream.make(file), "1h")

/** The refusal of a file, as `pointer code`. */
const faultsOf = (file: Uint8Array) =>
  Effect.map(Effect.flip(read(file)), ({ code, errors }) => {
    assert.strictEqual(code, "validation_failed")
    return errors!.map((fault) => `${fault.pointer} ${fault.code}`)
  })

const times = (perMs: bigint) => Array.from(candles.time, (time) => BigInt(time) * perMs)
const cents = Array.from(candles.close, (close) => BigInt(Math.round(close * 100)))
const asCents: CandleColumns = { ...candles, close: Float64Array.from(cents, Number) }

const decimal = { converted_type: "DECIMAL", scale: 2, precision: 12 } as const

/** Ways to write the same candles. */
const kinds: Readonly<Record<string, readonly [FileOptions, Replaced]>> = {
  "no compression": [{ codec: "UNCOMPRESSED" }, {}],
  "Snappy, in small pages": [{ codec: "SNAPPY", pageSize: 1_000 }, {}],
  "gzip, in row groups": [{ codec: "GZIP", rowGroupSize: 333 }, {}],
  Zstandard: [{ codec: "ZSTD", rowGroupSize: 1_000, pageSize: 4_000 }, {}],
  Brotli: [{ codec: "BROTLI" }, {}],
  "optional columns": [
    { pageSize: 2_000 },
    { open: { repetition_type: "OPTIONAL" }, time: { repetition_type: "OPTIONAL" } }
  ],
  "other encodings": [
    {},
    {
      time: { encoding: "DELTA_BINARY_PACKED" },
      open: { encoding: "BYTE_STREAM_SPLIT" },
      volume: { encoding: "RLE_DICTIONARY" }
    }
  ],
  "other encodings of optional columns": [
    { pageSize: 2_000 },
    { time: { encoding: "DELTA_BINARY_PACKED", repetition_type: "OPTIONAL" } }
  ],
  milliseconds: [{}, { time: { data: times(1n), converted_type: "TIMESTAMP_MILLIS" } }],
  microseconds: [{}, { time: { data: times(1_000n), converted_type: "TIMESTAMP_MICROS" } }],
  nanoseconds: [
    {},
    {
      time: {
        data: times(1_000_000n),
        logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "NANOS" }
      }
    }
  ],
  "times as doubles": [{}, { time: { type: "DOUBLE", data: [...candles.time] } }],
  "times as text": [
    {},
    {
      time: {
        type: "BYTE_ARRAY",
        converted_type: "UTF8",
        data: Array.from(candles.time, (time) => new Date(time).toISOString())
      }
    }
  ],
  "numbers as text": [
    {},
    { low: { type: "BYTE_ARRAY", converted_type: "UTF8", data: Array.from(candles.low, String) } }
  ]
}

describe("candles in Parquet", () => {
  for (const [name, [options, replaced]] of Object.entries(kinds)) {
    it.live(`are those of the same CSV (${name})`, () =>
      Effect.gen(function* () {
        const { columns: csv } = yield* readCandleTable(writeCandles(candles, "csv"), key)
        const columns = yield* read(parquetOf(candles, options, replaced))
        assert.strictEqual(columns.length, candles.length)
        assert.deepStrictEqual(plainOf(columns), plainOf(csv))
      })
    )
  }

  it.live("have decimals, integers and floats as the numbers that they are", () =>
    Effect.gen(function* () {
      const bytesOf = (value: bigint) =>
        Uint8Array.from({ length: 9 }, (_, index) =>
          Number(BigInt.asUintN(8, value >> BigInt(8 * (8 - index))))
        )
      const file = fileOf(
        columnsOf(candles, {
          open: { type: "INT64", data: cents, ...decimal },
          high: { type: "INT32", data: cents.map((value) => Number(value) / 100), ...decimal },
          low: {
            type: "FIXED_LEN_BYTE_ARRAY",
            type_length: 9,
            data: cents.map((value) => bytesOf(-value))
          },
          close: { type: "FLOAT", data: [...candles.close] },
          volume: { type: "INT64", data: cents }
        }).map((column): Column => {
          // Written as it is, and called a decimal by the file.
          if (column.name !== "low") return column
          return { ...column, logical_type: { type: "DECIMAL", scale: 2, precision: 12 } }
        })
      )
      const columns = yield* read(file)
      const exact = cents.map((value) => Number(`${value}e-2`))
      assert.deepStrictEqual([...columns.open], exact)
      assert.deepStrictEqual([...columns.high], exact)
      assert.deepStrictEqual(
        [...columns.low],
        exact.map((value) => -value)
      )
      assert.deepStrictEqual([...columns.close], [...Float32Array.from(candles.close)])
      assert.deepStrictEqual([...columns.volume], [...asCents.close])
    })
  )

  it.live("may have their columns in any order and any case, and be none", () =>
    Effect.gen(function* () {
      const shuffled = columnsOf(candles)
        .toReversed()
        .map((column) => ({ ...column, name: ` ${column.name.toUpperCase()}` }))
      assert.deepStrictEqual(plainOf(yield* read(fileOf(shuffled))), plainOf(candles))
      const days = { ...candles, time: candles.time.map((_, row) => row * 86_400_000) }
      const dates = parquetOf(
        days,
        {},
        {
          time: {
            type: "INT32",
            converted_type: "DATE",
            data: Array.from(candles.time, (_, row) => row)
          }
        }
      )
      assert.deepStrictEqual([...(yield* read(dates)).time], [...days.time])
      assert.strictEqual((yield* read(parquetOf(makeColumns(0)))).length, 0)
    })
  )

  it.live("are refused with the same faults as the same CSV, by row and column", () =>
    Effect.gen(function* () {
      const bad = { ...candles, open: candles.open.slice(), close: candles.close.slice() }
      bad.open[700] = Number.NaN
      bad.close[700] = Number.POSITIVE_INFINITY
      bad.close[3] = Number.NaN
      bad.open[20] = -1
      const csv = new TextDecoder().decode(
        Uint8Array.from(
          [...(yield* Stream.runCollect(writeCandles(bad, "csv")))].flatMap((chunk) => [...chunk])
        )
      )
      const expected = yield* readCandleTable(Stream.make(new TextEncoder().encode(csv)), key)
      const placesOf = (faults: ReadonlyArray<Fault>) =>
        faults.map(({ code, pointer }) => `${pointer} ${code}`)
      const refusal = yield* Effect.flip(read(parquetOf(bad, { rowGroupSize: 500 })))
      assert.deepStrictEqual(placesOf(refusal.errors!), placesOf(expected.faults))
      assert.deepStrictEqual(
        refusal.errors!.slice(0, 3).map(({ pointer }) => pointer),
        ["#/rows/3/close", "#/rows/700/open", "#/rows/700/close"]
      )
      // A text may leave a volume out, and a column of numbers may not.
      const volume = [...candles.volume] as Array<number | null>
      volume[900] = null
      const replaced = { volume: { repetition_type: "OPTIONAL", data: volume } } as const
      const gap = yield* Effect.flip(read(parquetOf(candles, { rowGroupSize: 500 }, replaced)))
      assert.deepStrictEqual(placesOf(gap.errors!), ["#/rows/900/volume not_valid"])
      const none = { ...candles, high: candles.high.map(() => Number.NaN) }
      const many = yield* Effect.flip(read(parquetOf(none, { rowGroupSize: 60 })))
      assert.strictEqual(many.errors!.length, 100)
      assert.strictEqual(many.errors![99]!.pointer, "#/rows/99/high")
    })
  )

  it.live("are refused where the file is none, is cut off, or has other columns", () =>
    Effect.gen(function* () {
      const file = parquetOf(candles)
      const end = file.length
      const changed = (at: number, bytes: ReadonlyArray<number>) => {
        const copy = file.slice()
        copy.set(bytes, at)
        return copy
      }
      const encrypted = [...new TextEncoder().encode("PARE")]
      const columns = columnsOf(candles)
      const cases: ReadonlyArray<readonly [Uint8Array, ReadonlyArray<string>]> = [
        [new Uint8Array(0), ["# truncated"]],
        [new TextEncoder().encode("time,open\n1,2\n"), ["# not_a_parquet_file"]],
        [file.subarray(0, 9), ["# truncated"]],
        [file.subarray(0, end - 1), ["# truncated"]],
        [file.subarray(0, end / 2), ["# truncated"]],
        [changed(end - 8, [255, 255, 255, 127]), ["# truncated"]],
        [changed(0, encrypted), ["# encrypted"]],
        [changed(end - 4, encrypted), ["# encrypted"]],
        [changed(4, Array<number>(2_000).fill(255)), ["# malformed"]],
        [changed(end - 60, Array<number>(40).fill(255)), ["# malformed"]],
        [fileOf(columns.slice(1)), ["#/columns/time not_valid"]],
        [fileOf([...columns, { ...columns[5]!, name: "trades" }]), ["#/columns not_valid"]],
        [
          fileOf(columns.map((one) => ({ ...one, name: one.name.replace("low", "lowest") }))),
          ["#/columns/low not_valid"]
        ],
        [
          parquetOf(
            candles,
            {},
            {
              time: { type: "BOOLEAN", data: Array.from(candles.time, () => true) },
              high: { converted_type: "TIMESTAMP_MILLIS", type: "INT64", data: times(1n) }
            }
          ),
          ["#/columns/time not_valid", "#/columns/high not_valid"]
        ]
      ]
      for (const [index, [body, expected]] of cases.entries()) {
        assert.deepStrictEqual(yield* faultsOf(body), expected, `case ${index}`)
      }
      const message = (yield* Effect.flip(read(fileOf(columns.slice(1))))).errors![0]!.message
      assert.include(message, "time,open,high,low,close,volume")
    })
  )

  it.effect("are read or refused, and nothing else, whatever is done to the file", () =>
    Effect.promise(async () => {
      const small = randomWalk("changed", { count: 40 })
      const files = [
        parquetOf(small, { codec: "UNCOMPRESSED" }),
        parquetOf(small, { codec: "GZIP", rowGroupSize: 16 }),
        parquetOf(small, {}, { time: { encoding: "DELTA_BINARY_PACKED" } })
      ]
      const seen = new Set<string>()
      let state = 7
      const next = (below: number) => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
        return Math.floor((state / 2 ** 32) * below)
      }
      for (let round = 0; round < 600; round++) {
        const file = files[round % files.length]!.slice()
        for (let change = next(3); change >= 0; change--) file[next(file.length)] = next(256)
        const content = await readParquetFile(
          {
            byteLength: file.length,
            read: async (start, end) => file.buffer.slice(start, end)
          },
          { fields: columnNames, rowsMax: 1_000, badMax: 100 }
        )
        seen.add(content.type)
        if (content.type === "candles")
          assert.strictEqual(content.columns.time.length, content.rows)
      }
      assert.isTrue(seen.has("candles") && seen.has("refused"))
    })
  )
})

it.live("takes Parquet over HTTP, once under a key, and keeps nothing of what is refused", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    const file = parquetOf(candles)
    const keyed = { ...parquet, "idempotency-key": "one" }
    const imported = yield* call("POST", `${path}&source=lake`, file, keyed)
    assert.strictEqual(imported.status, 200, imported.text)
    assert.strictEqual(imported.json.source, "lake")
    assert.deepStrictEqual(plainOf(control.imported!), plainOf(candles))
    control.imported = undefined
    const again = yield* call("POST", `${path}&source=lake`, file, keyed)
    assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
    const other = yield* call("POST", `${path}&source=lake`, parquetOf(makeColumns(1)), keyed)
    assert.strictEqual(other.status, 422)
    const refused = yield* call("POST", path, file.subarray(0, 5_000), parquet)
    assert.deepStrictEqual(
      [refused.status, refused.json.code, refused.json.errors[0].code],
      [400, "validation_failed", "truncated"]
    )
    assert.strictEqual((yield* call("POST", path, file, { "content-type": "a/b" })).status, 415)
    const large = yield* Effect.flip(readParquet(Stream.make(file), "1h", file.length - 1))
    assert.strictEqual(large.code, "payload_too_large")
    assert.isUndefined(control.imported)
  })
)

/** The open files of a folder, by this process. */
const openIn = (folder: string): ReadonlyArray<string> =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`)
      return target.startsWith(folder) ? [target] : []
    } catch {
      return []
    }
  })

/** Everything in a temporary folder of its own, which has to be empty afterwards. */
const inFolder = <A, E, R>(effect: (folder: string) => Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const before = process.env["TMPDIR"]
      const folder = mkdtempSync(join(tmpdir(), "parquet-test-"))
      process.env["TMPDIR"] = folder
      return { before, folder }
    }),
    ({ folder }) => effect(folder),
    ({ before, folder }) =>
      Effect.sync(() => {
        if (before === undefined) delete process.env["TMPDIR"]
        else process.env["TMPDIR"] = before
        rmSync(folder, { recursive: true })
      })
  )

const isEmpty = (folder: string) => readdirSync(folder).length === 0 && openIn(folder).length === 0

const untilTrue = (ask: () => boolean) =>
  Effect.gen(function* () {
    for (let attempt = 0; attempt < 1_500 && !ask(); attempt++) yield* Effect.sleep("20 millis")
    assert.isTrue(ask())
  })

it.live.skipIf(process.platform !== "linux")(
  "leaves no temporary file, whether it reads one, refuses one, or is left in the middle",
  () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const file = parquetOf(candles)
        yield* read(file)
        assert.isTrue(isEmpty(folder), "read")
        yield* Effect.flip(read(file.subarray(0, 900)))
        assert.isTrue(isEmpty(folder), "refused")
        yield* Effect.flip(readParquet(Stream.make(file), "1h", 10))
        assert.isTrue(isEmpty(folder), "too large")
        const broken = Stream.concat(Stream.make(file), Stream.fail("gone" as const))
        assert.strictEqual(yield* Effect.flip(readParquet(broken, "1h")), "gone")
        assert.isTrue(isEmpty(folder), "failed")

        // Left while bytes still come, and while a thread reads them.
        const endless = Stream.concat(Stream.make(file), Stream.never)
        for (const source of [endless, Stream.make(file)]) {
          const reading = yield* Effect.forkChild(readParquet(source, "1h"))
          yield* untilTrue(() => openIn(folder).length > 0)
          yield* Effect.sleep("50 millis")
          yield* Fiber.interrupt(reading)
          const exit = yield* Fiber.await(reading)
          // A thread may have read a file that has come whole before it is left.
          assert.isTrue(Exit.hasInterrupts(exit) || (source !== endless && Exit.isSuccess(exit)))
          assert.isTrue(isEmpty(folder), "left")
        }

        const { baseUrl } = yield* startServer()
        const { hostname, port } = new URL(baseUrl)
        const sent = request({
          hostname,
          port,
          path,
          method: "POST",
          headers: { ...parquet, authorization: `Bearer ${fullKey}` }
        })
        sent.on("error", () => undefined)
        sent.write(file)
        yield* untilTrue(() => openIn(folder).length > 0)
        sent.destroy()
        yield* untilTrue(() => isEmpty(folder))
        assert.isAbove(Limits.candleImportMaxBytes, file.length)
      })
    )
)
