/** Few bytes that ask for much, in the parts of a Parquet file that are looked through. */
import { assert, it } from "@effect/vitest"
import {
  checkDeltas,
  checkPackedRuns,
  checkThrift,
  checkPageValues,
  Damaged
} from "../../src/server/parquetChecks.ts"

const viewOf = (bytes: ReadonlyArray<number>) => new DataView(Uint8Array.from(bytes).buffer)

it("gives where a structure ends, whatever is in it", () => {
  // Fields of every kind: a flag, a byte, a number, a double, a text, a list, a structure.
  const fields = [0x11, 0x13, 7, 0x15, 0x80, 1, 0x17, 0, 0, 0, 0, 0, 0, 0, 0, 0x18, 2, 97, 98]
  const bytes = [...fields, 0x19, 0x25, 1, 2, 0x1c, 0x00, 0x0c, 0x64, 0x00, 0x00]
  assert.strictEqual(checkThrift(viewOf([9, ...bytes, 9]), 1), 1 + bytes.length)
})

it("refuses lists, texts and numbers that are longer than their bytes, and what is too deep", () => {
  for (const bytes of [
    [0x19, 0xf5, 0x80, 0x80, 0x80, 0x0f, 0],
    [0x18, 0xff, 0xff, 0x7f, 0],
    [0x16, ...Array<number>(11).fill(0x80), 1, 0],
    [0x1d, 0],
    [0x1a, 0],
    Array<number>(100).fill(0x1c)
  ]) {
    assert.throws(() => checkThrift(viewOf(bytes), 0), Damaged)
  }
  assert.throws(() => checkThrift(viewOf([0x15]), 0), RangeError)
})

it("refuses a run of more numbers than a page has, and takes one that is filled up", () => {
  const runs = (...bytes: ReadonlyArray<number>) => Uint8Array.from(bytes)
  checkPackedRuns(runs(20, 1), 10, 1)
  checkPackedRuns(runs(5, 255, 1), 10, 1)
  assert.throws(() => checkPackedRuns(runs(0xfe, 0xff, 0xff, 0x7f, 1), 10, 1), Damaged)
  assert.throws(() => checkPackedRuns(runs(0xff, 0xff, 0xff, 0x7f, 1), 10, 1), Damaged)
  const page = runs(1, 0xfe, 0xff, 0xff, 0x7f, 1)
  const values = { count: 10, encoding: "RLE_DICTIONARY", hasLevels: false }
  assert.throws(() => checkPageValues(page, values), Damaged)
  assert.throws(() => checkPageValues(page, { ...values, encoding: "RLE" }), Damaged)
  assert.throws(() => checkPageValues(runs(33, 20, 1), values), Damaged)
  assert.throws(() => checkPageValues(page, { ...values, encoding: "DELTA_BYTE_ARRAY" }), Damaged)
  assert.throws(
    () => checkPageValues(runs(2, 0, 0, 0, 0xfe, 0x7f, 1), { ...values, hasLevels: true }),
    Damaged
  )
  checkPageValues(page, { ...values, encoding: "PLAIN" })
})

it("refuses differences with too many digits, wherever they are, and blocks that there are not", () => {
  // Blocks of 128 in 4 parts, the first value, the least difference, the widths, 32 numbers.
  const head = [0x80, 1, 4, 40, 2]
  const block = (...least: ReadonlyArray<number>) => [...least, 1, 0, 0, 0, 7, 7, 7, 7]
  const long = [...Array<number>(11).fill(0x80), 1]
  const deltas = (...parts: ReadonlyArray<ReadonlyArray<number>>) => Uint8Array.from(parts.flat())
  checkDeltas(deltas(head, block(3)), 40)
  checkDeltas(deltas(head, block(3), block(0x80, 1)), 130)
  // The bytes after the values are none of them.
  checkDeltas(deltas(head, block(3), long), 129)
  assert.throws(() => checkDeltas(deltas(head, block(3), long), 130), Damaged)
  assert.throws(() => checkDeltas(deltas(head, long), 2), Damaged)
  assert.throws(() => checkDeltas(deltas([0x80, 1, 4, 40], long), 1), Damaged)
  assert.throws(() => checkDeltas(deltas(head, [3, 65, 0, 0, 0]), 2), Damaged)
  for (const sizes of [
    [0x80, 1, 0],
    [0x80, 1, 8],
    [0, 4],
    [0x80, 0x80, 0x80, 1, 1]
  ]) {
    assert.throws(() => checkDeltas(deltas(sizes, [1, 2]), 1), Damaged)
  }
  // A run of 128 values that are there, and six of which the first, or the last too, is there.
  const page = { count: 134, encoding: "DELTA_BINARY_PACKED", hasLevels: true }
  const levels = (last: number) => [5, 0, 0, 0, 0x80, 2, 1, 3, last]
  const values = deltas(levels(0b0000_0001), head, block(3), long)
  checkPageValues(values, page)
  assert.throws(
    () => checkPageValues(deltas(levels(0b0010_0001), head, block(3), long), page),
    Damaged
  )
})
