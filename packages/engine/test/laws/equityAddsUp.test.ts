import { assert, describe, it } from "@effect/vitest"
import { drawStrategy } from "./drawnStrategies.ts"
import { drawCandles } from "./drawnCandles.ts"
import { openMarket, simulateOn } from "./simulated.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const capital = 10_000

/** Compares equity with the fills where it is told to, and says what it has seen. */
const assertShared = (isCompared: (isEndedEarly: boolean) => boolean) => {
  const seen = { fills: 0, sharedSteps: 0, endedEarly: 0 }
  for (const { number, random } of draws("shared cash", 150)) {
    const drawn = drawStrategy(random.next, { symbols: ["AAA/USD", "BBB/USD", "CCC/USD"] })
    const definition = { ...drawn, max_positions: 3 }
    // They begin and end at different times and have gaps of their own.
    const candles = definition.symbols.map(() =>
      drawCandles(random, definition.timeframe, random.integer(120, 240))
    )
    const fill = random.pick(["next_open", "close"] as const)
    const endOfData = random.pick(["close", "open"] as const)
    const spec = { ...openMarket, leverage: random.pick([1, 3]) }
    const simulation = simulateOn(definition, candles, { fill, endOfData }, spec)
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
      let isEndedEarly = false
      for (; next < simulation.fills.length; next += 1) {
        const one = simulation.fills[next]!
        if (one.time > time) break
        cash -= one.side * one.quantity * one.price + one.fee
        held[one.market]!.quantity += one.side * one.quantity
        if (one.closed?.exitReason === "end_of_data") {
          isEndedEarly = fill === "next_open" && step < simulation.time.length - 1
        }
      }
      const open = held.filter(({ quantity }) => Math.abs(quantity) > 1e-9)
      if (open.length > 1) seen.sharedSteps += 1
      if (isEndedEarly) seen.endedEarly += 1
      const equity = open.reduce((sum, one) => sum + one.quantity * one.close, cash)
      const where = `strategy ${number}, ${definition.timeframe}, step ${step}`
      if (isCompared(isEndedEarly)) {
        assert.closeTo(simulation.equity[step]!, equity, 1e-6, where)
      }
    })
    assert.strictEqual(next, simulation.fills.length)
    const sum = simulation.closed.reduce((total, { pnl }) => total + pnl, capital)
    if (endOfData === "close")
      assert.closeTo(simulation.equity[simulation.equity.length - 1]!, sum, 1e-6)
    seen.fills += next
  }
  return seen
}

describe("equity adds up", () => {
  it("is cash and positions at their last close, at every candle, from the fills alone", () => {
    let fillCount = 0
    for (const { number, random } of draws("adds up", 200)) {
      const definition = drawStrategy(random.next)
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
    assert.isAbove(fillCount, atLeast(1_000))
  })

  it("ends at the capital plus the results of all closed positions", () => {
    for (const { number, random } of draws("results", 200)) {
      const definition = drawStrategy(random.next)
      const columns = drawCandles(random, definition.timeframe, 240)
      const { equity, closed } = simulateOn(definition, [columns])
      const sum = closed.reduce((total, position) => total + position.pnl, capital)
      assert.closeTo(equity[equity.length - 1]!, sum, 1e-6, `strategy ${number}`)
    }
  })

  it("is one cash and the positions of several markets, at every time, from the fills alone", () => {
    const { fills, sharedSteps } = assertShared(() => true)
    assert.isAbove(fills, atLeast(1_000))
    assert.isAbove(sharedSteps, atLeast(1_000))
  })

  it("has paid, at the candle at which a market ends before the others, for being closed", () => {
    assert.isAbove(assertShared((isEndedEarly) => isEndedEarly).endedEarly, atLeast(5))
  })
})
