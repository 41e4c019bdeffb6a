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
import type { MarketSpec } from "../../kernel/account.ts"
import type { CandleColumns } from "../../kernel/columns.ts"
import { noLevels } from "../../kernel/decide.ts"
import { periodsPerYear, simpleReturns } from "../../kernel/metrics/dailyReturns.ts"
import { sharpeRatio } from "../../kernel/metrics/sharpeRatio.ts"
import { soundReturns } from "../../kernel/metrics/soundReturns.ts"
import { totalReturn } from "../../kernel/metrics/totalReturn.ts"
import { type ColumnCache, makeColumnCache } from "../../plan/evaluateColumns.ts"
import { NodePool } from "../../plan/NodePool.ts"
import { planStrategy } from "../../plan/planStrategy.ts"
import { levelColumns } from "../../plan/signalColumns.ts"
import type { StrategyPlan } from "../../plan/StrategyPlan.ts"
import { toTradingPlan } from "../../plan/tradingPlan.ts"
import { figureAt, figureCount } from "../Run.ts"
import { MergedTimes } from "./MergedTimes.ts"
import { type CloseRanges, rangesOf } from "./PortfolioEquity.ts"
import { noSignals, type PortfolioSignals } from "./PortfolioSignals.ts"
import { type PortfolioMarket, type PortfolioOutcome, runPortfolio } from "./runPortfolio.ts"
import { computeSignals } from "./computeSignals.ts"

/** One of the markets. */
export interface SharedMarket {
  readonly symbol: string
  readonly columns: CandleColumns
  readonly spec: MarketSpec
  /** Index of the first candle that counts. */
  readonly from: number
}

/** How all sets are run. */
export interface PortfolioOptions {
  readonly capital: number
  readonly fill: "next_open" | "close"
  readonly endOfData: "close" | "open"
  /** Whether WebAssembly may be used. */
  readonly webAssembly?: boolean
}

/** Four figures of each set, and its entries that were too small to be ordered. */
export interface PortfolioFigures {
  readonly figures: Float64Array
  readonly tooSmallCounts: Float64Array
}

/** Bytes of whole columns, and of bits, that are kept at once. */
const bytesMax = 256 * 1_048_576

/** Whether a strategy trades a market, or only reads it. */
const isTraded = ({ trades }: StrategyDefinition, symbol: string): boolean =>
  trades === undefined || trades.includes(symbol)

/** How many sets from one on are computed together: their columns and bits fit in memory. */
const groupEnd = (
  definition: StrategyDefinition,
  sets: ReadonlyArray<ParameterValues>,
  from: number,
  candleCount: number
): { readonly end: number; readonly plans: ReadonlyArray<StrategyPlan> } => {
  const pool = new NodePool()
  const plans: Array<StrategyPlan> = []
  let end = from
  for (; end < sets.length; end++) {
    const bytes = pool.nodes.length * candleCount * 8 + plans.length * (candleCount / 2)
    if (bytes > bytesMax && plans.length > 0) break
    plans.push(planStrategy(definition, sets[end]!, pool))
  }
  return { end, plans }
}

class Portfolios {
  readonly #definition: StrategyDefinition
  readonly #markets: ReadonlyArray<SharedMarket>
  readonly #options: PortfolioOptions
  readonly #times: MergedTimes
  readonly #ranges: ReadonlyArray<CloseRanges>
  /** Columns of levels, which only entries read. */
  readonly #caches: ReadonlyArray<ColumnCache>

  constructor(
    definition: StrategyDefinition,
    markets: ReadonlyArray<SharedMarket>,
    options: PortfolioOptions
  ) {
    this.#definition = definition
    this.#markets = markets
    this.#options = options
    this.#times = new MergedTimes(markets)
    this.#ranges = this.#times.closes.map(rangesOf)
    const others = new Map(markets.map(({ columns, symbol }) => [symbol, columns] as const))
    this.#caches = markets.map(({ columns }) => makeColumnCache(columns, { others }))
  }

  run(sets: ReadonlyArray<ParameterValues>): PortfolioFigures {
    const figures = new Float64Array(sets.length * figureCount)
    const tooSmallCounts = new Float64Array(sets.length)
    const perYear = periodsPerYear(this.#times.time)
    const candleCount = this.#markets.reduce((sum, { columns }) => sum + columns.length, 0)
    for (let from = 0; from < sets.length;) {
      const { end, plans } = groupEnd(this.#definition, sets, from, candleCount)
      const signals = this.#signalsOf(plans)
      plans.forEach((plan, nth) => {
        const index = from + nth
        const outcome = this.#runOne(
          sets[index]!,
          plan,
          signals.map((one) => one[nth] ?? noSignals)
        )
        this.#write(outcome, perYear, figures, index * figureCount)
        tooSmallCounts[index] = outcome.tooSmallCount
      })
      from = end
    }
    return { figures, tooSmallCounts }
  }

  /** The signals of each market, plan by plan. */
  #signalsOf(plans: ReadonlyArray<StrategyPlan>): ReadonlyArray<ReadonlyArray<PortfolioSignals>> {
    const others = new Map(this.#markets.map(({ columns, symbol }) => [symbol, columns] as const))
    const { webAssembly = true } = this.#options
    return this.#markets.map(({ columns, from, symbol }) =>
      isTraded(this.#definition, symbol)
        ? computeSignals({ candles: columns, from, others, plans, webAssembly })
        : []
    )
  }

  #runOne(
    values: ParameterValues,
    plan: StrategyPlan,
    signals: ReadonlyArray<PortfolioSignals>
  ): PortfolioOutcome {
    const { capital, endOfData, fill } = this.#options
    const markets = this.#markets.map(({ columns, from, spec }, nth): PortfolioMarket => {
      const cache = this.#caches[nth]!
      const isRead = signals[nth] === noSignals
      const levelsAt = isRead ? () => noLevels : levelColumns(this.#definition, values, plan, cache)
      return { columns, from, spec, signals: signals[nth]!, levelsAt }
    })
    return runPortfolio({
      markets,
      plan: toTradingPlan(this.#definition, values),
      capital,
      fill,
      endOfData,
      times: this.#times,
      ranges: this.#ranges
    })
  }

  #write(
    { enteredCount, equity }: PortfolioOutcome,
    perYear: number,
    figures: Float64Array,
    at: number
  ): void {
    const { capital } = this.#options
    const returns = soundReturns(simpleReturns(capital, equity.days))
    figures[at + figureAt.totalReturn] = totalReturn(capital, equity.last)
    figures[at + figureAt.sharpe] = sharpeRatio(returns, perYear)
    figures[at + figureAt.maxDrawdown] = equity.deepest
    figures[at + figureAt.entries] = enteredCount
  }
}

/** Runs all sets of a strategy of rules whose positions are one lot each. */
export const runPortfolios = (
  definition: StrategyDefinition,
  sets: ReadonlyArray<ParameterValues>,
  markets: ReadonlyArray<SharedMarket>,
  options: PortfolioOptions
): PortfolioFigures => new Portfolios(definition, markets, options).run(sets)
