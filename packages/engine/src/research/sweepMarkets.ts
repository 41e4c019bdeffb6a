/**
 * Runs sets of values of a strategy on several markets that share one account.
 *
 * The markets need one quote asset: results in several currencies make no sum.
 */
import { figureCount, type PlainRun } from "../fast/Run.ts"
import { planSharedPath } from "../fast/planPath.ts"
import { runPortfolios } from "../fast/portfolio/runPortfolios.ts"
import { writeFigures } from "../fast/runPlain.ts"
import type { MarketSpec } from "../kernel/account.ts"
import type { AccountRules } from "../kernel/SimulatedAccount.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import { periodsPerYear } from "../kernel/metrics/dailyReturns.ts"
import { noRiskLimits } from "../kernel/riskGate.ts"
import { makeCurves } from "../kernel/curves.ts"
import { simulate } from "../kernel/simulate.ts"
import type { CodeByName } from "../language/CodeRules.ts"
import type { ParameterValues } from "../language/Parameter.ts"
import type { StrategyDefinition } from "../language/StrategyDefinition.ts"
import { toMarketRules } from "../plan/codeSignals.ts"
import { takeKeptColumns, unkeptColumns } from "../plan/keptColumns.ts"
import { NodePool } from "../plan/NodePool.ts"
import { planStrategy } from "../plan/planStrategy.ts"

/** One of the markets. */
export interface SweptMarket {
  readonly symbol: string
  readonly columns: CandleColumns
  readonly spec: MarketSpec
  /** Index of the first candle that counts. */
  readonly from: number
}

/** The options of all sets. */
export interface SweptTerms {
  readonly capital: number
  readonly fill: "next_open" | "close"
  readonly endOfData: "close" | "open"
  /** Rules of a matcher, which only the matcher follows. */
  readonly rules?: AccountRules | undefined
}

/** Four figures of each set, as the fast path gives them, and why some did not take it. */
export interface SweptSets {
  readonly figures: Float64Array
  readonly tooSmallCounts: Float64Array
  readonly plain: ReadonlyArray<PlainRun>
}

/** Runs all sets, from event to event where they can. */
export const sweepMarkets = (
  definition: StrategyDefinition,
  code: CodeByName,
  sets: ReadonlyArray<ParameterValues>,
  markets: ReadonlyArray<SweptMarket>,
  terms: SweptTerms
): SweptSets => {
  const planned =
    terms.rules === undefined
      ? planSharedPath(definition)
      : ({ path: "plain", reason: "rules of size or price are asked for" } as const)
  if (planned.path === "fast") {
    return { ...runPortfolios(definition, sets, markets, terms), plain: [] }
  }
  const plain = sets.map((_, index) => ({ index, reason: planned.reason }))
  return { ...simulateMarkets(definition, code, sets, markets, terms), plain }
}

/** Simulates one set after the other; columns are computed once for all of them. */
export const simulateMarkets = (
  definition: StrategyDefinition,
  code: CodeByName,
  sets: ReadonlyArray<ParameterValues>,
  markets: ReadonlyArray<SweptMarket>,
  terms: SweptTerms
): Omit<SweptSets, "plain"> => {
  const pool = new NodePool()
  for (const values of sets) planStrategy(definition, values, pool)
  const others = new Map(markets.map(({ columns, symbol }) => [symbol, columns] as const))
  // Code may keep the columns that it is shown.
  const takeColumns = code.size === 0 ? takeKeptColumns : unkeptColumns
  const kept = markets.map(({ columns }) => takeColumns(columns, pool.nodes, others))
  const curves = makeCurves(markets.reduce((sum, { columns }) => sum + columns.length, 0))
  const figures = new Float64Array(sets.length * figureCount)
  const tooSmallCounts = new Float64Array(sets.length)
  let perYear: number | null = null
  sets.forEach((values, index) => {
    const parts = markets.map(({ columns, spec, symbol }, market) => {
      const { plan, rules } = toMarketRules(definition, values, kept[market]!.cache, symbol, code)
      return { plan, market: { columns, spec, ...rules } }
    })
    const simulation = simulate({
      ...terms,
      curves,
      markets: parts.map(({ market }) => market),
      plan: parts[0]!.plan,
      limits: noRiskLimits,
      from: markets.map(({ from }) => from)
    })
    // All sets are simulated at the same times.
    perYear ??= periodsPerYear(simulation.time)
    const options = { capital: terms.capital, periodsPerYear: perYear, returns: "day" } as const
    writeFigures(simulation, options, figures, index * figureCount)
    tooSmallCounts[index] = simulation.tooSmallCount
  })
  for (const { giveBack } of kept) giveBack()
  return { figures, tooSmallCounts }
}
