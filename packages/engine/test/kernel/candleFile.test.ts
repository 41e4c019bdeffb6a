import { readFileSync } from "node:fs"
import { crc32 } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import {
  type CandleFileAbout,
  type CandleFileFailure,
  candleFileFields,
  candleFileFlags,
  candleFileMagic,
  candleFileOffsets,
  candleFileVersion,
  readCandleFile,
  writeCandleFile
} from "../../src/kernel/candleFile.ts"
import { type CandleColumns, columnNames, makeColumns } from "../../src/kernel/columns.ts"

const about: CandleFileAbout = {
  symbol: "BTC/USDT",
  timeframeMs: 3_600_000,
  tick: 0.01,
  isSynthetic: false,
  source: "an exchange"
}

const candles = (rows: ReadonlyArray<ReadonlyArray<number>>): CandleColumns => {
  const columns = makeColumns(rows.length)
  rows.forEach((row, at) =>
    columnNames.forEach((name, field) => (columns[name][at] = row[field] ?? Number.NaN))
  )
  return columns
}

const three = candles([
  [1_704_067_200_000, 100, 101.5, 99.25, 100.1, 12.5],
  [1_704_070_800_000, 100.1, 100.1, 100.1, 100.1, 0],
  [1_704_078_000_000, 0.1 + 0.2, 5e-324, -0, 1.7976931348623157e308, 3]
])

const bitsOf = (columns: CandleColumns): ReadonlyArray<ReadonlyArray<bigint>> =>
  columnNames.map((name) => [...new BigUint64Array(columns[name].slice().buffer)])

const readWhole = (bytes: Uint8Array) => {
  const read = readCandleFile(bytes)
  if (read.type !== "candles") assert.fail(JSON.stringify(read))
  return read
}

/** The file with other bytes at a place, its checksums made to fit. */
const patched = (
  file: Uint8Array,
  patch: (view: DataView, bytes: Uint8Array) => void
): Uint8Array => {
  const bytes = file.slice()
  const view = new DataView(bytes.buffer)
  patch(view, bytes)
  const { columns_checksum, header_bytes, header_checksum } = candleFileOffsets
  const headerBytes = view.getUint32(header_bytes, true)
  view.setUint32(columns_checksum, crc32(bytes.subarray(headerBytes)), true)
  const before = crc32(bytes.subarray(0, header_checksum))
  view.setUint32(
    header_checksum,
    crc32(bytes.subarray(columns_checksum, headerBytes), before),
    true
  )
  return bytes
}

/** The file with one more field in its header, of a kind that nobody knows. */
const withField = (file: Uint8Array, kind: number, value: Uint8Array): Uint8Array => {
  const headerBytes = new DataView(file.buffer).getUint32(candleFileOffsets.header_bytes, true)
  const field = new Uint8Array(8 + Math.ceil(value.length / 8) * 8)
  new DataView(field.buffer).setUint32(0, kind, true)
  new DataView(field.buffer).setUint32(4, value.length, true)
  field.set(value, 8)
  const { fields, header_bytes } = candleFileOffsets
  return patched(
    Uint8Array.from([...file.subarray(0, fields), ...field, ...file.subarray(fields)]),
    (view) => view.setUint32(header_bytes, headerBytes + field.length, true)
  )
}

const golden = `
  894357430d0a1a0a0100000060000000bb7212dcebf93eeb0300000006000000
  0000000040774b417b14ae47e17a843f00000000000000000100000008000000
  4254432f55534454020000000b000000616e2065786368616e67650000000000
  0000401f25cc78420000288e28cc78420000f86b2fcc78420000000000005940
  6666666666065940343333333333d33f00000000006059406666666666065940
  01000000000000000000000000d0584066666666660659400000000000000080
  66666666660659406666666666065940ffffffffffffef7f0000000000002940
  00000000000000000000000000000840
`

