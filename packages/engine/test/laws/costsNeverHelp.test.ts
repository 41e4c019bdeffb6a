/**
 * Costs never help: the same orders leave at most as much equity where they cost more.
 *
 * Orders are the same where no size depends on equity. So all sizes are fixed quantities, and a
 * ladder that keeps a weight in equity is left out. Costs change its orders, and may so avoid a
 * loss. A price that slips moves each level that is measured from an entry. So the law of slippage
 * leaves out exits, targets, safety orders, additions at a distance from an entry, and multiples of
 * an earlier entry's notional.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Addition } from "../../src/language/Ladder.ts"
import type { DirectionRules, StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import type { MarketSpec } from "../../src/kernel/account.ts"
import type { Simulation } from "../../src/kernel/simulate.ts"
import { figureAt } from "../../src/fast/Run.ts"
import { ladderKinds, randomLadder } from "../../src/testing/randomLadder.ts"
import type { NextNumber } from "../../src/testing/randomSeries.ts"
import { randomDefinition, type RandomStrategyOptions } from "../../src/testing/randomStrategy.ts"
import { hasLadder } from "../../src/plan/ladderPlan.ts"
import { drawCandles } from "./drawnCandles.ts"
import { fastKinds, runFastOn } from "./fastRun.ts"
import { openMarket, simulateOn } from "./simulated.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

/** So much that no order is ever cut to what can be paid. */
const capital = 1e9

const free = { ...openMarket, makerRate: 0, takerRate: 0, slippageRate: 0 }

const kinds = ladderKinds.filter((kind) => kind !== "rebalance")

/** A plain strategy, or a ladder that orders the same whatever its equity. */
const drawAny = (next: NextNumber, options: RandomStrategyOptions = {}): StrategyDefinition => {
  const share = next()
  if (share < 0.4) return randomDefinition(next, options)
  return randomLadder(next, { ...options, kinds: share < 0.6 ? fastKinds : kinds })
}

const sizing = { type: "fixed_quantity", quantity: 2 } as const

const inFixed = (addition: Addition): Addition =>
  addition.sizing === undefined || addition.sizing.type === "scaled"
    ? addition
    : { ...addition, sizing }

type Additions = NonNullable<StrategyDefinition["additions"]>

/** Parts with another form of their additions, which stay a list that is not empty. */
const withAdditions = <Parts extends { readonly additions?: Additions }>(
  parts: Parts,
  change: (additions: Additions) => ReadonlyArray<Addition>
): Parts => {
  const { additions, ...rest } = parts
  const changed = additions === undefined ? [] : change(additions)
  return { ...rest, ...(changed.length > 0 && { additions: changed }) } as unknown as Parts
}

/** Changes the parts at the top and those of each side. */
const changeParts = (
  definition: StrategyDefinition,
  change: <Parts extends DirectionRules | StrategyDefinition>(parts: Parts) => Parts
): StrategyDefinition => {
  const { long, short, ...top } = change(definition)
  return {
    ...top,
    ...(long && { long: change(long) }),
    ...(short && { short: change(short) })
  }
}

/** The same orders whatever they cost: fixed quantities. */
const inFixedQuantity = (definition: StrategyDefinition): StrategyDefinition => ({
  ...changeParts(definition, (parts) => ({
    ...withAdditions(parts, (additions) => additions.map(inFixed)),
    ...(parts.sizing && { sizing })
  })),
  sizing
})

