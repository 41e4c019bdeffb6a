/** Parquet files that claim to be more than they are. */
import { columnNames, makeColumns } from "@candlewick/core/kernel"
import { randomWalk } from "@candlewick/core/testing"
import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { readParquetFile } from "../../src/server/parquetFile.ts"
import { readParquet } from "../../src/server/parquetImport.ts"
import { parquetOf } from "./parquetFixtures.ts"

const candles = randomWalk("parquet claims", { count: 1_500 })

/** The refusal of a file, as `pointer code`. */
const faultsOf = (file: Uint8Array) =>
  Effect.map(Effect.flip(readParquet(Stream.make(file), "1h")), ({ code, errors }) => {
    assert.strictEqual(code, "validation_failed")
    return errors!.map((fault) => `${fault.pointer} ${fault.code}`)
  })

it.live("refuses a file that claims more than it may have or memory can hold", () =>
  Effect.gen(function* () {
    const limits = { fields: columnNames, rowsMax: candles.length - 1, badMax: 100 }
    const file = parquetOf(candles)
    const bytes = {
      byteLength: file.length,
      read: async (start: number, end: number) => file.buffer.slice(start, end)
    }
    assert.deepStrictEqual(yield* Effect.promise(() => readParquetFile(bytes, limits)), {
      type: "too_many_rows",
      rows: candles.length
    })
    // Lists in lists in lists, each of them said to have 31 million members.
    const lists = Array.from({ length: 200 }, () => [0xf9, 0x80, 0x80, 0x80, 0x0f]).flat()
    const footer = [0x19, ...lists]
    const bomb = Uint8Array.from([
      ...new TextEncoder().encode("PAR1"),
      ...footer,
      footer.length & 255,
      footer.length >> 8,
      0,
      0,
      ...new TextEncoder().encode("PAR1")
    ])
    assert.deepStrictEqual(yield* faultsOf(bomb), ["# malformed"])
    // A page that is packed a thousandfold: one value, as long as a thousand can be.
    const long = parquetOf(
      makeColumns(1),
      { codec: "BROTLI" },
      {
        time: { type: "BYTE_ARRAY", converted_type: "UTF8", data: ["0".repeat(1_000_000)] }
      }
    )
    assert.isBelow(long.length, 5_000)
    assert.deepStrictEqual(yield* faultsOf(long), ["# malformed"])
    // Two million rows that are all the same, in some hundred bytes.
    const same = makeColumns(2_000_000)
    const data = { encoding: "RLE_DICTIONARY" } as const
    const alike = parquetOf(
      same,
      { pageSize: 1e9, rowGroupSize: 2_000_000 },
      { time: data, open: data, high: data, low: data, close: data, volume: data }
    )
    assert.isBelow(alike.length, 5_000)
    assert.deepStrictEqual(yield* faultsOf(alike), ["# malformed"])
  })
)

it.live("refuses a number of a million digits, which would take minutes to read", () =>
  Effect.gen(function* () {
    const time = Array.from({ length: 400_000 }, (_, row) => BigInt((row * row * 7_919) % 1e9))
    const encoded = { type: "INT64", encoding: "DELTA_BINARY_PACKED", data: time } as const
    const columns = makeColumns(time.length)
    const options = { codec: "UNCOMPRESSED", pageSize: 1e9, rowGroupSize: time.length } as const
    const file = parquetOf(columns, options, { time: encoded })
    // In the midst of the first page, which has all times.
    file.fill(0x80, 1_000, 1_001_000)
    const { errors } = yield* Effect.flip(readParquet(Stream.make(file), "1h"))
    assert.match(errors![0]!.message, /too many digits|too many bits/)
  })
)
