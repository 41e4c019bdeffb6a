/**
 * An account adds up with any orders of a ladder, and later candles change nothing of the past.
 */
import { assert, describe, it } from "@effect/vitest"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { sliceColumns } from "../../src/kernel/columns.ts"
import type { Simulation } from "../../src/kernel/simulate.ts"
import { ladderKinds, randomLadder } from "../../src/testing/randomLadder.ts"
import { drawCandles } from "./drawnCandles.ts"
import { openMarket, simulateOn } from "./simulated.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const capital = 10_000
const symbols = ["AAA/USD", "BBB/USD"] as const

/** Cash and positions at their last close, from the fills alone. */
const assertAddsUp = (
  simulation: Simulation,
  candles: ReadonlyArray<Parameters<typeof sliceColumns>[0]>,
  said: string
): void => {
  const held = candles.map(() => ({ quantity: 0, close: Number.NaN, at: -1 }))
  let cash = capital
  let next = 0
  simulation.time.forEach((time, step) => {
    candles.forEach(({ close, time: opens }, market) => {
      const one = held[market]!
      if (opens[one.at + 1] !== time) return
      one.at += 1
      one.close = close[one.at]!
    })
    let hasEnded = false
    for (; next < simulation.fills.length; next += 1) {
      const one = simulation.fills[next]!
      if (one.time > time) break
      cash -= one.side * one.quantity * one.price + one.fee
      held[one.market]!.quantity += one.side * one.quantity
      hasEnded ||= one.closed?.exitReason === "end_of_data"
    }
    if (hasEnded) return
    const open = held.filter(({ quantity }) => Math.abs(quantity) > 1e-9)
    const equity = open.reduce((sum, one) => sum + one.quantity * one.close, cash)
    assert.closeTo(simulation.equity[step]!, equity, 1e-6, `${said}, step ${step}`)
  })
  assert.strictEqual(next, simulation.fills.length, said)
  const sum = simulation.closed.reduce((total, { pnl }) => total + pnl, capital)
  assert.closeTo(simulation.equity.at(-1)!, sum, 1e-6, said)
}

const kindOf = (definition: StrategyDefinition): ReadonlyArray<string> =>
  ladderKinds.filter((kind) => {
    const { long, short } = definition
    return [definition, long, short].some((part) => part !== undefined && kind in part)
  })

describe("a ladder", () => {
  it("adds up to cash and positions at their last close, at every candle", () => {
    const seen = new Map<string, number>()
    for (const { number, random } of draws("ladders add up", 300)) {
      const several = random.next() < 0.25
      const drawn = randomLadder(random.next, { symbols: several ? symbols : ["AAA/USD"] })
      const candles = drawn.symbols.map(() =>
        drawCandles(random, drawn.timeframe, random.integer(120, 240))
      )
      const fill = random.pick(["next_open", "close"] as const)
      const leverage = random.pick([1, 1, 3])
      const simulation = simulateOn(drawn, candles, { fill }, { ...openMarket, leverage })
      const said = `ladder ${number}, ${JSON.stringify(drawn)}`
      assertAddsUp(simulation, candles, said)
      for (const { price, quantity } of simulation.fills) {
        assert.isAbove(quantity, 0, said)
        assert.isAbove(price, 0, said)
      }
      for (const kind of kindOf(drawn)) {
        seen.set(kind, (seen.get(kind) ?? 0) + simulation.fills.length)
      }
    }
    for (const kind of [
      "additions",
      "safety_orders",
      "targets",
      "reductions",
      "grid",
      "rebalance"
    ]) {
      assert.isAbove(seen.get(kind) ?? 0, atLeast(50), kind)
    }
  })

  it("does before a candle what it does where the candles end there", () => {
    for (const { number, random } of draws("ladders cut", 150)) {
      const drawn = randomLadder(random.next)
      const candles = drawCandles(random, drawn.timeframe, 240)
      const fill = random.pick(["next_open", "close"] as const)
      const until = random.integer(30, 239)
      const whole = simulateOn(drawn, [candles], { fill, endOfData: "open" })
      const cut = simulateOn(drawn, [sliceColumns(candles, 0, until)], { fill, endOfData: "open" })
      const said = `ladder ${number} until ${until}, ${JSON.stringify(drawn)}`
      assert.deepStrictEqual(cut.equity, whole.equity.slice(0, until), said)
      const before = whole.fills.filter(({ index }) => index < until)
      assert.deepStrictEqual(cut.fills, before, said)
    }
  })
})
