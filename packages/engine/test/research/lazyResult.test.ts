/**
 * Fields that are made when they are first read are fields all the same: copies of a result, and its
 * JSON, have them.
 */
import { assert, describe, it } from "@effect/vitest"
import { makeRandom } from "../../src/kernel/random.ts"
import { backtest } from "../../src/research/backtest.ts"
import { drawCandles } from "../laws/drawnCandles.ts"

const close = { type: "price", field: "close" } as const
const average = { type: "sma", period: 5 } as const

const definition = {
  format: 1,
  symbols: ["AAA/USD"],
  timeframe: "1h",
  parameters: {},
  long: {
    enter: { type: "crosses_above", left: close, right: average },
    exit: { type: "crosses_below", left: close, right: average }
  }
} as const

const drawn = (seed: string, count: number) => drawCandles(makeRandom(seed), "1h", count)

const read = (result: ReturnType<typeof backtest>) => {
  const { entryPrice, entryTime, exitPrice, exitTime, pnl, quantity, returnRate } = result.positions
  const { equity, gaps, metrics, time } = result
  const columns = { entryPrice, entryTime, exitPrice, exitTime, pnl, quantity, returnRate }
  return { columns, equity, gaps, metrics, time }
}

describe("a result whose fields are made late", () => {
  const columns = drawn("late fields", 400)

  it("has them in copies, in threads and in JSON", () => {
    const wanted = read(backtest(columns, definition))
    assert.isAbove(wanted.columns.pnl.length, 20)
    const cloned = structuredClone(backtest(columns, definition))
    assert.deepStrictEqual(read(cloned), wanted)
    assert.deepStrictEqual(read({ ...backtest(columns, definition) }), wanted)
    const json = JSON.parse(JSON.stringify(backtest(columns, definition))) as typeof cloned
    assert.deepStrictEqual(Array.from(json.time), Array.from(wanted.time))
    assert.deepStrictEqual(json.gaps, wanted.gaps)
    assert.deepStrictEqual(
      Array.from(json.positions, ({ pnl }) => pnl),
      Array.from(wanted.columns.pnl)
    )
  })

  it("makes each of them once", () => {
    const result = backtest(columns, definition)
    assert.strictEqual(result.time, result.time)
    assert.strictEqual(result.positions.pnl, result.positions.pnl)
    assert.notStrictEqual(result.time.buffer, columns.time.buffer)
  })

  it("keeps what it was when others are run after it", () => {
    const long = drawn("kept memory", 6_000)
    const first = backtest(long, definition)
    const wanted = structuredClone(first)
    for (const count of [6_000, 5_000, 300]) backtest(drawn("others", count), definition)
    assert.deepStrictEqual(read(first), read(wanted))
    assert.deepStrictEqual(read(backtest(long, definition)), read(wanted))
  })
})
