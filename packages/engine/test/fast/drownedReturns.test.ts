/**
 * Returns are differences of sums over a tile's candles. One that is far larger than those of a run
 * would leave nothing of them, though the run held no position then.
 */
import { assert, describe, it } from "@effect/vitest"
import { type CandleColumns, copyColumns } from "../../src/kernel/columns.ts"
import { randomWalk } from "../../src/testing/randomCandles.ts"
import { above, assertPlain, average, close, constant, optionsOf, runOf } from "./engineRuns.ts"

const rising = above(average(5), average(40))

const rules = [
  { enter: above(close, constant(0)) },
  { enter: rising, exit: { type: "not", rule: rising } }
] as const

/** A walk with one candle at so many times the price, long before the first one that counts. */
const misprinted = (times: number): CandleColumns => {
  const columns = copyColumns(randomWalk("misprinted", { count: 2_500, volatility: 0.004 }))
  for (const name of ["open", "high", "low", "close"] as const) columns[name][10]! *= times
  return columns
}

describe("a price that was far off before the first candle that counts", () => {
  it.each([
    ["at closes", {}],
    ["at opens", { fill: "next_open" }],
    ["without WebAssembly", { webAssembly: false }]
  ] as const)("changes no figure of a run: filled %s", (_, changes) => {
    const costs = { makerRate: 0.0002, takerRate: 0.0002, canShort: false }
    const options = optionsOf({ periodsPerYear: 8_760, from: 300, ...changes }, costs)
    const allIn = rules.map((long) => runOf({ long }))
    // An order for more than all of the equity is cut to it, and has the candles' own returns as
    // well.
    const sizes = [
      { type: "fixed_quantity", quantity: 1e9 },
      { type: "fixed_notional", notional: 1e9 },
      { type: "equity_fraction", fraction: 0.5 }
    ] as const
    const sized = rules.flatMap((long) => sizes.map((sizing) => runOf({ long, sizing })))
    for (const times of [1, 2, 1e3, 1e5, 1e8, 1e200]) {
      const where = `${times} times the price`
      const { plain } = assertPlain(misprinted(times), [...allIn, ...sized], options, where)
      const reason = "its returns are small beside the price's"
      const repeated = times < 1e3 ? [] : allIn.map((_run, index) => ({ index, reason }))
      assert.deepStrictEqual(plain, repeated, where)
    }
  })
})
