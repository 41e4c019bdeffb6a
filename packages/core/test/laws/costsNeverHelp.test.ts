import { assert, describe, it } from "@effect/vitest"
import type { StrategyDefinition } from "../../src/domain/StrategyDefinition.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import type { Simulation } from "../../src/kernel/simulate.ts"
import { randomDefinition } from "../../src/testing/randomStrategy.ts"
import { drawCandles } from "./drawnCandles.ts"
import { openMarket, simulateOn } from "./simulated.ts"

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

const assertNeverBetter = (costly: Simulation, cheap: Simulation, where: string): void => {
  assert.deepStrictEqual(fillsOf(costly), fillsOf(cheap), where)
  for (let at = 0; at < cheap.equity.length; at += 1) {
    assert.isAtMost(costly.equity[at]!, cheap.equity[at]! + 1e-6, `${where}, candle ${at}`)
  }
}

describe("costs never help", () => {
  it("leaves at most as much equity at every candle with higher fees on the same fills", () => {
    let fillCount = 0
    for (let number = 0; number < 200; number += 1) {
      const random = makeRandom(`fees ${number}`)
      const definition = inFixedQuantity(randomDefinition(random.next))
      const candles = [drawCandles(random, definition.timeframe, 240)]
      const cheap = simulateOn(definition, candles, { capital }, free)
      const feeRate = random.next() * 0.01
      const spec = { ...free, makerRate: feeRate / 2, takerRate: feeRate }
      const costly = simulateOn(definition, candles, { capital }, spec)
      assertNeverBetter(costly, cheap, `strategy ${number}`)
      fillCount += cheap.fills.length
      if (cheap.fills.length > 0) {
        assert.isBelow(costly.equity.at(-1)!, cheap.equity.at(-1)!)
      }
    }
    assert.isAbove(fillCount, 1_000)
  })

  it("leaves at most as much equity with slippage, where no exit depends on the fill", () => {
    let fillCount = 0
    for (let number = 0; number < 500; number += 1) {
      const random = makeRandom(`slippage ${number}`)
      const { exits: _exits, entry: _entry, ...rest } = randomDefinition(random.next)
      const definition = inFixedQuantity(rest)
      const candles = [drawCandles(random, definition.timeframe, 240)]
      const cheap = simulateOn(definition, candles, { capital }, free)
      const spec = { ...free, slippageRate: random.next() * 0.01 }
      const costly = simulateOn(definition, candles, { capital }, spec)
      assertNeverBetter(costly, cheap, `strategy ${number}`)
      fillCount += cheap.fills.length
    }
    assert.isAbove(fillCount, 1_000)
  })
})