describe("a candle file", () => {
  it("gives back to the bit what was written, whatever it says of it", () => {
    for (const said of [
      about,
      { ...about, isSynthetic: true, tick: 0, source: "" },
      { symbol: "Ä/€", timeframeMs: 1, tick: 1e-9, isSynthetic: true, source: "\uFEFF日本" },
      { symbol: "", timeframeMs: 604_800_000, tick: 0, isSynthetic: false, source: "" }
    ]) {
      for (const columns of [three, makeColumns(0)]) {
        const read = readWhole(writeCandleFile(columns, said))
        assert.deepStrictEqual(read.about, said)
        assert.strictEqual(read.columns.length, columns.length)
        assert.deepStrictEqual(bitsOf(read.columns), bitsOf(columns))
      }
    }
  })

  it("has the bytes that it always had", () => {
    const file = writeCandleFile(three, about)
    assert.strictEqual(Buffer.from(file).toString("hex"), golden.replaceAll(/\s/g, ""))
    const read = readWhole(new Uint8Array(Buffer.from(golden.replaceAll(/\s/g, ""), "hex")))
    assert.deepStrictEqual(read.about, about)
    assert.deepStrictEqual(bitsOf(read.columns), bitsOf(three))
  })

  it("is read in place: a million candles are views of the bytes, shared or not", () => {
    const columns = makeColumns(1_000_000)
    for (let row = 0; row < columns.length; row++) {
      columns.time[row] = row * 60_000
      columns.close[row] = row
    }
    const file = writeCandleFile(columns, about)
    const shared = new Uint8Array(new SharedArrayBuffer(file.length))
    shared.set(file)
    for (const bytes of [file, shared]) {
      const read = readWhole(bytes)
      for (const name of columnNames) {
        assert.isTrue(read.columns[name].buffer === bytes.buffer)
        assert.strictEqual(read.columns[name].length, 1_000_000)
      }
      assert.strictEqual(read.columns.close[999_999], 999_999)
      assert.strictEqual(read.about.symbol, "BTC/USDT")
    }
  })

  it("says how many bytes there have to be, wherever it is cut", () => {
    const file = writeCandleFile(three, about)
    for (let bytes = 0; bytes < file.length; bytes++) {
      const read = readCandleFile(file.subarray(0, bytes))
      const headerBytes = file.length - 3 * 6 * 8
      assert.deepStrictEqual(read, {
        type: "truncated",
        bytes,
        bytesMin: bytes < 56 ? 56 : bytes < headerBytes ? headerBytes : file.length
      })
    }
  })

  it("is refused with any one bit turned over", () => {
    const file = writeCandleFile(three, about)
    const seen = new Set<string>()
    for (let bit = 0; bit < file.length * 8; bit++) {
      const bytes = file.slice()
      bytes[bit >> 3]! ^= 1 << (bit & 7)
      seen.add(readCandleFile(bytes).type)
    }
    assert.deepStrictEqual([...seen].sort(), [
      "checksum_mismatch",
      "malformed",
      "newer_version",
      "not_a_candle_file",
      "truncated"
    ])
  })

  it("tells a mismatch in the header from one in the columns", () => {
    const file = writeCandleFile(three, about)
    const inHeader = file.slice()
    inHeader[candleFileOffsets.tick]! ^= 1
    const inColumns = file.slice()
    inColumns[file.length - 1]! ^= 1
    const type = "checksum_mismatch"
    assert.deepStrictEqual(readCandleFile(inHeader), { type, part: "header" })
    assert.deepStrictEqual(readCandleFile(inColumns), { type, part: "columns" })
  })

  it("is refused where it begins as another file, even a short one", () => {
    for (const text of ["time,open,high,low,close,volume\n", "x", "{}"]) {
      const read = readCandleFile(new TextEncoder().encode(text))
      assert.deepStrictEqual(read, { type: "not_a_candle_file" })
    }
    const asText = new TextEncoder().encode(
      new TextDecoder().decode(writeCandleFile(three, about)).replaceAll("\r\n", "\n")
    )
    assert.deepStrictEqual(readCandleFile(asText), { type: "not_a_candle_file" })
  })

  it("is refused in a newer version, whatever else that may hold", () => {
    const bytes = writeCandleFile(three, about)
    bytes.fill(0xee, candleFileOffsets.header_bytes)
    bytes[candleFileOffsets.version] = 2
    assert.deepStrictEqual(readCandleFile(bytes), { type: "newer_version", version: 2 })
    assert.deepStrictEqual(readCandleFile(bytes.subarray(0, 12)), {
      type: "newer_version",
      version: 2
    })
  })

  it("is refused where times don't rise, at the first row that is to blame", () => {
    for (const [times, row] of [
      [[0, 60_000, 60_000], 2],
      [[0, 60_000, 30_000], 2],
      [[60_000, 0, 0], 1],
      [[Number.NaN], 0],
      [[0, Number.NaN, 60_000], 1],
      [[-Infinity, 0], 0],
      [[0, Infinity], 1]
    ] as const) {
      const columns = candles(times.map((time) => [time, 1, 1, 1, 1, 1]))
      const read = readCandleFile(writeCandleFile(columns, about))
      assert.deepStrictEqual(read, { type: "not_ascending", row })
    }
  })

  it("is refused where the header contradicts itself although its checksum fits", () => {
    const file = writeCandleFile(three, about)
    const offsets = candleFileOffsets
    const longer = new Uint8Array(file.length + 8)
    longer.set(file)
    const cases: ReadonlyArray<readonly [string, Uint8Array]> = [
      [
        "The file names version 0, which does not exist",
        patched(file, (view) => view.setUint32(8, 0, true))
      ],
      ["A header can't have 60 bytes", patched(file, (view) => view.setUint32(12, 60, true))],
      ["A header can't have 48 bytes", patched(file, (view) => view.setUint32(12, 48, true))],
      ["Candles don't fit 5 columns", patched(file, (view) => view.setUint32(28, 5, true))],
      [
        "The file names a timeframe of 0 ms, which does not exist",
        patched(file, (view) => view.setFloat64(offsets.timeframe_ms, 0, true))
      ],
      [
        "The file names a timeframe of NaN ms, which does not exist",
        patched(file, (view) => view.setFloat64(offsets.timeframe_ms, Number.NaN, true))
      ],
      ["The tick can't be -1", patched(file, (view) => view.setFloat64(offsets.tick, -1, true))],
      [
        "The header's field 1 goes beyond the header",
        patched(file, (view) => view.setUint32(offsets.fields + 4, 1000, true))
      ],
      [
        "The header's field 1 is not UTF-8",
        patched(file, (_, bytes) => bytes.fill(0xff, offsets.fields + 8, offsets.fields + 9))
      ],
      ["The file has 8 bytes after the last column", patched(longer, () => undefined)]
    ]
    for (const [message, bytes] of cases) {
      assert.deepStrictEqual(readCandleFile(bytes), { type: "malformed", message })
    }
  })

  it("has room to grow: fields, flags and columns that are not known are skipped", () => {
    const file = writeCandleFile(three, about)
    const { column_count, flags } = candleFileOffsets
    const more = new Uint8Array(file.length + 3 * 8)
    more.set(file)
    for (const grown of [
      withField(file, 99, Uint8Array.of(0xff, 0xfe, 0xfd)),
      withField(file, 98, new Uint8Array(0)),
      patched(file, (view) => view.setUint32(flags, 0xfffffffe, true)),
      patched(more, (view) => view.setUint32(column_count, 7, true))
    ]) {
      const read = readWhole(grown)
      assert.deepStrictEqual(read.about, about)
      assert.deepStrictEqual(bitsOf(read.columns), bitsOf(three))
    }
  })
})

