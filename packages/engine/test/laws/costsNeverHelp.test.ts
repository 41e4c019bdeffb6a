import { assert, describe, it } from "@effect/vitest"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import type { Simulation } from "../../src/kernel/simulate.ts"
import { randomDefinition } from "../../src/testing/randomStrategy.ts"
import { drawCandles } from "./drawnCandles.ts"
import { openMarket, simulateOn } from "./simulated.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

/** So much that no order is ever cut to what can be paid. */
const capital = 1e9

const free = { ...openMarket, makerRate: 0, takerRate: 0, slippageRate: 0 }

/** The same orders whatever they cost: a fixed quantity. */
const inFixedQuantity = (definition: StrategyDefinition): StrategyDefinition => ({
  ...definition,
  sizing: { type: "fixed_quantity", quantity: 2 }
})

const fillsOf = (simulation: Simulation) =>
  simulation.fills.map(({ index, side, quantity, leg }) => ({ index, side, quantity, leg }))

const lastEquity = ({ equity }: Simulation): number => equity[equity.length - 1]!

const assertNeverBetter = (costly: Simulation, cheap: Simulation, where: string): void => {
  assert.deepStrictEqual(fillsOf(costly), fillsOf(cheap), where)
  for (let at = 0; at < cheap.equity.length; at += 1) {
    assert.isAtMost(costly.equity[at]!, cheap.equity[at]! + 1e-6, `${where}, candle ${at}`)
  }
}

describe("costs never help", () => {
  it("leaves at most as much equity at every candle with higher fees on the same fills", () => {
    let fillCount = 0
    for (const { number, random } of draws("fees", 200)) {
      const definition = inFixedQuantity(randomDefinition(random.next))
      const candles = [drawCandles(random, definition.timeframe, 240)]
      const cheap = simulateOn(definition, candles, { capital }, free)
      const feeRate = random.next() * 0.01
      const spec = { ...free, makerRate: feeRate / 2, takerRate: feeRate }
      const costly = simulateOn(definition, candles, { capital }, spec)
      assertNeverBetter(costly, cheap, `strategy ${number}`)
      fillCount += cheap.fills.length
      if (cheap.fills.length > 0) {
        assert.isBelow(lastEquity(costly), lastEquity(cheap))
      }
    }
    assert.isAbove(fillCount, atLeast(1_000))
  })

  it("leaves at most as much equity with slippage, where no exit depends on the fill", () => {
    let fillCount = 0
    for (const { number, random } of draws("slippage", 500)) {
      const { exits: _exits, entry: _entry, ...rest } = randomDefinition(random.next)
      const definition = inFixedQuantity(rest)
      const candles = [drawCandles(random, definition.timeframe, 240)]
      const cheap = simulateOn(definition, candles, { capital }, free)
      const spec = { ...free, slippageRate: random.next() * 0.01 }
      const costly = simulateOn(definition, candles, { capital }, spec)
      assertNeverBetter(costly, cheap, `strategy ${number}`)
      fillCount += cheap.fills.length
    }
    assert.isAbove(fillCount, atLeast(1_000))
  })

  it("leaves at most as much equity over several markets with one cash", () => {
    let fillCount = 0
    for (const { number, random } of draws("shared costs", 150)) {
      const symbols = ["AAA/USD", "BBB/USD", "CCC/USD"] as const
      const definition = inFixedQuantity(randomDefinition(random.next, { symbols }))
      const candles = symbols.map(() => drawCandles(random, definition.timeframe, 200))
      const fill = random.pick(["next_open", "close"] as const)
      const cheap = simulateOn(definition, candles, { capital, fill }, free)
      const feeRate = random.next() * 0.01
      const spec = { ...free, makerRate: feeRate / 2, takerRate: feeRate, feePerFill: 1 }
      const costly = simulateOn(definition, candles, { capital, fill }, spec)
      assertNeverBetter(costly, cheap, `strategy ${number}`)
      const fees = costly.fills.reduce((sum, { fee }) => sum + fee, 0)
      assert.closeTo(lastEquity(cheap) - lastEquity(costly), fees, 1e-4, "all that it cost")
      fillCount += cheap.fills.length
    }
    assert.isAbove(fillCount, atLeast(1_000))
  })

  it("leaves at most as much where cash is scarce, wherever the fills are the same", () => {
    let sameCount = 0
    for (const { number, random } of draws("scarce cash", 300)) {
      const symbols = ["AAA/USD", "BBB/USD", "CCC/USD"] as const
      const definition = inFixedQuantity(randomDefinition(random.next, { symbols }))
      const candles = symbols.map(() => drawCandles(random, definition.timeframe, 200))
      const scarce = random.integer(300, 1_000)
      const cheap = simulateOn(definition, candles, { capital: scarce }, free)
      const spec = { ...free, makerRate: 0.0002, takerRate: 0.0005 }
      const costly = simulateOn(definition, candles, { capital: scarce }, spec)
      // What can't be paid is cut or dropped, and then another story is told.
      const isSame = JSON.stringify(fillsOf(costly)) === JSON.stringify(fillsOf(cheap))
      if (!isSame || cheap.fills.length === 0) continue
      assertNeverBetter(costly, cheap, `strategy ${number}`)
      sameCount += 1
    }
    assert.isAbove(sameCount, atLeast(50))
  })
})
