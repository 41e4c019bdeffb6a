/**
 * Values that are written as bytes come back to the bit.
 */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { crc32 as zlibCrc32 } from "node:zlib"
import { readCandleFile, writeCandleFile } from "../../src/kernel/candleFile.ts"
import { type CandleColumns, columnNames, makeColumns } from "../../src/kernel/columns.ts"
import { crc32 } from "../../src/kernel/crc32.ts"
import { propertyDraws } from "../../../../test/draws.ts"

const integer = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Any double: the reader of a file has no opinion on prices. */
const row = Schema.Struct({
  afterMs: integer(1, 604_800_000),
  open: Schema.Number,
  high: Schema.Number,
  low: Schema.Number,
  close: Schema.Number,
  volume: Schema.Number
})

const about = Schema.Struct({
  symbol: Schema.String,
  timeframeMs: integer(1, 604_800_000),
  tick: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e6 })),
  isSynthetic: Schema.Boolean,
  source: Schema.String
})

const toColumns = (rows: ReadonlyArray<typeof row.Type>): CandleColumns => {
  const columns = makeColumns(rows.length)
  let time = 0
  for (const [at, { afterMs, ...rest }] of rows.entries()) {
    time += afterMs
    columns.time[at] = time
    for (const name of columnNames) if (name !== "time") columns[name][at] = rest[name]
  }
  return columns
}

const bitsOf = (columns: CandleColumns): ReadonlyArray<ReadonlyArray<bigint>> =>
  columnNames.map((name) => [...new BigUint64Array(columns[name].slice().buffer)])

describe("bytes come back", () => {
  it.prop(
    "as candles and what is said of them, wherever the file lies in memory",
    {
      about,
      rows: Arbitrary.array(Arbitrary.schema(row), { maxLength: 100 }),
      offset: integer(0, 15)
    },
    ({ about: said, offset, rows }) => {
      const columns = toColumns(rows)
      const file = writeCandleFile(columns, said)
      const moved = new Uint8Array(file.length + 16).subarray(offset).subarray(0, file.length)
      moved.set(file)
      const read = readCandleFile(moved)
      if (read.type !== "candles") assert.fail(JSON.stringify(read))
      // Half of a pair of surrogates has no UTF-8.
      const symbol = said.symbol.toWellFormed()
      const source = said.source.toWellFormed()
      assert.deepStrictEqual(read.about, { ...said, symbol, source })
      assert.deepStrictEqual(bitsOf(read.columns), bitsOf(columns))
      assert.strictEqual(read.columns.time.buffer === moved.buffer, offset % 8 === 0)
    },
    propertyDraws("candle file", 1_200)
  )

  it.prop(
    "with the checksum that zlib gives, at every place in memory and cut into parts",
    {
      values: Arbitrary.array(Arbitrary.schema(integer(0, 255)), { maxLength: 300 }),
      offset: integer(0, 20),
      cut: integer(0, 300)
    },
    ({ cut, offset, values }) => {
      const bytes = Uint8Array.from([...Array.from({ length: offset }, () => 0xee), ...values])
      const part = bytes.subarray(offset)
      assert.strictEqual(crc32(part), zlibCrc32(part))
      assert.strictEqual(crc32(part.subarray(cut), crc32(part.subarray(0, cut))), crc32(part))
    },
    propertyDraws("checksum", 10_000)
  )
})
