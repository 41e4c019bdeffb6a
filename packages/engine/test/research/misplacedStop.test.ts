/**
 * Entries whose stop would lie on the wrong side of the price: not ordered, and counted.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Exits } from "../../src/language/Exits.ts"
import {
  above,
  atrMultiple,
  backtest,
  candles,
  constant,
  fractionOf,
  level,
  mul,
  price,
  strategy
} from "../../src/research/index.ts"

const hours = candles(
  Array.from({ length: 30 }, (_, hour) => [hour * 3_600_000, 100, 102, 98, 101] as const)
)

const run = (direction: "long" | "short", exits: Exits) => {
  const enter = above(price.close, constant(1))
  const rules = { symbols: ["BTC/USD"], timeframe: "1h", exits } as const
  const definition =
    direction === "long"
      ? strategy({ ...rules, long: { enter } })
      : strategy({ ...rules, short: { enter } })
  const { fills, misplacedStopCount } = backtest(hours, definition)
  return { count: misplacedStopCount, hasTraded: fills.length > 0 }
}

const timesClose = (factor: number) => level(mul(price.close, constant(factor)))

describe("a stop on the wrong side of the price", () => {
  it("drops each entry of a long whose level is above the price, and counts it", () => {
    const stop_loss = timesClose(1.2)
    assert.deepStrictEqual(run("long", { stop_loss }), { count: 30, hasTraded: false })
    assert.deepStrictEqual(run("short", { stop_loss }), { count: 0, hasTraded: true })
  })

  it("drops each entry of a short whose level is below the price, and counts it", () => {
    const stop_loss = timesClose(0.8)
    assert.deepStrictEqual(run("short", { stop_loss }), { count: 30, hasTraded: false })
    assert.deepStrictEqual(run("long", { stop_loss }), { count: 0, hasTraded: true })
  })

  it("is not a stop that is not known yet, nor one at a distance", () => {
    for (const stop_loss of [atrMultiple(1, 14), fractionOf(0.01)]) {
      assert.deepStrictEqual(run("long", { stop_loss }), { count: 0, hasTraded: true })
    }
  })
})
