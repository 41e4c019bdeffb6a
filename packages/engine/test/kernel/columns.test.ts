import { assert, describe, it } from "@effect/vitest"
import {
  type CandleColumns,
  columnNames,
  copyColumns,
  fromSharedColumns,
  indexAt,
  makeColumns,
  sliceColumns,
  toSharedColumns
} from "../../src/kernel/columns.ts"

/** Candles at 10, 20, … whose fields all differ. */
const counted = (length: number): CandleColumns => {
  const columns = makeColumns(length)
  columnNames.forEach((name, field) => {
    for (let index = 0; index < length; index++) columns[name][index] = 10 * (index + 1) + field
  })
  return columns
}

const listed = (columns: CandleColumns) => [
  columns.length,
  ...columnNames.map((name) => [...columns[name]])
]

describe("columns of candles", () => {
  it("has a field for each name and nothing in them at first", () => {
    assert.deepStrictEqual(listed(makeColumns(2)), [2, ...columnNames.map(() => [0, 0])])
    assert.deepStrictEqual(Object.keys(makeColumns(0)), ["length", ...columnNames])
  })

  it("slices the candles from the first to before the last", () => {
    assert.deepStrictEqual(listed(sliceColumns(counted(4), 1, 3)), [
      2,
      [20, 30],
      [21, 31],
      [22, 32],
      [23, 33],
      [24, 34],
      [25, 35]
    ])
  })

  it("slices to the end at most, and nothing where the end comes first", () => {
    assert.deepStrictEqual([...sliceColumns(counted(3), 2).time], [30])
    assert.deepStrictEqual(listed(sliceColumns(counted(3), 2, 9)), [
      1,
      [30],
      [31],
      [32],
      [33],
      [34],
      [35]
    ])
    const empty = [0, ...columnNames.map(() => [])]
    assert.deepStrictEqual(listed(sliceColumns(counted(3), 2, 1)), empty)
    assert.deepStrictEqual(listed(sliceColumns(counted(3), 7)), empty)
  })

  it("shares memory with a slice and none with a copy", () => {
    const columns = counted(3)
    const slice = sliceColumns(columns, 1)
    const copy = copyColumns(columns)
    columns.close[1] = -1
    assert.strictEqual(slice.close[0], -1)
    assert.deepStrictEqual(listed(copy), listed(counted(3)))
  })

  it("finds the first candle at or after a time", () => {
    const columns = counted(4)
    const found = [-5, 10, 11, 20, 39, 40, 41].map((time) => indexAt(columns, time))
    assert.deepStrictEqual(found, [0, 0, 1, 1, 3, 3, 4])
    assert.strictEqual(indexAt(makeColumns(0), 10), 0)
  })

  it("finds the first candle of every length as a search from the start does", () => {
    for (let length = 0; length <= 9; length++) {
      const columns = counted(length)
      for (let time = 0; time <= 100; time += 5) {
        const expected = columns.time.findIndex((opened) => opened >= time)
        assert.strictEqual(indexAt(columns, time), expected < 0 ? length : expected)
      }
    }
  })

  it("gets the same candles back out of shared memory, and sees what is written there", () => {
    const buffer = toSharedColumns(counted(3))
    const one = fromSharedColumns(buffer)
    const other = fromSharedColumns(buffer)
    assert.strictEqual(buffer.byteLength, 3 * 6 * 8)
    assert.deepStrictEqual(listed(one), listed(counted(3)))
    one.low[2] = -1
    assert.strictEqual(other.low[2], -1)
  })

  it("shares a slice without what lies around it", () => {
    const shared = fromSharedColumns(toSharedColumns(sliceColumns(counted(5), 1, 3)))
    assert.deepStrictEqual(listed(shared), listed(sliceColumns(counted(5), 1, 3)))
    assert.deepStrictEqual(listed(fromSharedColumns(toSharedColumns(makeColumns(0)))), [
      0,
      ...columnNames.map(() => [])
    ])
  })
})
