/**
 * A sweep's figures of a set are those of a backtest with it, whichever path it takes and however
 * badly it ends. Equity that is used up has lost everything, and nothing changes after it.
 */
import { assert, describe, it } from "@effect/vitest"
import { planSharedPath } from "../../src/fast/planPath.ts"
import { type RiskProfile, riskProfiles } from "../../src/language/RiskProfile.ts"
import { hasSeparateLots } from "../../src/language/checkTogether.ts"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { samplePoint, searchSpace } from "../../src/language/searchSpace.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { backtest } from "../../src/research/backtest.ts"
import { candles } from "../../src/research/candles.ts"
import { sweep } from "../../src/research/sweep.ts"
import { drawStrategy } from "./drawnStrategies.ts"
import { drawCandles } from "./drawnCandles.ts"
import { drawCase, drawOptions } from "./drawnRuns.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

type Drawn = Omit<ReturnType<typeof drawCase>, "columns">

/**
 * Number of positions entered: all entries where lots are kept apart, else the entries that open
 * one.
 */
const enteredCount = (
  definition: StrategyDefinition,
  fills: ReturnType<typeof backtest>["fills"]
): number => {
  const isApart = hasSeparateLots(definition) || definition.grid !== undefined
  return fills.filter(({ effect, leg }) => leg === "entry" && (isApart || effect === "open")).length
}

/** Sets of each kind of size, on the fast path, that had entries of which too little was left. */
const seen = { allIn: 0, sized: 0 }

const assertEqual = (columns: CandleColumns, { definition, options, sets }: Drawn) => {
  const swept = sweep(columns, definition, sets, options)
  const ends = sets.map((parameters, index) => {
    const result = backtest(columns, definition, { ...options, parameters })
    const { equity, fills, metrics, steps, tooSmallCount } = result
    assert.deepStrictEqual(swept.steps, steps)
    const told = JSON.stringify({ index, parameters, definition, options, metrics, swept })
    const close = (found: number, expected: number | null | undefined) => {
      if (typeof expected !== "number") return assert.isNaN(found, told)
      assert.isAtMost(Math.abs(found - expected), 1e-9 * Math.max(1, Math.abs(expected)), told)
    }
    close(swept.totalReturn[index]!, metrics["total_return"])
    close(swept.sharpe[index]!, metrics["sharpe"])
    close(swept.maxDrawdown[index]!, metrics["max_drawdown"])
    assert.strictEqual(swept.positionCount[index], enteredCount(definition, fills), told)
    assert.strictEqual(swept.tooSmallCount[index], tooSmallCount, told)
    const isFast = swept.plain.every((one) => one.index !== index)
    if (isFast && tooSmallCount > 0) {
      const sizing = definition.sizing ?? { type: "equity_fraction", fraction: 1 }
      const isAllIn = sizing.type === "equity_fraction" && sizing.fraction === 1
      seen[isAllIn ? "allIn" : "sized"] += 1
    }
    return Math.min(...equity)
  })
  return Math.min(...ends) <= 0
}

describe("a sweep", () => {
  it("gives the figures of a backtest for every strategy, also where equity is used up", () => {
    let ruined = 0
    for (const { random } of draws("sweep", 600)) {
      const { columns, ...drawn } = drawCase(random)
      if (assertEqual(columns, drawn)) ruined += 1
    }
    assert.isAbove(ruined, atLeast(10))
    assert.isAbove(seen.allIn, atLeast(50))
    assert.isAbove(seen.sized, atLeast(50))
  })

  it("gives the figures of backtests of several markets, to the bit", () => {
    let entered = 0
    for (const { random } of draws("swept markets", 60)) {
      const symbols = random.pick([
        ["AAA/USD", "BBB/USD"],
        ["AAA/USD", "BBB/USD", "CCC/USD"]
      ] as const)
      const definition = drawStrategy(random.next, { symbols, depth: 2, parameterRate: 0.5 })
      const count = random.pick([300, 300, 4_200])
      const drawn = symbols.map(() => drawCandles(random, definition.timeframe, count))
      const { time } = drawn[0]!
      // Else one has candles where another has a gap.
      const isShared = random.next() < 0.5
      const columns = drawn.map((one) => (isShared ? { ...one, time } : one))
      const given = Object.fromEntries(symbols.map((symbol, nth) => [symbol, columns[nth]!]))
      const options = drawOptions(random, columns[0]!)
      const space = searchSpace(definition)
      const sets = [{}, samplePoint(space, random.next), samplePoint(space, random.next)]
      const swept = sweep(given, definition, sets, options)
      const isPlain = planSharedPath(definition).path === "plain"
      assert.strictEqual(swept.plain.length, isPlain ? sets.length : 0)
      sets.forEach((parameters, index) => {
        const result = backtest(given, definition, { ...options, parameters })
        const { fills, metrics, steps, tooSmallCount } = result
        assert.strictEqual(swept.totalReturn[index], metrics["total_return"])
        assert.strictEqual(swept.maxDrawdown[index], metrics["max_drawdown"])
        assert.deepStrictEqual(swept.sharpe[index], metrics["sharpe"] ?? Number.NaN)
        assert.strictEqual(swept.tooSmallCount[index], tooSmallCount)
        assert.deepStrictEqual(swept.steps, steps)
        const entries = enteredCount(definition, fills)
        assert.strictEqual(swept.positionCount[index], entries)
        entered += entries
      })
    }
    assert.isAbove(entered, atLeast(1_000))
  })

  it("has lost everything where a short from 100 meets a price of 300", () => {
    const rows = [100, 100, 110, 90, 300, 300, 300].map((price, day) => ({
      time: day * 86_400_000,
      open: price,
      high: price,
      low: price,
      close: price
    }))
    const one = { type: "constant", value: 1 } as const
    const definition = {
      format: 1,
      symbols: ["BTC/USD"],
      timeframe: "1d",
      parameters: {},
      short: { enter: { type: "above", left: { type: "price", field: "close" }, right: one } }
    } as const
    assert.isTrue(
      assertEqual(candles(rows), {
        definition,
        sets: [{}],
        options: { fill: "next_open", endOfData: "close", market: { leverage: 1 } }
      })
    )
  })
})

describe("a backtest", () => {
  it("keeps to the limits that it is given", () => {
    const columns = drawCandles(makeRandom("limits"), "1h", 300)
    const one = { type: "constant", value: 1 } as const
    const definition = {
      format: 1,
      symbols: ["BTC/USD"],
      timeframe: "1h",
      parameters: {},
      long: { enter: { type: "above", left: { type: "price", field: "close" }, right: one } }
    } as const
    const bought = (risk: RiskProfile | null) => {
      const { fills } = backtest(columns, definition, { risk, endOfData: "open" })
      return fills.map(({ price, quantity }) => price * quantity)
    }
    const risk = { ...riskProfiles.low, is_stop_loss_mandatory: false }
    const [free, capped] = [bought(null), bought(risk)]
    assert.strictEqual(free.length, 1)
    assert.closeTo(free[0]!, 10_000, 300)
    assert.strictEqual(capped.length, 1)
    assert.closeTo(capped[0]!, 10_000 * risk.max_exposure, 150)
  })
})
