import { assert, describe, it } from "@effect/vitest"
import { type CandleColumns, columnNames, makeColumns } from "../../src/kernel/columns.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { mergeCandles } from "../../src/services/internal/mergeCandles.ts"

const columnsOf = (times: ReadonlyArray<number>, price = 0): CandleColumns => {
  const columns = makeColumns(times.length)
  times.forEach((time, index) => {
    for (const name of columnNames) columns[name][index] = name === "time" ? time : time + price
  })
  return columns
}

describe("mergeCandles", () => {
  it("gives the union of any two parts of a series, whatever their overlap", () => {
    const random = makeRandom("mergeCandles")
    for (let round = 0; round < 200; round++) {
      const times = Array.from({ length: 30 }, (_, index) => index * 60_000)
      const left = times.filter(() => random.next() < 0.5)
      const right = times.filter(() => random.next() < 0.5)
      const union = times.filter((time) => left.includes(time) || right.includes(time))
      const { columns } = mergeCandles(columnsOf(left), columnsOf(right))
      assert.strictEqual(columns?.length, union.length)
      for (const name of columnNames) {
        assert.deepStrictEqual(columns![name], columnsOf(union)[name])
      }
    }
  })

  it("names the rows that contradict what is kept", () => {
    const { faults } = mergeCandles(columnsOf([0, 60_000]), columnsOf([60_000, 120_000], 1))
    assert.deepStrictEqual(faults, [
      {
        pointer: "/0",
        code: "contradicts_kept",
        message: "Row 1: the candle of 1970-01-01T00:01:00.000Z is kept already, with other values."
      }
    ])
  })

  it("names at most a hundred of them", () => {
    const times = Array.from({ length: 300 }, (_, index) => index * 60_000)
    assert.strictEqual(mergeCandles(columnsOf(times), columnsOf(times, 1)).faults?.length, 100)
  })

  it("knows one zero only", () => {
    const incoming = columnsOf([0])
    incoming.volume[0] = -0
    assert.isTrue(Object.is(mergeCandles(makeColumns(0), incoming).columns!.volume[0], 0))
  })
})