describe("the page about the candle file", () => {
  const page = readFileSync(new URL("../../../../docs/candle-file.md", import.meta.url), "utf8")
  const rowsOf = (heading: string): ReadonlyArray<ReadonlyArray<string>> => {
    const section = page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? ""
    return section
      .split("\n")
      .filter((line) => line.startsWith("| "))
      .slice(2)
      .map((line) =>
        line
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim().replaceAll("`", ""))
      )
  }

  it("gives each part of the header its place and its size", () => {
    const rows = rowsOf("The header")
    const told = rows.map(([offset, , name]) => [name, Number(offset)])
    assert.deepStrictEqual(told, Object.entries(candleFileOffsets))
    const sizes: Record<string, number> = { "8 bytes": 8, u32: 4, f64: 8 }
    rows.slice(0, -1).forEach(([offset, type], index) => {
      assert.strictEqual(Number(offset) + sizes[type ?? ""]!, Number(rows[index + 1]?.[0]))
    })
  })

  it("tells the magic, the version, the kinds of fields, the flags and the columns", () => {
    const magic = candleFileMagic.map((byte) => byte.toString(16).padStart(2, "0")).join(" ")
    const rows = new Map(rowsOf("The header").map(([, , name, meaning]) => [name, meaning]))
    assert.isTrue(rows.get("magic")?.startsWith(`${magic}:`))
    assert.isTrue(rows.get("version")?.startsWith(`${candleFileVersion};`))
    assert.isTrue(page.includes(`\`.candles\`, version ${candleFileVersion}.`))
    assert.include(rows.get("header_bytes"), `${candleFileOffsets.fields} at least`)
    assert.include(rows.get("flags"), `bit ${Math.log2(candleFileFlags.synthetic)}: `)
    assert.include(
      rows.get("header_checksum"),
      `0–${candleFileOffsets.header_checksum - 1} followed by those from ${candleFileOffsets.columns_checksum}`
    )
    assert.deepStrictEqual(
      rowsOf("The fields").map(([kind, name]) => [name, Number(kind)]),
      Object.entries(candleFileFields)
    )
    assert.include(page, columnNames.map((name) => `\`${name}\``).join(", "))
  })

  it("tells every failure", () => {
    const failures: Record<CandleFileFailure["type"], true> = {
      not_a_candle_file: true,
      newer_version: true,
      truncated: true,
      checksum_mismatch: true,
      malformed: true,
      not_ascending: true
    }
    const told = rowsOf("What is refused").map(([failure]) => failure)
    assert.deepStrictEqual(told, Object.keys(failures))
  })
})
