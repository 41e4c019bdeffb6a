import { assert, describe, it } from "@effect/vitest"
import { makeRandom } from "../../src/kernel/random.ts"
import { randomDefinition } from "../../src/testing/randomStrategy.ts"
import { drawCandles } from "./drawnCandles.ts"
import { openMarket, simulateOn } from "./simulated.ts"

const capital = 10_000

describe("equity adds up", () => {
  it("is cash and positions at their last close, at every candle, from the fills alone", () => {
    let fillCount = 0
    for (let number = 0; number < 200; number += 1) {
      const random = makeRandom(`adds up ${number}`)
      const definition = randomDefinition(random.next)
      const columns = drawCandles(random, definition.timeframe, 240)
      const fill = random.pick(["next_open", "close"] as const)
      const endOfData = random.pick(["close", "open"] as const)
      const spec = { ...openMarket, leverage: random.pick([1, 3]) }
      const simulation = simulateOn(definition, [columns], { fill, endOfData }, spec)
      let cash = capital
      let quantity = 0
      let next = 0
      for (let at = 0; at < columns.length; at += 1) {
        for (; next < simulation.fills.length; next += 1) {
          const one = simulation.fills[next]!
          if (one.index > at) break
          assert.strictEqual(one.time, columns.time[one.index])
          cash -= one.side * one.quantity * one.price + one.fee
          quantity += one.side * one.quantity
        }
        const equity = cash + quantity * columns.close[at]!
        assert.closeTo(simulation.equity[at]!, equity, 1e-6, `strategy ${number}, candle ${at}`)
      }
      assert.strictEqual(next, simulation.fills.length)
      fillCount += next
      if (endOfData === "close") assert.closeTo(quantity, 0, 1e-9)
    }
    assert.isAbove(fillCount, 1_000)
  })

  it("ends at the capital plus the results of all closed positions", () => {
    for (let number = 0; number < 200; number += 1) {
      const random = makeRandom(`results ${number}`)
      const definition = randomDefinition(random.next)
      const columns = drawCandles(random, definition.timeframe, 240)
      const { equity, closed } = simulateOn(definition, [columns])
      const sum = closed.reduce((total, position) => total + position.pnl, capital)
      assert.closeTo(equity[equity.length - 1]!, sum, 1e-6, `strategy ${number}`)
    }
  })
})
