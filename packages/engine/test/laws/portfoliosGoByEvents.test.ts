/**
 * A portfolio that goes from event to event has the figures of one that looks at each candle, to
 * the bit. This holds for all candles of its markets, and all inputs of its rules.
 */
import { assert, describe, it } from "@effect/vitest"
import { planSharedPath } from "../../src/fast/planPath.ts"
import { runPortfolios } from "../../src/fast/portfolio/runPortfolios.ts"
import { figureAt, figureCount } from "../../src/fast/Run.ts"
import { runPortfolio } from "../../src/fast/portfolio/runPortfolio.ts"
import type { ParameterValues } from "../../src/language/Parameter.ts"
import { samplePoint, searchSpace } from "../../src/language/searchSpace.ts"
import type { MarketSpec } from "../../src/kernel/account.ts"
import { type CandleColumns, makeColumns, sliceColumns } from "../../src/kernel/columns.ts"
import type { Random } from "../../src/kernel/random.ts"
import { noRiskLimits, type RiskLimits } from "../../src/kernel/riskGate.ts"
import { simulate, type Simulation } from "../../src/kernel/simulate.ts"
import { toMarketRules } from "../../src/plan/codeSignals.ts"
import { makeColumnCache } from "../../src/plan/evaluateColumns.ts"
import { runOnMatcher, runShared } from "../../src/research/runBacktest.ts"
import { simulateMarkets, type SweptMarket } from "../../src/research/sweepMarkets.ts"
import { timeframeMs } from "../../src/language/Timeframe.ts"
import { withGap } from "../../src/testing/randomCandles.ts"
import { randomDefinition } from "../../src/testing/randomStrategy.ts"
import { drawCandles } from "./drawnCandles.ts"
import { openMarket } from "./simulated.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const hourMs = 3_600_000
const names = ["AAA/USD", "BBB/USD", "CCC/USD", "DDD/USD"] as const

const drawSpec = (random: Random): MarketSpec => ({
  ...openMarket,
  leverage: random.pick([1, 1, 1, 3]),
  feePerFill: random.pick([0, 0, 1]),
  takerRate: random.pick([0, 0.001]),
  makerRate: random.pick([0, 0.0005]),
  slippageRate: random.pick([0, 0.0005]),
  tick: random.pick([0, 0.01]),
  lot: random.pick([0, 1e-6, 0.01, 2]),
  minNotional: random.pick([0, 0, 20]),
  canShort: random.next() < 0.6,
  ...(random.next() < 0.3 && {
    funding: { rate: 0.001, intervalMs: random.pick([1, 8, 24]) * hourMs }
  }),
  ...(random.next() < 0.2 && { volumeShare: { max: 0.05, slippageRate: 0.001 } })
})

/** The same candles, each price from `from` on so many times as high. */
const leaping = (columns: CandleColumns, from: number, times: number): CandleColumns => {
  const after = makeColumns(columns.length)
  for (const name of ["time", "open", "high", "low", "close", "volume"] as const) {
    const isPrice = name !== "time" && name !== "volume"
    after[name].set(
      columns[name].map((value, at) => (isPrice && at >= from ? value * times : value))
    )
  }
  return after
}

/** Candles with another start and end, and some that are missing between. */
const withOwnTimes = (random: Random, whole: CandleColumns): CandleColumns => {
  const { length } = whole
  const first = random.pick([0, random.integer(0, length >> 1)])
  const end = random.pick([length, random.integer(first + 2, length)])
  const part = sliceColumns(whole, first, end)
  if (random.next() < 0.4) return part
  const missing = random.integer(0, Math.min(20, part.length - 2))
  return withGap(part, random.integer(0, part.length - missing), missing)
}

