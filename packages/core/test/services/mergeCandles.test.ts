import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type CandleColumns, columnNames, makeColumns } from "../../../engine/src/kernel/columns.ts"
import { makeRandom } from "../../../engine/src/kernel/random.ts"
import { mergeCandles } from "../../src/services/candles/mergeCandles.ts"

const columnsOf = (times: ReadonlyArray<number>, price = 0): CandleColumns => {
  const columns = makeColumns(times.length)
  times.forEach((time, index) => {
    for (const name of columnNames) columns[name][index] = name === "time" ? time : time + price
  })
  return columns
}

const merge = (kept: CandleColumns, incoming: CandleColumns) =>
  Effect.runSync(mergeCandles(kept, incoming))

describe("mergeCandles", () => {
  it.effect("lets other work come between stretches of a long series", () =>
    Effect.gen(function* () {
      const long = columnsOf(Array.from({ length: 200_000 }, (_, index) => index * 60_000))
      let turns = 0
      let isOver = false
      const count = (): void => {
        turns++
        if (!isOver) setImmediate(count)
      }
      setImmediate(count)
      const { columns } = yield* mergeCandles(makeColumns(0), long)
      isOver = true
      assert.deepStrictEqual(columns, long)
      assert.isAtLeast(turns, 12)
    })
  )

  it("gives the union of any two parts of a series, whatever their overlap", () => {
    const random = makeRandom("mergeCandles")
    for (let round = 0; round < 200; round++) {
      const times = Array.from({ length: 30 }, (_, index) => index * 60_000)
      const left = times.filter(() => random.next() < 0.5)
      const right = times.filter(() => random.next() < 0.5)
      const union = times.filter((time) => left.includes(time) || right.includes(time))
      const { columns, conflicts } = merge(columnsOf(left), columnsOf(right))
      assert.deepStrictEqual(conflicts, [])
      assert.strictEqual(columns.length, union.length)
      for (const name of columnNames) {
        assert.deepStrictEqual(columns[name], columnsOf(union)[name])
      }
    }
  })

  it("tells when both have a candle with other values", () => {
    const { conflicts } = merge(columnsOf([0, 60_000]), columnsOf([60_000, 120_000], 1))
    assert.deepStrictEqual(conflicts, [60_000])
  })

  it("knows one zero only", () => {
    const incoming = columnsOf([0])
    incoming.volume[0] = -0
    assert.isTrue(Object.is(merge(makeColumns(0), incoming).columns.volume[0], 0))
  })
})
