/**
 * Many sets of values of one strategy over several markets that share one account.
 *
 * Times are merged once, each column is computed once, and rules become bits tile by tile, for all
 * sets of a group together. Then each set goes from event to event.
 *
 * @since 0.1.0
 */
import type { ParameterValues } from "../../language/Parameter.ts"
import type { StrategyDefinition } from "../../language/StrategyDefinition.ts"
import { periodsPerYear, simpleReturns } from "../../kernel/metrics/dailyReturns.ts"
import { sharpeRatio } from "../../kernel/metrics/sharpeRatio.ts"
import { soundReturns } from "../../kernel/metrics/soundReturns.ts"
import { totalReturn } from "../../kernel/metrics/totalReturn.ts"
import { NodePool } from "../../plan/NodePool.ts"
import { planStrategy } from "../../plan/planStrategy.ts"
import type { StrategyPlan } from "../../plan/StrategyPlan.ts"
import { figureAt, figureCount } from "../Run.ts"
import { SharedPortfolio, type PortfolioOptions, type SharedMarket } from "./SharedPortfolio.ts"
import { CloseRanges, PortfolioEquity } from "./PortfolioEquity.ts"
import type { PortfolioWay } from "./PortfolioWay.ts"

/** Four figures of each set, and its entries that were too small to be ordered. */
export interface PortfolioFigures {
  readonly figures: Float64Array
  readonly tooSmallCounts: Float64Array
}

/** A set on its way. */
interface Running {
  readonly way: PortfolioWay
  readonly equity: PortfolioEquity
}

/** Bytes of whole columns, and of bits, that are kept at once. */
const bytesMax = 256 * 1_048_576

/** Steps that all sets of a group go through together: their closes stay in a cache. */
const stretchLength = 8_192

/** Sets for which it is worth to find the ranges of closes. */
const setsForRanges = 12

/** Plans of the sets from one on that are computed together: their columns and bits fit. */
const planGroup = (
  definition: StrategyDefinition,
  sets: ReadonlyArray<ParameterValues>,
  from: number,
  candleCount: number
): ReadonlyArray<StrategyPlan> => {
  const pool = new NodePool()
  const plans: Array<StrategyPlan> = []
  for (const values of sets.slice(from)) {
    const bytes = pool.nodes.length * candleCount * 8 + plans.length * (candleCount / 2)
    if (bytes > bytesMax && plans.length > 0) break
    plans.push(planStrategy(definition, values, pool))
  }
  return plans
}

/** Takes all sets through a stretch of steps before the next. */
const goThrough = (
  running: ReadonlyArray<Running>,
  ranges: ReadonlyArray<CloseRanges>,
  count: number
): void => {
  for (let start = 0; start < count; start += stretchLength) {
    const end = Math.min(start + stretchLength, count)
    if (running.length >= setsForRanges) for (const one of ranges) one.findUntil(end)
    for (const { way } of running) way.goUntil(end)
  }
  for (const { way } of running) way.end()
}

/** Runs all sets of a strategy of rules whose positions are one lot each. */
export const runPortfolios = (
  definition: StrategyDefinition,
  sets: ReadonlyArray<ParameterValues>,
  markets: ReadonlyArray<SharedMarket>,
  options: PortfolioOptions
): PortfolioFigures => {
  const { capital } = options
  const portfolio = new SharedPortfolio(definition, markets, options)
  const { times } = portfolio
  const ranges = times.closes.map((closes) => new CloseRanges(closes))
  const perYear = periodsPerYear(times.time)
  const candleCount = markets.reduce((sum, { columns }) => sum + columns.length, 0)
  const figures = new Float64Array(sets.length * figureCount)
  const tooSmallCounts = new Float64Array(sets.length)
  for (let from = 0; from < sets.length;) {
    const plans = planGroup(definition, sets, from, candleCount)
    const signals = portfolio.signalsOf(plans)
    const running = plans.map((plan, nth): Running => {
      const own = signals.map((one) => one[nth]!)
      const isRanged = plans.length >= setsForRanges
      const equity = new PortfolioEquity(capital, times, ranges, isRanged)
      return { equity, way: portfolio.begin(sets[from + nth]!, plan, own, equity, null) }
    })
    goThrough(running, ranges, times.count)
    running.forEach(({ equity, way }, nth) => {
      const at = (from + nth) * figureCount
      const returns = soundReturns(simpleReturns(capital, equity.days))
      figures[at + figureAt.totalReturn] = totalReturn(capital, equity.last)
      figures[at + figureAt.sharpe] = sharpeRatio(returns, perYear)
      figures[at + figureAt.maxDrawdown] = equity.deepest
      figures[at + figureAt.entries] = way.enteredCount
      tooSmallCounts[from + nth] = way.dropped.tooSmall
    })
    from += plans.length
  }
  return { figures, tooSmallCounts }
}