/** Without the parts that depend on the price of a fill. */
const withoutEntryPrices = (definition: StrategyDefinition): StrategyDefinition =>
  changeParts(definition, (parts) => {
    const {
      entry: _entry,
      exits: _exits,
      safety_orders: _safety,
      targets: _targets,
      ...rest
    } = parts
    return withAdditions(rest as typeof parts, (additions) =>
      additions.flatMap(({ entry: _own, exits: _ownExits, sizing: own, ...addition }) => {
        if (addition.enter === undefined) return []
        return [own === undefined ? addition : { ...addition, sizing }]
      })
    )
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

/** Runs both on the fast path; false where they do not take it, or never trade. */
const assertNeverBetterFast = (
  definition: StrategyDefinition,
  columns: CandleColumns,
  [costlySpec, cheapSpec]: readonly [MarketSpec, MarketSpec],
  where: string
): boolean => {
  // Returns hardly differ on more capital, and are simulated then.
  const run = (spec: MarketSpec) => runFastOn(definition, columns, { capital: 1e6, spec })
  const [costly, cheap] = [run(costlySpec), run(cheapSpec)]
  if (costly === null || cheap === null) return false
  const { entries, totalReturn } = figureAt
  assert.strictEqual(costly[entries], cheap[entries], where)
  if (cheap[entries] === 0) return false
  assert.isBelow(costly[totalReturn]!, cheap[totalReturn]!, where)
  return true
}

describe("costs never help", () => {
  it("leaves at most as much equity at every candle with higher fees on the same fills", () => {
    const seen = { fills: 0, ofLadders: 0, fast: 0, fastLadders: 0 }
    for (const { number, random } of draws("fees", 300)) {
      const definition = inFixedQuantity(drawAny(random.next))
      const columns = drawCandles(random, definition.timeframe, 240)
      const cheap = simulateOn(definition, [columns], { capital }, free)
      const feeRate = random.next() * 0.01
      const spec = { ...free, makerRate: feeRate / 2, takerRate: feeRate }
      const costly = simulateOn(definition, [columns], { capital }, spec)
      const where = `strategy ${number}`
      assertNeverBetter(costly, cheap, where)
      if (cheap.fills.length > 0) assert.isBelow(lastEquity(costly), lastEquity(cheap), where)
      const isFast = assertNeverBetterFast(definition, columns, [spec, free], where)
      const isLadder = hasLadder(definition)
      seen.fills += cheap.fills.length
      if (isLadder) seen.ofLadders += cheap.fills.length
      if (isFast) seen[isLadder ? "fastLadders" : "fast"] += 1
    }
    assert.isAbove(seen.fills, atLeast(2_000))
    assert.isAbove(seen.ofLadders, atLeast(1_000))
    assert.isAbove(seen.fast, atLeast(60))
    assert.isAbove(seen.fastLadders, atLeast(10))
  })

  it("leaves at most as much equity with slippage, where no order depends on a fill", () => {
    const seen = { fills: 0, ofLadders: 0 }
    for (const { number, random } of draws("slippage", 600)) {
      const definition = withoutEntryPrices(inFixedQuantity(drawAny(random.next)))
      const candles = [drawCandles(random, definition.timeframe, 240)]
      const cheap = simulateOn(definition, candles, { capital }, free)
      const spec = { ...free, slippageRate: random.next() * 0.01 }
      const costly = simulateOn(definition, candles, { capital }, spec)
      assertNeverBetter(costly, cheap, `strategy ${number}, ${JSON.stringify(definition)}`)
      seen.fills += cheap.fills.length
      if (hasLadder(definition)) seen.ofLadders += cheap.fills.length
    }
    assert.isAbove(seen.fills, atLeast(2_000))
    assert.isAbove(seen.ofLadders, atLeast(500))
  })

  it("leaves at most as much equity over several markets with one cash", () => {
    let fillCount = 0
    for (const { number, random } of draws("shared costs", 200)) {
      const symbols = ["AAA/USD", "BBB/USD", "CCC/USD"] as const
      const definition = inFixedQuantity(drawAny(random.next, { symbols }))
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
      const definition = inFixedQuantity(drawAny(random.next, { symbols }))
      const candles = symbols.map(() => drawCandles(random, definition.timeframe, 200))
      const scarce = random.integer(300, 1_000)
      const cheap = simulateOn(definition, candles, { capital: scarce }, free)
      const spec = { ...free, makerRate: 0.0002, takerRate: 0.0005 }
      const costly = simulateOn(definition, candles, { capital: scarce }, spec)
      // An order that can't be paid is cut or dropped, and then the runs differ.
      const isSame = JSON.stringify(fillsOf(costly)) === JSON.stringify(fillsOf(cheap))
      if (!isSame || cheap.fills.length === 0) continue
      assertNeverBetter(costly, cheap, `strategy ${number}`)
      sameCount += 1
    }
    assert.isAbove(sameCount, atLeast(50))
  })
})