const drawCase = (random: Random) => {
  const symbols = names.slice(0, random.integer(2, 4)) as [string, ...ReadonlyArray<string>]
  const definition = randomDefinition(random.next, {
    symbols,
    depth: random.pick([1, 2, 3]),
    parameterRate: random.pick([0, 0.5]),
    canShort: random.next() < 0.5
  })
  // Some are longer than a tile of the kernels.
  const count = random.next() < 0.1 ? random.integer(2_040, 2_300) : random.integer(2, 400)
  const isShared = random.next() < 0.4
  const times = random.pick([1, 1, 3, 0.2])
  const spec = drawSpec(random)
  const from = random.pick([0, 0, random.integer(0, count - 1)])
  const first = drawCandles(random, definition.timeframe, count)
  const markets = symbols.map((symbol, market): SweptMarket => {
    const drawn = market === 0 ? first : drawCandles(random, definition.timeframe, count)
    const leapt = leaping(drawn, random.integer(0, count), times)
    const shared = { ...leapt, time: first.time }
    const columns = isShared ? shared : withOwnTimes(random, leapt)
    const own = random.next() < 0.3 ? drawSpec(random) : spec
    return { symbol, columns, spec: own, from: Math.min(from, columns.length - 1) }
  })
  const space = searchSpace(definition)
  const sets = [
    Object.fromEntries(
      Object.entries(definition.parameters).map(([name, { default: value }]) => [name, value])
    ),
    ...Array.from({ length: random.pick([2, 2, 2, 12]) }, () => samplePoint(space, random.next))
  ]
  const terms = {
    capital: random.pick([100, 10_000, 12_345.67]),
    fill: random.pick(["next_open", "close"] as const),
    endOfData: random.pick(["close", "open"] as const)
  }
  return { definition, markets, sets, terms }
}

/** The simulation of one set, as a backtest runs it. */
const simulateOne = (
  { definition, markets, terms }: ReturnType<typeof drawCase>,
  values: ParameterValues,
  limits: RiskLimits
): Simulation => {
  const others = new Map(markets.map(({ columns, symbol }) => [symbol, columns]))
  const parts = markets.map(({ columns, spec, symbol }) => {
    const cache = makeColumnCache(columns, { others })
    const { plan, rules } = toMarketRules(definition, values, cache, symbol, new Map())
    return { plan, market: { columns, spec, ...rules } }
  })
  return simulate({
    ...terms,
    limits,
    markets: parts.map(({ market }) => market),
    plan: parts[0]!.plan,
    from: markets.map(({ from }) => from)
  })
}

describe("a portfolio that goes from event to event", () => {
  it("comes to the figures of one whose candles are looked at one by one", () => {
    let entryCount = 0
    for (const { number, random } of draws("portfolios by events", 3_000)) {
      const { definition, markets, sets, terms } = drawCase(random)
      assert.deepStrictEqual(planSharedPath(definition), { path: "fast" })
      const webAssembly = random.next() < 0.7
      const fast = runPortfolios(definition, sets, markets, { ...terms, webAssembly })
      const plain = simulateMarkets(definition, new Map(), sets, markets, terms)
      const told = JSON.stringify({ number, definition, sets, terms })
      assert.deepStrictEqual(fast.figures, plain.figures, told)
      assert.deepStrictEqual(fast.tooSmallCounts, plain.tooSmallCounts, told)
      sets.forEach((_, set) => {
        entryCount += fast.figures[set * figureCount + figureAt.entries]!
      })
    }
    assert.isAbove(entryCount, atLeast(30_000), "so few entries prove little")
  })

  it("tells the fills and the curves of one whose candles are looked at one by one", () => {
    let fillCount = 0
    for (const { number, random } of draws("portfolios that are told", 1_500)) {
      const drawn = drawCase(random)
      const { definition, markets, sets, terms } = drawn
      const limits = random.pick([
        noRiskLimits,
        { ...noRiskLimits, exposureMax: 0.5, riskPerTrade: 0.01 }
      ])
      const values = sets[1]!
      const told = runPortfolio(definition, values, markets, { ...terms, limits })
      const {
        gate: _,
        resting: __,
        withdrawn: ___,
        ...simulated
      } = simulateOne(drawn, values, limits)
      const where = JSON.stringify({ number, definition, values, terms })
      assert.deepStrictEqual(told, simulated, where)
      fillCount += told.fills.length
    }
    assert.isAbove(fillCount, atLeast(15_000), "so few fills prove little")
  })

  it("gives the backtest of one whose candles are looked at one by one", () => {
    let positionCount = 0
    for (const { number, random } of draws("backtests of portfolios", 300)) {
      const { definition, markets, sets, terms } = drawCase(random)
      const given = {
        ...terms,
        definition,
        code: new Map(),
        values: sets[1]!,
        markets: markets.map((market) => ({ ...market, detail: undefined })),
        limits: noRiskLimits,
        candleMs: timeframeMs(definition.timeframe)
      }
      const found = runShared(given)!
      const expected = runOnMatcher(given)
      assert.deepStrictEqual(found.measured, expected.measured, `draw ${number}`)
      assert.deepStrictEqual([...found.positions], [...expected.positions], `draw ${number}`)
      assert.deepStrictEqual(found.details().fills, expected.details().fills, `draw ${number}`)
      positionCount += found.positions.length
    }
    assert.isAbove(positionCount, atLeast(1_500), "so few positions prove little")
  })
})
