/**
 * A definition and the same strategy as code make the same trades, to the bit: in a backtest, in a
 * sweep and candle by candle as a bot steps.
 */
import { assert, describe, it } from "@effect/vitest"
import { makeMarketStep, toMarketRules } from "../../src/plan/codeSignals.ts"
import { defaultValues } from "../../src/language/searchSpace.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import { simulate } from "../../src/kernel/simulate.ts"
import { backtest } from "../../src/research/backtest.ts"
import { findLookAhead } from "../../src/research/findLookAhead.ts"
import { sweep } from "../../src/research/sweep.ts"
import { randomDefinition } from "../../src/testing/randomStrategy.ts"
import { drawRuled } from "./drawnStrategies.ts"
import { candleAt, drawCandles } from "./drawnCandles.ts"
import { openMarket } from "./simulated.ts"
import { asCode } from "./written.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

describe("code that says what rules say", () => {
  it("makes the same fills, equity and figures over 200 strategies on one market or several", () => {
    let compared = 0
    for (const { number, random } of draws("code", 200)) {
      const symbols = random.pick([["AAA/USD"], ["AAA/USD", "BBB/USD"]] as const)
      const definition = drawRuled(random.next, { symbols, depth: 3, readsOthers: false })
      const candles = Object.fromEntries(
        symbols.map((symbol) => [symbol, drawCandles(random, definition.timeframe, 240)])
      )
      const options = {
        fill: random.pick(["next_open", "close"] as const),
        endOfData: random.pick(["close", "open"] as const),
        market: { canShort: true },
        from: candles["AAA/USD"]!.time[random.integer(0, 60)]!
      }
      const ruled = backtest(candles, definition, options)
      const coded = backtest(candles, asCode(definition), options)
      const told = `strategy ${number}`
      assert.deepStrictEqual(coded.fills, ruled.fills, told)
      assert.deepStrictEqual(coded.equity, ruled.equity, told)
      assert.deepStrictEqual(coded.metrics, ruled.metrics, told)
      assert.strictEqual(coded.misplacedStopCount, ruled.misplacedStopCount, told)
      compared += ruled.fills.length
    }
    assert.isAbove(compared, atLeast(1_000), "so few fills prove little")
  })

  it("decides candle by candle what it decides on whole columns", () => {
    let compared = 0
    for (const { number, random } of draws("code steps", 40)) {
      const definition = randomDefinition(random.next, { symbols: ["AAA/USD"], depth: 3 })
      const columns = drawCandles(random, definition.timeframe, 200)
      const strategy = asCode(definition)
      const values = defaultValues(definition)
      const code = new Map([["rewritten", strategy.rules]])
      const seen = random.integer(0, 80)
      const whole = toMarketRules(strategy.definition, values, columns, "AAA/USD", code)
      const step = makeMarketStep(strategy.definition, values, "AAA/USD", code)
      for (let index = 0; index < seen; index += 1) step.see(candleAt(columns, index))
      assert.deepStrictEqual(step.plan, whole.plan)
      const common = {
        plan: whole.plan,
        capital: 10_000,
        limits: noRiskLimits,
        fill: "next_open",
        endOfData: "open",
        from: [seen]
      } as const
      const stepped = simulate({
        ...common,
        markets: [
          {
            columns,
            spec: openMarket,
            decide: (index, book) => step.next(candleAt(columns, index), book)
          }
        ]
      })
      const wanted = simulate({
        ...common,
        markets: [{ columns, spec: openMarket, ...whole.rules }]
      })
      assert.deepStrictEqual(stepped.fills, wanted.fills, `strategy ${number}`)
      assert.deepStrictEqual(stepped.equity, wanted.equity, `strategy ${number}`)
      compared += wanted.fills.length
    }
    assert.isAbove(compared, atLeast(200), "so few fills prove little")
  })

  it("gives a sweep the figures of backtests, on the plain path", () => {
    for (const { random } of draws("code sweeps", 40)) {
      const definition = drawRuled(random.next, { symbols: ["AAA/USD"], depth: 2 })
      const columns = drawCandles(random, definition.timeframe, 240)
      const strategy = asCode(definition)
      const { metrics } = backtest(columns, strategy)
      const swept = sweep(columns, strategy, [{}])
      assert.strictEqual(swept.totalReturn[0], metrics["total_return"])
      assert.strictEqual(swept.plain[0]?.reason, "code decides at each candle")
    }
  })

  it("looks at no later candle, as the detector says", () => {
    for (const { random } of draws("code looks", 40)) {
      const symbols = random.pick([["AAA/USD"], ["AAA/USD", "BBB/USD"]] as const)
      const definition = drawRuled(random.next, { symbols, depth: 3, readsOthers: false })
      const candles = Object.fromEntries(
        symbols.map((symbol) => [symbol, drawCandles(random, definition.timeframe, 200)])
      )
      assert.deepStrictEqual(findLookAhead(candles, asCode(definition), {}, 4), [])
    }
  })
})
