/**
 * Prices that fall to next to nothing. Between two closes the return may round to the loss of
 * everything. None comes after it, though sums of candles' own returns would go on. And what is
 * left of a position is so little that the rounding of the cash beside it counts.
 */
import { assert, describe, it } from "@effect/vitest"
import { mayLoseAll } from "../../src/fast/mayLoseAll.ts"
import { type CandleColumns, columnNames, copyColumns } from "../../src/kernel/columns.ts"
import { randomWalk } from "../../src/testing/randomCandles.ts"
import { above, assertPlain, average, close, constant, optionsOf, runOf } from "./engineRuns.ts"

/** A walk of more than two tiles whose prices are `share` of what they were, from a candle on. */
const fallen = (share: number, from = 700): CandleColumns => {
  const columns = copyColumns(randomWalk("fallen", { count: 5_000, volatility: 0.004 }))
  for (const name of columnNames) {
    if (name === "time" || name === "volume") continue
    for (let at = from; at < columns.length; at += 1) columns[name][at]! *= share
  }
  return columns
}

const always = { enter: above(close, constant(0)) }
const rising = above(average(5), average(40))

const runs = [
  runOf({ long: always }),
  runOf({ long: { enter: rising, exit: { type: "not", rule: rising } } }),
  runOf({ long: always, exits: { stop_loss: { type: "fraction", value: 0.5 } } }),
  runOf({ long: always, exits: { time_limit: 50 } })
]

const costs = { makerRate: 0.0002, takerRate: 0.0002, canShort: false }

describe("a fall to nothing", () => {
  it.each([
    ["at closes", {}],
    ["at opens", { fill: "next_open" }],
    ["by days", { returns: "day" }],
    ["without WebAssembly", { webAssembly: false }]
  ] as const)("gives the figures of the plain path: filled %s", (_, changes) => {
    const options = optionsOf(changes, costs)
    for (const share of [1e-20, 1e-17, 1e-12, 1e-8, 5e-7, 1e-5, 0.5]) {
      const { plain } = assertPlain(fallen(share), runs, options, `a fall to ${share}`)
      const isLost = share < 2e-7
      assert.isTrue(
        plain.every(({ reason }) => isLost && reason === "its equity was used up"),
        JSON.stringify(plain)
      )
      assert.strictEqual(plain.length > 0, isLost)
    }
  })

  it("buys again as the plain path does where prices come back", () => {
    for (let from = 700; from < 1_300; from += 50) {
      const columns = fallen(1e-18, from)
      const whole = fallen(1)
      for (const name of columnNames) columns[name].set(whole[name].subarray(1_500), 1_500)
      for (const returns of ["candle", "day"] as const) {
        const options = optionsOf({ returns, capital: 1 }, { ...costs, takerRate: 0.02 })
        const { figures } = assertPlain(columns, runs, options, `${returns}, from ${from}`)
        // The rounding rest is cash, and never less than nothing.
        assert.isAbove(figures.at(-1)!, 90)
      }
    }
  })

  it("is found where it happens, and nowhere before the first candle that counts", () => {
    const { spec } = optionsOf({}, costs)
    const candles = fallen(1e-17)
    assert.isTrue(mayLoseAll(candles, 0, spec))
    assert.isTrue(mayLoseAll(candles, 699, spec))
    assert.isFalse(mayLoseAll(candles, 700, spec))
    assert.isFalse(mayLoseAll(fallen(1e-5), 0, spec))
    // A cost that hardly leaves anything makes a smaller fall do.
    assert.isTrue(mayLoseAll(fallen(1e-5), 0, { ...spec, slippageRate: 1 - 1e-6 }))
  })
})
